"""Faults: each replaces steps of a model by the mistaken computation, or is revealed by a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.diagnosis.model import Model, State, Step
from grader.text import Text

if TYPE_CHECKING:
    from grader.diagnosis.compiled import Compiled

__all__ = ["Catalogue", "Family", "Fault"]


@dataclass(frozen=True)
class Fault:
    """A known mistake in one model.

    id: as in reports; steps: the replacements; primary: the step that the mistake sits in; tier:
    ``edge`` when only edge checks can see it; absent: something is missing, so its place is the line
    of the *next* step; number: for a member of a family, the fitted constant by name.
    """

    id: str
    model: Model
    steps: Mapping[str, Step]
    tier: str = "core"
    absent: bool = False
    number: Mapping[str, float] = field(default_factory=dict)
    family: Family | None = None
    primary: str = ""

    def clashes(self, other: Fault) -> bool:
        """Two faults that replace the same step, or are the same mistake, cannot stand together."""
        return self.id == other.id or not self.steps.keys().isdisjoint(other.steps)


@dataclass(frozen=True)
class Family:
    """A mistake that carries a number, which is fitted to the observations.

    build: the replacements for one value of the number; tries: values to start from.
    """

    id: str
    model: Model
    name: str
    build: Callable[[float], Mapping[str, Step]]
    tries: tuple[float, ...]
    tier: str = "core"
    absent: bool = False
    primary: str = ""

    def member(self, value: float) -> Fault:
        """The fault with this value."""
        steps = self.build(value)
        number = {self.name: value}
        return Fault(self.id, self.model, steps, self.tier, self.absent, number, self, self.primary)


class Catalogue:
    """The faults of one exercise, in the order in which they are preferred when two explain alike."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.families: list[Family] = []
        self.named: list[str] = []
        self.words: dict[str, tuple[str, ...]] = {}
        self.synonyms: dict[frozenset[str], Text] = {}
        self.companions: set[frozenset[str]] = set()
        self.folder: Path | None = None  # of the room, where its compiled tables are
        self._pools: dict[int, list[Fault]] = {}

    def replaces(
        self,
        model: Model,
        *steps: str,
        id: str | None = None,
        tier: str = "core",
        absent: bool = False,
        also: Mapping[str, Step] | None = None,
    ) -> Callable[[Step], Step]:
        """Registers the decorated function as the mistaken form of `steps` of `model`.

        The id is the function's name with dashes unless given; `also` replaces further steps.
        """

        def register(function: Step) -> Step:
            name = id or function.__name__.strip("_").replace("_", "-")
            table: dict[str, Step] = dict.fromkeys(steps, function)
            table |= also or {}
            for step in table:
                if step not in model.steps:
                    raise KeyError(f"fault {name}: the model {model.target} has no step {step!r}")
            self.faults.append(Fault(name, model, table, tier, absent, primary=steps[0]))
            return function

        return register

    def family(
        self,
        model: Model,
        *steps: str,
        name: str,
        tries: Sequence[float],
        id: str | None = None,
        tier: str = "core",
        absent: bool = False,
        also: Mapping[str, Step] | None = None,
    ) -> Callable[[Callable[[State, float], object]], Callable[[State, float], object]]:
        """Registers a mistake with a number: the function takes the state and the number."""

        def register(function: Callable[[State, float], object]) -> Callable[[State, float], object]:
            fault_id = id or function.__name__.strip("_").replace("_", "-")

            def build(value: float) -> Mapping[str, Step]:
                table: dict[str, Step] = dict.fromkeys(steps, lambda s: function(s, value))
                return table | dict(also or {})

            family = Family(fault_id, model, name, build, tuple(tries), tier, absent, steps[0])
            self.families.append(family)
            return function

        return register

    def by_check(self, *ids: str) -> None:
        """Registers faults that a named check reveals, without a model."""
        self.named += ids

    def place(self, id: str, *words: str) -> None:
        """Says by which names in the source a fault is found (see `grader.diagnosis.places`)."""
        self.words[id] = words

    def together(self, id: str, other: str) -> None:
        """Two mistakes that people make at once: the search tries this pair before all others."""
        self.companions.add(frozenset((id, other)))

    def same(self, id: str, other: str, reason: Text) -> None:
        """Declares that forms of two faults are the same from outside, and why nothing can tell them apart.

        `grade verify` takes one for the other then, and complains where they can be told apart.
        """
        self.synonyms[frozenset((id, other))] = reason

    def of(self, model: Model) -> list[Fault]:
        """The faults of one model, families as their starting members (the same objects each time)."""
        if id(model) in self._pools:
            return self._pools[id(model)]
        found = [f for f in self.faults if f.model is model]
        for family in self.families:
            if family.model is model:
                found += [family.member(value) for value in family.tries]
        self._pools[id(model)] = found
        return found

    def compiled(self, model: Model) -> Compiled | None:
        """What is known in advance of these faults on the room's probes, where that is kept."""
        from grader.diagnosis.compiled import load_compiled  # which knows catalogues

        return None if self.folder is None else load_compiled(model, len(self.of(model)), self.folder)

    def on(self, models: Mapping[Model, Model]) -> Catalogue:
        """The same faults for models with other steps; those that replace such a step are left out."""
        found = Catalogue()
        found.named, found.words, found.companions = self.named, self.words, self.companions
        for fault in self.faults:
            new = models.get(fault.model)
            if new is not None and _untouched(fault.steps, fault.model, new):
                found.faults.append(replace(fault, model=new))
        for family in self.families:
            new = models.get(family.model)
            if new is not None and _untouched(family.build(family.tries[0]), family.model, new):
                found.families.append(replace(family, model=new))
        return found

    def families_of(self, model: Model) -> list[Family]:
        return [f for f in self.families if f.model is model]

    def ids(self) -> list[str]:
        """All ids, each once, in order."""
        names = [f.id for f in self.faults] + [f.id for f in self.families] + self.named
        return list(dict.fromkeys(names))

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids())


def _untouched(steps: Iterable[str], old: Model, new: Model) -> bool:
    return all(new.steps.get(name) is old.steps[name] for name in steps)
