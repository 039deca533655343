"""Files that are meant to be an exercise, and are not called as it is: ``attention (1).py``.

A browser that downloads a file twice, a second version and a student's name before it make such names.
What such a file is meant to be is taken from its name, and only where what is in it agrees.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.exercises.registry import exercise, module_names
from grader.text import Text

__all__ = ["Candidate", "Matched", "aside", "close_to", "left_aside", "matched", "named_in", "written_for"]


@dataclass(frozen=True)
class Candidate:
    """A file with another name than an exercise's; name: what people call it."""

    name: str
    stem: str
    data: bytes


@dataclass
class Matched:
    """taken: the file of an exercise that has none of its name; doubtful: exercises for which several
    files could be meant; aside: a file that would hold an exercise, by what is in it alone."""

    taken: dict[str, Candidate] = field(default_factory=dict)
    doubtful: dict[str, tuple[str, ...]] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)

    def notes(self) -> list[Text]:
        """What was taken for what, and what was not."""
        found = [
            Text(f"{one.name} is graded as {name}.py", f"{one.name} 按 {name}.py 评分")
            for name, one in self.taken.items()
        ]
        for name, file in self.aside.items():
            found.append(
                Text(
                    f"there is no {name}.py; {file} defines some of it and was left aside: rename it",
                    f"没有 {name}.py；{file} 中定义了其中的内容，但未评分：请改名",
                )
            )
        return [*found, *(text for text in map(self.doubt, self.doubtful))]

    def doubt(self, name: str) -> Text:
        """The sentence about an exercise that several files could be."""
        listed = ", ".join(self.doubtful[name])
        return Text(
            f"there is no {name}.py, and more than one file could be it ({listed}): call the one that "
            f"counts {name}.py",
            f"没有 {name}.py，而有多个文件可能是它（{listed}）：请把要评分的文件命名为 {name}.py",
        )


def matched(files: Sequence[Candidate], missing: Iterable[str]) -> Matched:
    """Which of the files are meant to be the exercises that have no file of their name."""
    found = Matched()
    named = {one.name: named_in(one.stem) for one in files}
    close = {one.name: close_to(one.stem) for one in files}
    for identity in missing:
        holding = [one for one in files if written_for(one.data, identity)]
        meant = [one for one in holding if identity in named[one.name]]
        meant = meant or [one for one in files if _words(one.stem) == identity]  # empty, say
        meant = meant or [one for one in holding if close[one.name] == identity]
        if len({one.data for one in meant}) > 1:
            found.doubtful[identity] = tuple(one.name for one in meant)
        elif meant:
            found.taken[identity] = meant[0]
        elif holding:
            found.aside[identity] = holding[0].name
    return found


def named_in(stem: str) -> tuple[str, ...]:
    """The exercises whose names are in that of a file, as whole words; of ``multi_head_attention`` and
    ``attention`` the longer one."""
    words = f"_{_words(stem)}_"
    within = [name for name in module_names() if f"_{name}_" in words]
    return tuple(name for name in within if not any(name != other and name in other for other in within))


def close_to(stem: str) -> str | None:
    """The exercise whose name was probably misspelt, as in ``mask``."""
    return next(iter(difflib.get_close_matches(_words(stem), module_names(), 1, 0.85)), None)


def written_for(data: bytes, identity: str) -> bool:
    """Whether a file defines something that the exercise asks for, as far as its text shows; nothing is
    parsed, so that files which no Python reads can be told as well."""
    text = data.replace(b"\0", b"").replace(b"\r", b"\n").decode("latin-1")
    names = "|".join(re.escape(entry.name) for entry in exercise(identity).entries)
    begins = rf"^[ \t]*(?:(?:def|class)[ \t]+(?:{names})\b|(?:{names})[ \t]*=[^=])"
    return re.search(begins, text, re.MULTILINE) is not None


def left_aside(files: Sequence[Candidate], graded: Mapping[str, bytes]) -> list[Text]:
    """Another version beside the file that has the exercise's name; graded: those files, by exercise."""
    return [
        aside(f"{identity}.py", one.name)
        for one in files
        for identity in named_in(one.stem)
        if one.data != graded.get(identity, one.data) and written_for(one.data, identity)
    ]


def aside(graded: str, left: str) -> Text:
    """Of two files of one exercise one was graded."""
    return Text(f"{graded} is graded, {left} was left aside", f"评的是 {graded}，{left} 未评分")


def _words(stem: str) -> str:
    """The letters of a name, in small ones: ``Masks (1)`` is ``masks``, ``myAttention`` ``my_attention``."""
    return re.sub(r"[^a-z]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", stem).lower()).strip("_")
