"""Explains known mistakes with small demonstrations that are computed on the spot."""
