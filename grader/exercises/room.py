"""What the marking and the diagnosis need of an exercise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import Model, Probe

__all__ = ["Room"]


@dataclass(frozen=True)
class Room:
    """models: by target; catalogue: the faults; probes: the calls that tell faults apart."""

    id: str
    models: Mapping[str, Model]
    catalogue: Catalogue
    probes: tuple[Probe, ...]
