"""A grading kit for "hand-write the Transformer" exercises.

The package is laid out in three wings and a wall; see ``CONTRIBUTING.md``.  Importing it is cheap:
torch and the suites are loaded only by the commands that grade.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
