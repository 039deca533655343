"""Lengths of time and how long ago, in words."""

from __future__ import annotations

from grader.reports.words import counted
from grader.text import Text

__all__ = ["ago", "duration"]

MINUTE, HOUR, DAY = 60, 3600, 86400


def duration(seconds: float) -> Text:
    """``40 s``, ``12 min``, ``1 h 05 min``."""
    whole = round(seconds)
    if whole < MINUTE:
        return Text(f"{whole} s", f"{whole} 秒")
    minutes = round(whole / MINUTE)
    if minutes < MINUTE:
        return Text(f"{minutes} min", f"{minutes} 分钟")
    hours, rest = divmod(minutes, 60)
    return Text(f"{hours} h {rest:02} min", f"{hours} 小时 {rest:02} 分")


def ago(seconds: float) -> Text:
    """``just now``, ``5 minutes ago``, ``6 days ago``."""
    if seconds < 2 * MINUTE:
        return Text("just now", "刚才")
    for length, one, many, zh in (
        (DAY, "{n} day ago", "{n} days ago", "{n} 天前"),
        (HOUR, "{n} hour ago", "{n} hours ago", "{n} 小时前"),
        (MINUTE, "{n} minute ago", "{n} minutes ago", "{n} 分钟前"),
    ):
        if seconds >= length:
            return counted(int(seconds // length), one, many, zh)
    raise AssertionError("two minutes are more than one")
