"""The fixed sentences of the reports, in both languages."""

from __future__ import annotations

from grader.text import Text

__all__ = ["CONFIDENCE", "STATUS", "counted", "points"]

STATUS = {
    "passed": Text("passed", "通过"),
    "failed": Text("failed", "未通过"),
    "incomplete": Text("to do", "待完成"),
    "error": Text("error", "无法加载"),
    "stopped": Text("stopped", "被终止"),
    "blocked": Text("blocked", "被阻塞"),
}

CONFIDENCE = {
    "confirmed": Text("Certain: {evidence}.", "确定：{evidence}。"),
    "likely": Text("Likely, not certain: {evidence}.", "很可能，但不确定：{evidence}。"),
}


def points(value: float) -> str:
    """Points without needless zeros: ``20``, ``9.5``."""
    return f"{round(value, 2):g}"


def counted(number: int, one: str, many: str, zh: str) -> Text:
    """``1 check``, ``3 checks``; Chinese has no plural.  `{n}` stands for the number."""
    return Text((one if number == 1 else many).format(n=number), zh.format(n=number))
