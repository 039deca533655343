"""Exercise 7: the Transformer encoder."""
