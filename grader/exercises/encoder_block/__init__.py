"""Exercise 6: the encoder block."""
