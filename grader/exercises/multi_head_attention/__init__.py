"""Exercise 4: multi-head attention."""
