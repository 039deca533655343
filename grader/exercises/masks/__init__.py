"""Exercise 2: attention masks."""
