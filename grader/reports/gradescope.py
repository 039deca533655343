"""The result as Gradescope's ``results.json``: a test per check, and what it means above them.

Everything is given as plain text: what a submission printed must not become part of a page that the
course's staff reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grader.marking.records import CheckResult, ExerciseResult, Report
from grader.reports.cleaning import clean
from grader.reports.paper import Paper
from grader.reports.sections import section
from grader.reports.words import STATUS
from grader.text import Text

__all__ = ["MOST_OUTPUT", "as_gradescope", "not_graded", "not_readable"]

WIDTH = 96
MOST_OUTPUT = 20_000  # characters of the text above the tests
MOST_MESSAGE = 4_000
PLAIN = {
    "output_format": "text",
    "test_output_format": "text",
    "test_name_format": "text",
    "visibility": "visible",
    "stdout_visibility": "hidden",
}


def as_gradescope(report: Report, language: str, *, edges: str = "after_published") -> dict[str, Any]:
    """edges: the visibility of the edge checks; what is said of them above the tests follows it."""
    tests = [
        _test(check, result, f"{place}.{number}", language, edges)
        for place, result in enumerate(report.exercises, 1)
        for number, check in enumerate(result.checks, 1)
    ]
    shown = [r if edges == "visible" else _without_edges(r) for r in report.exercises]
    output = "\n\n".join(_words(result, language) for result in shown)
    return {
        "score": _points(report.score),
        "execution_time": round(report.seconds),
        "output": _cut(output, MOST_OUTPUT),
        **PLAIN,
        "tests": tests,
        "leaderboard": [],
        "extra_data": {
            "graded": True,
            "kit": report.kit,
            "isolation": report.isolation,
            "max_score": _points(report.max_score),
            "exercises": {r.id: _record(r) for r in report.exercises},
        },
    }


def not_graded(why: Text, language: str, *, score: float | None = None) -> dict[str, Any]:
    """Grading did not work, which says nothing about the submission.

    score: that of the last graded submission, which stands meanwhile; Gradescope wants a number, so
    without one it is 0, and the words say what it is worth.
    """
    if score is None:
        what = Text(
            "This submission was not graded. The 0 below is no mark: it stands there only because the "
            "platform wants a number.",
            "这份提交没有评分。下面的 0 不是成绩：平台要求有一个数字，所以才写在那里。",
        )
    else:
        what = Text(
            f"This submission was not graded. Your last graded score, {score:g}, stands meanwhile.",
            f"这份提交没有评分。在此期间，你上一次的得分 {score:g} 仍然有效。",
        )
    todo = Text(
        "Submit again; if this comes back, show this page to your instructor.",
        "请重新提交；如果再次出现，请把这个页面给老师看。",
    )
    words = "\n\n".join(clean(t.in_(language)) for t in (what, why, todo))
    return _one(words, score or 0.0, {"graded": False, "why": clean(why.en)})


def not_readable(why: Text, language: str) -> dict[str, Any]:
    """There is nothing in the submission that could be graded: a 0 with its reason."""
    words = f"{Text('No points', '没有得分').in_(language)}: {clean(why.in_(language))}"
    return _one(words, 0.0, {"graded": True, "why": clean(why.en)})


def _one(words: str, score: float, extra: dict[str, Any]) -> dict[str, Any]:
    output = _cut(words, MOST_OUTPUT)
    return {"score": score, "output": output, **PLAIN, "tests": [], "leaderboard": [], "extra_data": extra}


def _test(
    check: CheckResult, result: ExerciseResult, number: str, language: str, edges: str
) -> dict[str, Any]:
    message = check.message or (result.note if check.outcome == "skipped" else None)
    passed = check.outcome == "passed"
    extra = {"exercise": result.id, "check": check.id, "tier": check.tier}
    if check.fault is not None:
        extra["fault"] = clean(check.fault)
    return {
        "number": number,
        "name": f"{result.id}: {clean(check.title.in_(language))}",
        "score": _points(check.points),
        "max_score": _points(check.max_points),
        "status": "passed" if passed else "failed",
        "output": "" if message is None else _cut(clean(message.in_(language)), MOST_MESSAGE),
        "visibility": "visible" if check.tier == "core" else edges,
        "extra_data": extra,
    }


def _words(result: ExerciseResult, language: str) -> str:
    """What a learner reads of one exercise in the terminal, without colours."""
    if result.passed and not result.printed.strip() and not result.diagnoses and not result.note:
        return f"✓ {result.id}: {STATUS['passed'].in_(language)}"
    lines = [line.plain.rstrip() for line in section(result, Paper(language, WIDTH))]
    return "\n".join(lines)


def _without_edges(result: ExerciseResult) -> ExerciseResult:
    """The result as far as it may be shown before marks are published: points count core checks only."""
    checks = tuple(c for c in result.checks if c.tier == "core")
    return replace(
        result,
        checks=checks,
        diagnoses=tuple(d for d in result.diagnoses if d.tier == "core"),
        score=sum(c.points for c in checks),
        max_score=sum(c.max_points for c in checks),
    )


def _record(result: ExerciseResult) -> dict[str, Any]:
    return {
        "status": result.status,
        "score": _points(result.score),
        "max_score": _points(result.max_score),
        "carried_forward_from": list(result.carried_forward_from),
        "faults": list(_faults(result)),
    }


def _faults(result: ExerciseResult) -> Iterator[dict[str, Any]]:
    for diagnosis in result.diagnoses:
        for fault in diagnosis.faults:
            yield {
                "id": fault.id,
                "tier": diagnosis.tier,
                "confidence": diagnosis.confidence,
                "line": fault.line,
            }


def _points(value: float) -> float:
    return round(float(value), 4)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 4].rstrip() + " ..."
