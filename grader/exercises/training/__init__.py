"""Exercise 9: targets, loss, training step and greedy decoding."""
