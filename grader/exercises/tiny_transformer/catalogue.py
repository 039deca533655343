"""The catalogue that the modules of faults fill."""

from __future__ import annotations

from grader.diagnosis.faults import Catalogue

__all__ = ["CATALOGUE", "replaces"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces
