"""Grades example submissions and reads what their headers say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from grader.submission.launcher import default_launcher

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = ROOT / "tests" / "submissions"
HEADER = re.compile(r"^# (fault|edge|tier|line|what|style): *(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A file under ``tests/submissions`` and its header.

    faults: the ids of the core entry, in no order, empty where the mistake is in no catalogue; edge:
    ids of faults that only cost edge points; line: of the mistake.
    """

    exercise: str
    path: Path
    right: bool
    faults: frozenset[str]
    edge: frozenset[str]
    tier: str
    line: int | None

    @property
    def id(self) -> str:
        return f"{self.exercise}/{self.path.stem}"


def examples(kind: str) -> list[Example]:
    """All examples of a kind, ``wheats`` or ``chaffs``."""
    return [read_example(path) for path in sorted(SUBMISSIONS.glob(f"*/{kind}/*.py"))]


def read_example(path: Path) -> Example:
    """The example in one file."""
    head = dict(HEADER.findall(path.read_text(encoding="utf-8")[:1500]))
    return Example(
        exercise=path.parent.parent.name,
        path=path,
        right=path.parent.name == "wheats",
        faults=_ids(head.get("fault", "-")),
        edge=_ids(head.get("edge", "")),
        tier=head.get("tier", "core").strip(),
        line=int(head["line"]) if head.get("line", "").strip().isdigit() else None,
    )


def _ids(words: str) -> frozenset[str]:
    return frozenset(w.strip() for w in words.split(",") if w.strip() not in ("", "-"))


class Grader:
    """Grades files as one exercise, with the solutions for the others."""

    def __init__(self) -> None:
        self.launcher = default_launcher()
        from grader.submission.source import read_submission

        self.solutions = read_submission(ROOT / "solutions").files

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.launcher.close()

    def file(self, exercise: str, path: Path):  # type: ignore[no-untyped-def]
        """The result of one file handed in as `exercise`."""
        return self.text(exercise, path.read_bytes())

    def text(self, exercise: str, data: bytes | str):  # type: ignore[no-untyped-def]
        """The result of a text handed in as `exercise`."""
        from grader.marking.run import grade
        from grader.submission.source import Submission, parse_source

        raw = data.encode() if isinstance(data, str) else data
        source = parse_source(exercise, f"{exercise}.py", raw)
        files = {**self.solutions, exercise: replace(source, module=exercise)}
        return grade(Submission(exercise, files, (exercise,)), self.launcher).exercises[0]

    def folder(self, path: Path, *only: str):  # type: ignore[no-untyped-def]
        """The report on a folder or file."""
        from grader.marking.run import grade
        from grader.submission.source import read_submission

        return grade(read_submission(path, only), self.launcher)
