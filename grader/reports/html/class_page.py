"""The page of a class: marks, mistakes, checks, and every student."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course.records import CheckRow, ClassStatistics, FaultRow, StudentRow
from grader.reports.course_words import FLAGS, status_words
from grader.reports.html.environment import page_environment

__all__ = ["MOST_STUDENTS", "render_class_page"]

MOST_STUDENTS = 2000  # a browser is slow with more; the tables hold all of them
MOST_WHO = 60
MOST_FAULTS = 25
STATUSES = (
    "passed",
    "failed",
    "incomplete",
    "error",
    "stopped",
    "blocked",
    "unreadable",
    "not graded",
    "waiting",
)


def render_class_page(stats: ClassStatistics, language: str) -> str:
    """The whole page as text, complete in itself; of an anonymous class no name is in it."""
    environment = page_environment(language)
    environment.globals |= {"state": status_words, "FLAGS": FLAGS}
    places = {student.key: f"s{number}" for number, student in enumerate(stats.students[:MOST_STUDENTS], 1)}
    return environment.get_template("class.html.j2").render(
        stats=stats,
        everyone=sum(stats.counts.values()),
        bars=_bars(stats),
        statuses=[s for s in STATUSES if any(e.statuses.get(s) for e in stats.exercises)],
        mistakes=[f for f in stats.faults if not f.technical],
        technical=[f for f in stats.faults if f.technical],
        again=[f for f in stats.faults if f.came_back and not f.technical],
        nobody=[c for c in stats.checks if c.nobody],
        hard=_hard(stats),
        students=stats.students[:MOST_STUDENTS],
        places=places,
        most_who=MOST_WHO,
        most_faults=MOST_FAULTS,
        tint=lambda fault, name: _tint(fault, name, sum(stats.counts.values())),
        title_of={f.id: f.title for f in stats.faults},
        states_of=_states,
    )


@dataclass(frozen=True)
class _Bar:
    """One bar of the histogram, in the units of the picture (600 wide, 180 high, with room for labels
    beside); left: where its lower edge is written, one number, so that neighbours keep apart."""

    low: float
    high: float
    count: int
    x: float
    width: float
    height: float
    left: float


def _bars(stats: ClassStatistics) -> list[_Bar]:
    if stats.histogram is None:
        return []
    most = max(stats.histogram.counts) or 1
    edges, counts = stats.histogram.edges, stats.histogram.counts
    step = 600 / len(counts)
    return [
        _Bar(
            low,
            high,
            n,
            round(i * step + 2, 2),
            round(step - 4, 2),
            round(130 * n / most, 2),
            round(i * step, 2),
        )
        for i, (low, high, n) in enumerate(zip(edges, edges[1:], counts))
    ]


def _hard(stats: ClassStatistics) -> list[CheckRow]:
    """The core checks that most of those who came so far do not pass; none that nobody passes."""
    rows = [c for c in stats.checks if c.tier == "core" and not c.nobody and c.ran and c.passed < c.ran]
    return sorted(rows, key=lambda c: (c.passed / c.ran, c.exercise, c.id))[:10]


def _tint(fault: FaultRow, name: str, everyone: int) -> str:
    """How dark a cell is: the share of the class, in steps that two neighbours can be told apart by."""
    share = fault.by_exercise.get(name, 0) / everyone if everyone else 0.0
    return f"{min(100, round(share * 200 / 5) * 5)}"


def _states(student: StudentRow) -> list[str]:
    """The statuses of a student's exercises that are not passed."""
    return [p.status for p in student.mark.parts if p.status != "passed"]
