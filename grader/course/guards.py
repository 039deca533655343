"""What must hold before a batch begins: workers are confined, the solution passes, a wrong one fails.

A machine on which the reference loses points, or on which nothing ever does, would give marks that look
like any others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from grader.course.contents import Contents
from grader.course.grading import Grades, grade_one
from grader.course.records import Graded
from grader.course.settings import GradingSettings
from grader.data import solution_folder
from grader.errors import KitError, UsageError
from grader.exercises.registry import exercise, module_names
from grader.text import Text

__all__ = ["check_isolation", "check_marks", "made_wrong", "refuse_weak"]

NEEDED = ("landlock", "seccomp")


def check_isolation(layers: Collection[str]) -> Text | None:
    """Why the code of strangers should not run here; None where it may."""
    missing = [layer for layer in NEEDED if layer not in layers]
    if not missing:
        return None
    words = ", ".join(missing)
    return Text(
        f"submitted code is not confined well enough on this machine (without {words}): it could read the "
        "hidden suites and your files",
        f"本机对提交代码的隔离不够（缺少 {words}）：它可能读取隐藏测试和你的文件",
    )


def refuse_weak(layers: Collection[str]) -> None:
    """Raises `UsageError` under weak isolation."""
    weak = check_isolation(layers)
    if weak is not None:
        raise UsageError(
            weak
            + Text(
                "; `grade doctor` shows what is missing, --allow-weak-isolation goes on all the same",
                "；`grade doctor` 会说明缺少什么，--allow-weak-isolation 可强制继续",
            )
        )


def check_marks(settings: GradingSettings, session: Grades) -> None:
    """Grades the solution and a wrong one.  Raises `KitError` where the marks are not as they must be."""
    right = {f"{name}.py": (solution_folder() / f"{name}.py").read_bytes() for name in module_names()}
    graded = grade_one(_contents(right), settings, session)
    lost = [e.id for e in graded.report.exercises if not e.passed] if graded.report is not None else ["all"]
    if lost:
        words = Text("the solution does not pass here", "参考答案在本机未通过")
        if settings.budget:
            words += Text(" with the limits that were given", "（在给定的限制下）")
        raise KitError(_guard(words, lost, graded))
    first = settings.exercises[0]
    wrong = made_wrong(first, right[f"{first}.py"].decode())
    alone = GradingSettings((first,), settings.budget)
    graded = grade_one(_contents({**right, f"{first}.py": wrong.encode()}), alone, session)
    if graded.report is None or any(e.status != "failed" for e in graded.report.exercises):
        words = Text("a wrong solution does not fail here", "错误答案在本机没有失败")
        raise KitError(_guard(words, [first], graded))


def made_wrong(identity: str, text: str) -> str:
    """The solution of an exercise with everything that it computes off by one (or negated)."""
    lines = [text, SHIFT]
    for entry in exercise(identity).entries:
        name = entry.name
        lines.append(FUNCTION.format(name=name) if entry.kind == "function" else CLASS.format(name=name))
    return "\n".join(lines)


SHIFT = """\
import torch

def _off(value):
    if isinstance(value, tuple):
        return tuple(_off(part) for part in value)
    if not hasattr(value, "dtype"):
        return value
    return ~value if value.dtype == torch.bool else value + 1
"""
FUNCTION = """
_right_{name} = {name}
def {name}(*args, **others):
    return _off(_right_{name}(*args, **others))
"""
CLASS = """
_right_{name} = {name}.forward
{name}.forward = lambda self, *args, **others: _off(_right_{name}(self, *args, **others))
"""


def _contents(files: dict[str, bytes]) -> Contents:
    return Contents(tuple(files.items()))


def _guard(words: Text, names: Sequence[str], graded: Graded) -> Text:
    listed = ", ".join(names)
    why = graded.problem or Text("", "")
    text = Text(
        f"{words.en} ({listed}), so marks from this machine could not be trusted; run `grade verify`",
        f"{words.zh}（{listed}），因此本机的评分不可信；请运行 `grade verify`",
    )
    return text + Text(f": {why.en}", f"：{why.zh}") if why.en else text
