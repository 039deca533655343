"""Trains a learner's own model with their own training step, and judges how it learns."""
