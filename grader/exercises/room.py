"""What the marking and the diagnosis need of an exercise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import Carried, Model, Probe
from grader.exercises.small import Small

__all__ = ["Room"]


@dataclass(frozen=True)
class Room:
    """models: by target; catalogue: the faults; probes: the calls that tell faults apart; outputs: the
    names of what a target returns, where that is more than one thing; small: where the search for the
    smallest input that shows a mistake starts; carry: the room on top of the learner's own earlier parts,
    by the names under which they are imported, in each of the ways in which they may be used."""

    id: str
    models: Mapping[str, Model]
    catalogue: Catalogue
    probes: tuple[Probe, ...]
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    small: Small | None = None
    carry: Callable[[Room, Mapping[str, Carried]], tuple[Room, ...]] | None = None

    def on(self, models: Mapping[str, Model]) -> Room:
        """The same room with these models in place of its own."""
        catalogue = self.catalogue.on({self.models[target]: model for target, model in models.items()})
        return replace(self, models=dict(models), catalogue=catalogue)
