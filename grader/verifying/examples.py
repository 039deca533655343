"""The example submissions under ``tests/submissions``, and the proof that every fault has one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.data import PACKAGE
from grader.text import Text
from grader.verifying.records import Finding, Proof

__all__ = ["Example", "examples", "read_example", "submissions_folder"]

HEADER = re.compile(r"^# (fault|edge|tier|line|what|style): *(.*)$", re.MULTILINE)
HEAD = 1500  # characters in which the header stands


@dataclass(frozen=True)
class Example:
    """A file under ``tests/submissions`` and its header.

    faults: the ids of the core entry, in no order, empty where the mistake is in no catalogue; edge:
    ids of faults that only cost edge points; line: of the mistake.
    """

    exercise: str
    path: Path
    right: bool
    faults: frozenset[str]
    edge: frozenset[str]
    tier: str
    line: int | None

    @property
    def id(self) -> str:
        return f"{self.exercise}/{self.path.stem}"


def read_example(path: Path) -> Example:
    """The example in one file."""
    head = dict(HEADER.findall(path.read_text(encoding="utf-8")[:HEAD]))
    line = head.get("line", "").strip()
    return Example(
        exercise=path.parent.parent.name,
        path=path,
        right=path.parent.name == "wheats",
        faults=_ids(head.get("fault", "-")),
        edge=_ids(head.get("edge", "")),
        tier=head.get("tier", "core").strip(),
        line=int(line) if line.isdigit() else None,
    )


def _ids(words: str) -> frozenset[str]:
    return frozenset(w.strip() for w in words.split(",") if w.strip() not in ("", "-"))


def submissions_folder() -> Path | None:
    """The folder of the examples, which only a source tree has."""
    folder = PACKAGE.parent / "tests" / "submissions"
    return folder if folder.is_dir() else None


def examples(exercise: str, ids: Collection[str], found: Iterable[Example] | None) -> Proof:
    """Every fault of the catalogue is the header's of some wrong submission, where there are any."""
    if found is None:
        note = Text(
            "the example submissions are in the source tree only, so they were not checked",
            "示例提交只在源码树中，因此这一项未检查",
        )
        return Proof(exercise, "examples", 0, note=note)
    there = {fault for example in found for fault in example.faults | example.edge}
    lacking = [
        Finding.of(
            exercise,
            "examples",
            f"no file in tests/submissions/{exercise}/chaffs has {fault} in its header",
            f"tests/submissions/{exercise}/chaffs 中没有文件在头部标注 {fault}",
            fault,
        )
        for fault in ids
        if fault not in there
    ]
    return Proof(exercise, "examples", len(ids), tuple(lacking))
