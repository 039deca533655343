"""The mistakes people make in positional encodings: those of the table, and those around it."""

from __future__ import annotations

from grader.exercises.positional_encoding import module_faults, table_faults
from grader.exercises.positional_encoding.catalogue import CATALOGUE

__all__ = ["CATALOGUE", "module_faults", "table_faults"]
