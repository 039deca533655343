"""The same code at the size of real work, on an accelerator."""
