"""Says of a failed exercise that an earlier one which it calls has mistakes of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from grader.exercises.registry import module_names
from grader.marking.records import ExerciseResult
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["with_earlier_mistakes"]


def with_earlier_mistakes(
    results: Sequence[ExerciseResult], submission: Submission, failed: Collection[str]
) -> tuple[ExerciseResult, ...]:
    """The results, with a note on those that stand on a part which is itself wrong.

    Such an exercise may be right as it stands: what it computes with a wrong part is wrong.
    """
    return tuple(_noted(r, failed, submission) for r in results)


def _noted(result: ExerciseResult, failed: Collection[str], submission: Submission) -> ExerciseResult:
    if result.status != "failed" or result.note is not None or result.carried_forward_from:
        return result
    wrong = [name for name in module_names() if name in failed and name in _parts(result.id, submission)]
    if not wrong:
        return result
    files = ", ".join(f"{name}.py" for name in wrong)
    note = Text(
        f"it builds on {files}, which has mistakes of its own: put that right first, "
        "and grade this one again",
        f"它依赖的 {files} 本身有错误：请先改正，再重新评分",
    )
    # what looks like a mistake of this file may be one of those: nothing is certain here
    unsure = tuple(replace(d, confidence="likely") if d.faults else d for d in result.diagnoses)
    return replace(result, note=note, diagnoses=unsure)


def _parts(name: str, submission: Submission) -> set[str]:
    """The earlier exercises that a file imports, directly or through others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        file = submission.files.get(waiting.pop())
        if file is None:
            continue
        new = set(file.imports(module_names())) - found - {name}
        found |= new
        waiting += new
    return found
