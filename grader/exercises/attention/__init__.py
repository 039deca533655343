"""Exercise 1: scaled dot-product attention."""
