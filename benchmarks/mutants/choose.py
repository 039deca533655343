"""Which mutants are graded: of every exercise alike, of every operator alike, no change over and over."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.mutants.mutation import Mutant, Source, mutants
from benchmarks.mutants.operators import OPERATORS
from grader.exercises.registry import module_names

__all__ = ["NUMBER", "SEED", "chosen", "sources"]

ROOT = Path(__file__).resolve().parents[2]
NUMBER = 300 * len(module_names())
SEED = "mutants"
ALIKE = 2  # how often one change (what became what) may be taken in an exercise


def sources(exercise: str) -> list[Source]:
    """The solution of an exercise and its right submissions, in a fixed order."""
    paths = sorted((ROOT / "tests" / "submissions" / exercise / "wheats").glob("*.py"))
    texts = [("solution", ROOT / "solutions" / f"{exercise}.py")] + [(p.stem, p) for p in paths]
    return [Source(exercise, name, path.read_text(encoding="utf-8")) for name, path in texts]


def chosen(
    number: int = NUMBER,
    *,
    exercises: Collection[str] = (),
    operators: Collection[str] = (),
    seed: str = SEED,
) -> list[Mutant]:
    """The same mutants for the same arguments, `number` over all exercises."""
    names = module_names()
    found: list[Mutant] = []
    for at, name in enumerate(names):
        share = number * (at + 1) // len(names) - number * at // len(names)
        if not exercises or name in exercises:
            found += _of_one(name, share, operators, seed)
    return found


def _of_one(exercise: str, number: int, operators: Collection[str], seed: str) -> list[Mutant]:
    everything = [m for s in sources(exercise) for m in mutants(s)]
    queues: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in sorted(everything, key=lambda m: _turn(m, seed)):
        queues[mutant.operator].append(mutant)
    found: list[Mutant] = []
    seen: set[str] = set()
    alike: Counter[tuple[str, ...]] = Counter()
    for mutant in _in_turn([queues[name] for name in OPERATORS]):
        if len(found) == number:
            break
        if alike[mutant.kind] < ALIKE and mutant.text is not None and mutant.plain not in seen:
            alike[mutant.kind] += 1
            seen.add(mutant.plain)
            found.append(mutant)
    return [m for m in found if not operators or m.operator in operators]


def _turn(mutant: Mutant, seed: str) -> tuple[bool, bytes]:
    """By chance that is always the same; those of the solution, which reads as most people write, first."""
    return mutant.source.name != "solution", hashlib.sha256(f"{seed} {mutant.id}".encode()).digest()


def _in_turn(queues: Sequence[Sequence[Mutant]]) -> Iterator[Mutant]:
    """The first of every queue, then the second of every one, and so on."""
    for at in range(max(map(len, queues), default=0)):
        yield from (queue[at] for queue in queues if at < len(queue))
