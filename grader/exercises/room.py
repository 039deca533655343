"""What the marking and the diagnosis need of an exercise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import Model, Probe

__all__ = ["Room"]


@dataclass(frozen=True)
class Room:
    """models: by target; catalogue: the faults; probes: the calls that tell faults apart; outputs: the
    names of what a target returns, where that is more than one thing."""

    id: str
    models: Mapping[str, Model]
    catalogue: Catalogue
    probes: tuple[Probe, ...]
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
