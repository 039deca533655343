"""Grades example submissions and reads what their headers say of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import TracebackType

from grader.submission.launcher import default_launcher
from grader.verifying.examples import Example, read_example

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = ROOT / "tests" / "submissions"


def examples(kind: str) -> list[Example]:
    """All examples of a kind, ``wheats`` or ``chaffs``."""
    return [read_example(path) for path in sorted(SUBMISSIONS.glob(f"*/{kind}/*.py"))]


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
