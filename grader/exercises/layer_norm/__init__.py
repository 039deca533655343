"""Exercise 5: layer normalisation, and the residual connection around a sublayer."""
