"""A submission as a flat list of files, whether it came as a folder, in zips, or as several files."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grader.course.handed import Handed
from grader.course.zips import MAX_ZIP, Allowance, Refused, opened, too_many
from grader.submission.decoding import MAX_FILE
from grader.submission.notebook import MAX_NOTEBOOK, SUFFIX
from grader.text import Text

__all__ = ["PACKED", "Leaf", "Refused", "Tree", "tree_of"]

MAX_DEPTH = 60  # folders in folders
MAX_SEEN = 20_000
PACKED = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
SINGLE = (".gz", ".bz2", ".xz", ".zst")  # these pack one file, which is a folder only behind `.tar`
# one byte more than `read_submission` takes, which then says so
MAX_READ = {SUFFIX: MAX_NOTEBOOK + 1, ".zip": MAX_ZIP}
MAX_PYTHON = MAX_FILE + 1
JUNK = {"__MACOSX", "__pycache__", "node_modules", "venv", "env", "site-packages", "Thumbs.db", "desktop.ini"}


@dataclass(frozen=True)
class Leaf:
    """path: within the submission; read: its bytes, as many as count; link: it points elsewhere."""

    path: PurePosixPath
    read: Callable[[], bytes]
    link: bool = False

    @property
    def name(self) -> str:
        return self.path.name


@dataclass
class Tree:
    """leaves: the files; unseen: what could not be looked into, and what to do; others: what is there and is
    no file to look at, in words."""

    leaves: list[Leaf] = field(default_factory=list)
    unseen: list[Text] = field(default_factory=list)
    others: list[Text] = field(default_factory=list)


def tree_of(handed: Handed) -> Tree:
    """Every file of a submission, without what systems and editors leave behind; zips are looked into, each
    as a folder of its name.  Raises `Refused` for what is too much to look at."""
    tree = Tree()
    if handed.parts:
        found = [_leaf(path, PurePosixPath(name)) for name, path in handed.parts]
    elif handed.kind == "folder":
        found = _folder(handed.place, tree)
    else:
        found = [_leaf(handed.place, PurePosixPath(handed.place.name))]
    alone = handed.kind == "zip" and len(found) == 1
    allowed = Allowance()
    waiting = deque((leaf, 1) for leaf in found)
    while waiting:
        leaf, depth = waiting.popleft()
        if leaf.path.suffix.lower() == ".zip" and not leaf.link:
            within = PurePosixPath() if alone and depth == 1 else leaf.path
            waiting.extend((inside, depth + 1) for inside in _unpacked(leaf, within, depth, allowed, tree))
        elif _is_packed(leaf.path):
            tree.unseen.append(_packed(leaf.path))
        else:
            tree.leaves.append(leaf)
    return tree


def _unpacked(leaf: Leaf, within: PurePosixPath, depth: int, allowed: Allowance, tree: Tree) -> list[Leaf]:
    """The files of a zip; where it cannot be opened, that is told."""
    try:
        members = opened(leaf.name, leaf.read(), depth, allowed, _limit, _is_junk)
    except Refused as refusal:
        tree.unseen.append(refusal.text)
        return []
    return [Leaf(within / path, read or _nothing, link=read is None) for path, read in members]


def _nothing() -> bytes:
    return b""


def _is_packed(path: PurePosixPath) -> bool:
    suffix = path.suffix.lower()
    return suffix in PACKED and (suffix not in SINGLE or path.stem.lower().endswith(".tar"))


def _packed(path: PurePosixPath) -> Text:
    return Text(
        f"{path.name} is packed in a way that is not read: put its files beside it, or make it a .zip",
        f"{path.name} 的压缩格式无法读取：请把其中的文件解压到旁边，或改为 .zip",
    )


# -- folders ----------------------------------------------------------------------------------------


def _folder(folder: Path, tree: Tree) -> list[Leaf]:
    seen = 0
    found: list[Leaf] = []
    waiting = deque([(folder, PurePosixPath())])
    while waiting:
        here, path = waiting.popleft()
        entries = sorted(os.scandir(here), key=lambda e: e.name)
        for entry in entries:
            seen += 1
            if seen > MAX_SEEN:
                raise Refused(too_many(MAX_SEEN))
            inside = path / entry.name
            if _is_junk(entry.name):
                if entry.name.startswith("."):
                    tree.others.append(Text(f"{inside} (hidden)", f"{inside}（隐藏）"))
            elif entry.is_dir(follow_symlinks=False):
                if entry.name.endswith((".py", SUFFIX)):
                    tree.others.append(Text(f"{inside} (a folder)", f"{inside}（文件夹）"))
                if len(inside.parts) > MAX_DEPTH:
                    tree.unseen.append(_too_deep(inside))
                else:
                    waiting.append((Path(entry.path), inside))
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                found.append(_leaf(Path(entry.path), inside))
            else:
                tree.others.append(Text(f"{inside} (no ordinary file)", f"{inside}（不是普通文件）"))
        if not entries and path.parts and not path.name.endswith((".py", SUFFIX)):
            tree.others.append(Text(f"{path} (an empty folder)", f"{path}（空文件夹）"))
    return found


def _too_deep(path: PurePosixPath) -> Text:
    top = path.parts[0]
    return Text(
        f"{top} holds more than {MAX_DEPTH} folders in each other, and what is below was not looked at: hand "
        "in the files themselves",
        f"{top} 中的文件夹嵌套超过 {MAX_DEPTH} 层，更深处没有查看：请直接提交文件",
    )


def _leaf(place: Path, path: PurePosixPath) -> Leaf:
    if place.is_symlink():
        return Leaf(path, lambda: b"", link=True)
    return Leaf(path, lambda: _read_file(place, _limit(path)))


def _read_file(place: Path, limit: int) -> bytes:
    """The bytes of an ordinary file; a link or a pipe that has taken its place is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(place, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refused(Text(f"{place.name} is not an ordinary file", f"{place.name} 不是普通文件"))
        return file.read(limit)


def _limit(path: PurePosixPath) -> int:
    return MAX_READ.get(path.suffix.lower(), MAX_PYTHON)


def _is_junk(name: str) -> bool:
    return name.startswith((".", "._")) or name in JUNK
