"""Explains what was observed by known mistakes: models, faults, the search, and the line."""
