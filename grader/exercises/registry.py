"""Finds the exercises: every folder with an ``exercise.toml``.  Cheap; `load_room` is what imports."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import ExerciseError
from grader.text import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from grader.diagnosis.model import Probe
    from grader.diagnosis.route import Route
    from grader.exercises.numerics import Numerics
    from grader.exercises.room import Room
    from grader.exercises.scene import Scene

__all__ = [
    "CheckSpec",
    "Entry",
    "Exercise",
    "all_exercises",
    "exercise",
    "load_numerics",
    "load_room",
    "load_routes",
    "load_scenes",
    "load_traced",
    "module_names",
]

FOLDER = Path(__file__).parent
# what `[budget]` may hold: the fields of `submission.client.Budget`
LIMITS = ("call", "load", "total", "memory", "processes", "output", "disk", "stops")


@dataclass(frozen=True)
class Entry:
    """A name that the learner's file must define: kind is ``function`` or ``class``."""

    name: str
    kind: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class CheckSpec:
    """Points, tier and Chinese title of a check; the English title is its docstring."""

    id: str
    tier: str
    points: float
    zh: str


@dataclass(frozen=True)
class Exercise:
    """What ``exercise.toml`` says; work: how long its suite takes, against that of `masks`."""

    id: str
    order: int
    title: Text
    requires: tuple[str, ...]
    entries: tuple[Entry, ...]
    forbidden: tuple[str, ...]
    operators: tuple[str, ...]
    budget: Mapping[str, float]
    checks: Mapping[str, CheckSpec]
    folder: Path
    work: float = 1.0

    @property
    def max_score(self) -> float:
        return sum(c.points for c in self.checks.values())

    @property
    def suite(self) -> Path:
        return self.folder / "suite.py"


@functools.cache
def all_exercises() -> tuple[Exercise, ...]:
    """Every exercise, in the order in which they build on each other."""
    found = [_read(path) for path in FOLDER.glob("*/exercise.toml")]
    return tuple(sorted(found, key=lambda e: e.order))


def exercise(identity: str) -> Exercise:
    """The exercise with this id; `KeyError` where there is none."""
    return {e.id: e for e in all_exercises()}[identity]


@functools.cache
def load_routes(identity: str) -> Mapping[str, tuple[Route, ...]]:
    """The ways through the steps of an exercise's models, by target; imports torch."""
    module = importlib.import_module(f"grader.exercises.{identity}.steps")
    routes: Mapping[str, tuple[Route, ...]] = module.ROUTES
    return routes


def load_traced(identity: str) -> tuple[Probe, ...]:
    """The calls of an exercise that `grade trace` shows, the most telling first; imports torch."""
    module = importlib.import_module(f"grader.exercises.{identity}.traced")
    examples: tuple[Probe, ...] = module.EXAMPLES
    return examples


def load_numerics(identity: str) -> Numerics | None:
    """What an exercise says of rounding, memory and devices; None where it has no such file."""
    if not (FOLDER / identity / "numerics.py").is_file():
        return None
    module = importlib.import_module(f"grader.exercises.{identity}.numerics")
    numerics: Numerics = module.NUMERICS
    return numerics


def load_scenes(identity: str) -> tuple[Scene, ...]:
    """The examples of an exercise that make pictures, none where it has no such file; imports torch."""
    if not (FOLDER / identity / "scenes.py").is_file():
        return ()
    module = importlib.import_module(f"grader.exercises.{identity}.scenes")
    scenes: tuple[Scene, ...] = module.SCENES
    return scenes


def module_names() -> tuple[str, ...]:
    """The names of the learner's files, without ``.py``."""
    return tuple(e.id for e in all_exercises())


def load_room(identity: str) -> Room:
    """The models, faults and probes of an exercise; imports torch."""
    module = importlib.import_module(f"grader.exercises.{identity}.room")
    room: Room = module.ROOM
    room.catalogue.folder = FOLDER / identity
    return room


def _budget(data: Mapping[str, Any]) -> dict[str, float]:
    """The limits of an exercise; one that is misspelt would be no limit."""
    for name, value in data.items():
        if name not in LIMITS:
            raise ValueError(f"budget: there is no limit {name!r}, only {', '.join(LIMITS)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ValueError(f"budget: {name} is {value!r}, and should be a number above zero")
    return dict(data)


def _read(path: Path) -> Exercise:
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        checks = {
            name: CheckSpec(name, row["tier"], float(row["points"]), row["zh"])
            for name, row in data["checks"].items()
        }
        entries = tuple(
            Entry(name, row["kind"], tuple(row["parameters"])) for name, row in data["entries"].items()
        )
        return Exercise(
            id=path.parent.name,
            order=int(data["order"]),
            title=Text(data["title"]["en"], data["title"]["zh"]),
            requires=tuple(data.get("requires", [])),
            entries=entries,
            forbidden=tuple(data.get("forbidden", [])),
            operators=tuple(data.get("operators", [])),
            budget=_budget(data.get("budget", {})),
            checks=checks,
            folder=path.parent,
            work=float(data.get("work", 1.0)),
        )
    except (KeyError, ValueError, TypeError) as error:
        words = f"{path.name} of the exercise {path.parent.name!r} is wrong: {error!r}"
        raise ExerciseError(Text.same(words)) from error
