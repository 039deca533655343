"""The figures of a run: kill rate, survivors, and how the killed ones are diagnosed."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from benchmarks.mutants.grading import Entry, Outcome
from grader.exercises.registry import module_names

__all__ = ["SHARES", "named_lines", "report", "share"]

SHARES = ("confirmed", "likely", "raises-*", "unrecognised", "none")
# in the texts of a first divergence: `attention.py:12 should be …`, but not `attention.py:11 is right: …`
WRONG_LINE = re.compile(r"\.py:(\d+)(?![\d-])(?! is right)")
EXCEPTIONS = ("shape-error", "import-error")


def share(first: Entry | None) -> str:
    """How the first diagnosis of a killed mutant counts; ``raises-*`` only says which exception it was."""
    if first is None:
        return "none"
    if first.faults and all(f.startswith("raises-") or f in EXCEPTIONS for f in first.faults):
        return "raises-*"
    return first.confidence


def report(outcomes: Sequence[Outcome], known: Collection[str] = ()) -> Iterator[str]:
    """The lines of the report; known: ids of survivors that are right by the contract."""
    killed = [o for o in outcomes if o.killed]
    survivors = [o for o in outcomes if not o.killed and not o.error]
    holes = [o for o in survivors if o.id not in known]
    for outcome in holes:
        yield f"survived: {outcome.id}"
        yield from (f"    {line}" for line in outcome.diff.splitlines())
    for outcome in (o for o in outcomes if o.error):
        yield f"the grader failed: {outcome.id}: {outcome.error}"
    yield ""
    yield f"{'':22}{'mutants':>8}{'killed':>8}{'right':>7}{'holes':>7}{'rate':>9}"
    for name in (*module_names(), "all"):
        own = [o for o in outcomes if name in (o.exercise, "all")]
        if own:
            yield _row(name, own, known)
    yield ""
    counts = Counter(share(o.first) for o in killed)
    yield "of the killed: " + ", ".join(
        f"{name} {counts[name]} ({counts[name] / max(len(killed), 1):.1%})" for name in SHARES
    )
    yield from _lines(killed)
    if outcomes:
        times = sorted(o.seconds for o in outcomes)
        at = times[min(len(times) - 1, round(0.95 * len(times)))]
        yield f"grading one: {statistics.mean(times):.2f} s on average, 95th percentile {at:.2f} s"


def named_lines(entry: Entry) -> list[int]:
    """The lines that a diagnosis names as wrong; of a first divergence, those that are not called right."""
    if entry.faults:
        return [line for line in entry.lines if line is not None]
    return [int(line) for line in WRONG_LINE.findall(entry.evidence)]


def _lines(killed: Sequence[Outcome]) -> Iterator[str]:
    """How often a line within one of the changed one is named.

    Not all that miss are wrong: what `__init__` sets shows on the line that uses it.
    """
    for name in SHARES:
        own = [(o, named_lines(o.first)) for o in killed if o.first is not None and share(o.first) == name]
        told = [(o, lines) for o, lines in own if lines]
        if told:
            near = sum(any(abs(line - o.line) <= 1 for line in lines) for o, lines in told)
            rate = f"{near / len(told):.1%}"
            yield f"{name}: {len(told)} of {len(own)} name a line, {near} ({rate}) the changed one"


def _row(name: str, own: Sequence[Outcome], known: Collection[str]) -> str:
    killed = sum(o.killed for o in own)
    right = sum(not o.killed and o.id in known for o in own)
    holes = len(own) - killed - right
    rate = killed / max(len(own) - right, 1)
    return f"{name:22}{len(own):8}{killed:8}{right:7}{holes:7}{rate:9.2%}"
