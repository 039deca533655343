"""How far a submission is from exact, in each dtype."""
