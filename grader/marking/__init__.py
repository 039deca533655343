"""Runs suites with pytest, turns checks into marks."""
