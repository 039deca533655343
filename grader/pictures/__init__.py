"""Pictures: what a submission computes on small examples, beside what it should, as plain numbers."""
