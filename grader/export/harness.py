"""What runs on Gradescope, as root, for each submission: grades it and writes ``results.json``.

Whatever happens, there is a result that Gradescope can read.  ``run_autograder`` puts one there that says
"not graded", and has it replaced, in a moment (``--before``), by one with the last graded score; both stand
when grading is killed.  What was found out here takes their place in one step.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import KitError
from grader.reports.doctor import NEEDED_OF_STRANGERS, fit_for_strangers
from grader.text import Text

if TYPE_CHECKING:
    from grader.submission.launcher import Launcher

__all__ = [
    "ROOT",
    "SECONDS",
    "Settings",
    "before_grading",
    "closed_container",
    "grade_into",
    "main",
    "unfinished",
]

ROOT = Path("/autograder")
METADATA = "submission_metadata.json"
SETTINGS = "settings.json"
SECONDS = 540  # Gradescope's own limit is ten minutes unless the instructor raises it


@dataclass(frozen=True)
class Settings:
    """What the instructor chose on export: exercises that count, language, visibility of edge
    checks, limits, whether a container that confines too little is used all the same, and how many
    seconds a submission may take in all."""

    exercises: tuple[str, ...]
    language: str = "en"
    edges: str = "after_published"
    budget: Mapping[str, float] | None = None
    weak: bool = False
    seconds: int = SECONDS

    def as_json(self) -> str:
        """For the bundle."""
        return json.dumps({**self.__dict__, "exercises": list(self.exercises), "budget": self.budget or {}})

    @classmethod
    def read(cls, path: Path) -> Settings:
        """From the bundle."""
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**found, "exercises": tuple(found["exercises"])})


def main(words: list[str] | None = None, root: Path = ROOT) -> int:
    """The program; ``--before`` is for what stands until there is a result, and ``--try`` for the end of the
    set-up: it shows whether grading will work."""
    words = sys.argv[1:] if words is None else words
    settings = Settings.read(root / "source" / SETTINGS)
    place = root / "results" / "results.json"
    if words == ["--try"]:
        return _trial(settings)
    if words == ["--before"]:
        before_grading(place, root, settings)
    else:
        grade_into(place, root, settings)
    return 0


def unfinished(settings: Settings) -> Text:
    """Why there is no result where nothing could say so any more."""
    seconds = settings.seconds
    return Text(
        f"Grading did not come to its end: it took longer than {seconds} seconds, or more memory than "
        "there is.",
        f"评分没有完成：超过了 {seconds} 秒，或内存不足。",
    )


def before_grading(place: Path, root: Path, settings: Settings) -> None:
    """Puts what stands when grading is killed at `place`.  Imports nothing that takes time or memory."""
    from grader.reports.gradescope import not_graded

    score = _standing(root / METADATA)
    _write(place, not_graded(unfinished(settings), settings.language, score=score))


def grade_into(place: Path, root: Path, settings: Settings) -> None:
    """Grades what was handed in, and replaces the result at `place`."""
    from grader.reports.gradescope import not_graded

    try:
        found = _graded(root / "submission", settings)
    except Exception as error:  # noqa: BLE001 (no mark may come from a fault of ours)
        print(f"not graded: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
        score = _standing(root / METADATA)
        found = not_graded(_told(error), settings.language, score=score)
    _write(place, found)


def closed_container(layers: tuple[str, ...], refused: Mapping[str, bool]) -> bool:
    """Whether submissions are confined well enough in a container that serves one submission alone.

    Landlock is not to be had on every kernel.  Without it, a user of its own cannot read what the set-up
    has closed, and what it may write (``/tmp``) is thrown away with the container.
    """
    if fit_for_strangers(layers, refused):
        return True
    needed = [name for name in NEEDED_OF_STRANGERS if name != "write"]
    return {"limits", "unprivileged", "seccomp"} <= set(layers) and all(refused.get(n, False) for n in needed)


def _graded(folder: Path, settings: Settings) -> dict[str, Any]:
    from grader.course.contents import read_contents
    from grader.course.grading import grade_one
    from grader.course.handed import Handed
    from grader.course.settings import GradingSettings
    from grader.marking.session import Session
    from grader.reports.gradescope import as_gradescope, not_readable

    chosen = GradingSettings(settings.exercises, dict(settings.budget or {}))
    with Session(budget=settings.budget) as session:
        if not settings.weak:
            _must_be_closed(session.launcher)
        handed = Handed("student", None, folder, "folder")
        graded = grade_one(read_contents(handed, chosen.exercises), chosen, session)
    why = graded.problem or Text("no report", "没有报告")
    if graded.report is not None:
        return as_gradescope(graded.report, settings.language, edges=settings.edges)
    if graded.by_kit:
        raise KitError(why)
    return not_readable(why, settings.language)


def _must_be_closed(launcher: Launcher) -> None:
    from grader.submission.trial import attempt

    layers, refused = attempt(launcher)
    if not closed_container(layers, refused):
        open_to = ", ".join(name for name in NEEDED_OF_STRANGERS if not refused.get(name, False))
        held = ", ".join(layers) or "-"
        raise KitError(
            Text(
                f"this container does not confine submitted code (it has: {held}; not refused: "
                f"{open_to or '-'}); the instructor can export with --allow-weak-isolation",
                f"这个容器不能隔离提交的代码（已有：{held}；未被拒绝：{open_to or '-'}）；"
                "教师可用 --allow-weak-isolation 重新导出",
            )
        )


def _told(error: Exception) -> Text:
    if isinstance(error, KitError):
        return error.text
    what = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return Text(f"A fault of the grading kit: {what}", f"评分工具自身的错误：{what}")


def _standing(path: Path) -> float | None:
    """The score of the last submission that was graded, as Gradescope's metadata tells."""
    try:
        before = json.loads(path.read_text(encoding="utf-8"))["previous_submissions"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    for entry in reversed(before if isinstance(before, list) else []):
        try:
            if entry["results"]["extra_data"]["graded"] is True:
                score = float(entry["results"]["score"])
                if math.isfinite(score) and score >= 0:
                    return score
        except (ValueError, KeyError, TypeError):  # one that has no result, or another autograder's
            continue
    return None


def _write(place: Path, found: Mapping[str, Any]) -> None:
    """In one step, readable for root alone."""
    text = json.dumps(found, ensure_ascii=False, allow_nan=False)
    descriptor, name = tempfile.mkstemp(prefix=".results.", dir=place.parent)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, place)


def _trial(settings: Settings) -> int:
    """At the end of the set-up: grades the kit's own solutions, and says what confines submissions."""
    from grader.data import solution_folder
    from grader.marking.session import Session
    from grader.submission.source import read_submission

    say: Callable[[str], Any] = print
    with Session(budget=settings.budget) as session:
        report = session.grade(read_submission(solution_folder(), settings.exercises))
        if not settings.weak:
            _must_be_closed(session.launcher)
    score = f"{report.score:g} of {report.max_score:g} points for the solutions"
    say(f"grade {report.kit}: {score}; isolation: {', '.join(report.layers)}")
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
