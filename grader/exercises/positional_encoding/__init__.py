"""Exercise 3: positional encodings, fixed and learned."""
