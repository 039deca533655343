"""The fixed sentences about a course: what a submission's state means, and what people should look at."""

from __future__ import annotations

from grader.reports.words import STATUS
from grader.text import Text

__all__ = ["FLAGS", "STATES", "status_words"]

# of a submission, beside those of an exercise
STATES = {
    "graded": Text("graded", "已评分"),
    "unreadable": Text("nothing to grade", "没有可评分的内容"),
    "not graded": Text("could not be graded", "未能评分"),
    "waiting": Text("not graded yet", "尚未评分"),
}
FLAGS = {
    "late": Text("late", "迟交"),
    "too-late": Text("too late for a mark", "迟交过久，不计分"),
    "marked-late": Text("late by the platform, time unknown", "平台标记为迟交，时间未知"),
    "time-unknown": Text("time unknown", "提交时间未知"),
}


def status_words(name: str) -> Text:
    """The word for the status of an exercise or of a submission."""
    return STATUS.get(name) or STATES.get(name) or Text.same(name)
