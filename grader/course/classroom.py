"""The names of GitHub Classroom's folders: ``hw1-`` before the login of each student.

The prefix is what nearly all names have in common, up to a ``-``.  A login may hold a ``-`` too, so a part
of the prefix is taken off only where something speaks for it: it has a number, it is a word of courses or
of the kit, the download itself is called so, or too many students have it for it to be a part of logins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from grader.exercises.registry import module_names
from grader.text import Text

__all__ = ["classroom_prefix", "said_of_ids"]

NEARLY_ALL = 2 / 3
MANY = 5  # students who all have a part of the prefix, and do not share it by chance
WORDS = re.compile(
    r"assessment|assign|assignment|chapter|class|course|coursework|ex|exam|exercise|exercises|"
    r"final|homework|hw|lab|lecture|midterm|module|part|problem|project|ps|pset|quiz|repo|sheet|"
    r"submission|submissions|task|template|test|transformer|transformers|tutorial|unit|week"
)


def classroom_prefix(download: str, folders: Sequence[Path]) -> str:
    """What stands before the logins, ending in ``-``; empty where nothing is sure.

    download: the name of the folder that holds them.
    """
    names = [folder.name for folder in folders]
    prefix = _common(names)
    if not prefix:
        return ""
    having = [name for name in names if _has(name, prefix)]
    numbers = all(name[len(prefix) :].isdigit() for name in having)
    if numbers and not re.search("[A-Za-z]", prefix):  # `2027-0001`: these are students' numbers
        return ""
    parts = prefix.removesuffix("-").split("-")
    many = len(having) == len(names) >= MANY and not numbers
    repository = any((f / name).exists() for f in folders for name in (".git", ".github"))
    sure = 0
    for number, part in enumerate(parts, 1):
        whole = "-".join(parts[:number]) + "-"
        if many or download.startswith(whole) or _of_courses(part, number) or (repository and number == 1):
            sure = number
    return "".join(f"{part}-" for part in parts[:sure])


def said_of_ids(prefix: str, names: Sequence[str]) -> Text | None:
    """How the students' ids were read, where that was no plain matter."""
    if prefix:
        others = [name for name in names if not _has(name, prefix)]
        text = Text(f"student ids: the names without {prefix}", f"学号：去掉 {prefix} 后的名字")
        if others:
            listed, more = ", ".join(others[:3]), ", …" if len(others) > 3 else ""
            text += Text(f" (whole: {listed}{more})", f"（保留全名：{listed}{more}）")
    else:
        prefix = _common(names)
        if not prefix or not all(_has(name, prefix) for name in names):
            return None
        text = Text(f"student ids: the whole names, {prefix} included", f"学号：完整的名字，包括 {prefix}")
    return text + Text("; --mapping gives others", "；可用 --mapping 另行指定")


def _common(names: Sequence[str]) -> str:
    """The longest beginning, up to a ``-``, that nearly all have before something else."""
    if len(names) < 2:
        return ""
    least = max(2, NEARLY_ALL * len(names))
    counts = Counter(name[: i + 1] for name in names for i, c in enumerate(name[:-1]) if c == "-" and i)
    return max((prefix for prefix, count in counts.items() if count >= least), key=len, default="")


def _has(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and len(name) > len(prefix)


def _of_courses(part: str, number: int) -> bool:
    """Whether a part of a name is one of an assignment's, and not of a login."""
    words = part.lower()
    if words in {w for name in module_names() for w in (name, *name.split("_"))}:
        return True
    if number == 1 and any(c.isdigit() for c in words):
        return True
    return re.fullmatch(r"\d{1,4}", words) is not None or bool(WORDS.fullmatch(words.rstrip("0123456789")))
