"""The operators; importing a module registers its own.  The order is that of the list.

What two operators make alike counts for the first: the special ones come before the general.
"""

from __future__ import annotations

# isort: off
from benchmarks.mutants.operators import axes, names, flow, calls, values  # noqa: F401
from benchmarks.mutants.operators.registry import OPERATORS, Example, Made, Operator, Place
# isort: on

__all__ = ["OPERATORS", "Example", "Made", "Operator", "Place"]
