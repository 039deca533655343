"""The proofs that the kit's own exercises hold: one function for each, which returns what it found wrong."""
