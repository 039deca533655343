"""A submission as a flat list of files, whether it came as a folder, a zip, or several files."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.course.handed import Handed
from grader.submission.decoding import MAX_FILE
from grader.submission.notebook import MAX_NOTEBOOK, SUFFIX
from grader.text import Text

__all__ = ["Leaf", "Refused", "tree_of"]

MAX_ZIP = 64 << 20
MAX_MEMBERS = 20_000
MAX_RATIO = 300  # text packs to a tenth; only something made to blow up comes near this
MAX_DEPTH = 6
MAX_SEEN = 20_000
# one byte more than `read_submission` takes, which then says so
MAX_READ = {SUFFIX: MAX_NOTEBOOK + 1, ".zip": MAX_ZIP}
MAX_PYTHON = MAX_FILE + 1
JUNK = {"__MACOSX", "__pycache__", "node_modules", "venv", "env", "site-packages", "Thumbs.db", "desktop.ini"}
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Refused(Exception):
    """This submission cannot be used: `text` is the sentence for its student."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


@dataclass(frozen=True)
class Leaf:
    """path: within the submission; read: its bytes, as many as count; link: it points elsewhere."""

    path: PurePosixPath
    read: Callable[[], bytes]
    link: bool = False

    @property
    def name(self) -> str:
        return self.path.name


def tree_of(handed: Handed) -> list[Leaf]:
    """Every file of a submission, without what systems and editors leave behind.

    A zip that is alone in a folder (or in a zip) is looked into.  Raises `Refused`.
    """
    if handed.parts:
        leaves = [_leaf(path, PurePosixPath(name)) for name, path in handed.parts]
    elif handed.kind == "folder":
        leaves = list(_folder(handed.place, PurePosixPath()))
    else:
        leaves = [_leaf(handed.place, PurePosixPath(handed.place.name))]
    for _ in range(2):
        zips = [leaf for leaf in leaves if leaf.path.suffix.lower() == ".zip"]
        if len(zips) != 1 or any(leaf.path.suffix in (".py", SUFFIX) for leaf in leaves):
            break
        leaves = _zip(zips[0].name, zips[0].read())
    return leaves


# -- folders ----------------------------------------------------------------------------------------


def _folder(folder: Path, within: PurePosixPath) -> Iterator[Leaf]:
    seen = 0
    waiting = [(folder, within)]
    while waiting:
        here, path = waiting.pop(0)
        for entry in sorted(os.scandir(here), key=lambda e: e.name):
            seen += 1
            if seen > MAX_SEEN:
                raise Refused(_too_many(MAX_SEEN))
            if _is_junk(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                if len(path.parts) < MAX_DEPTH:
                    waiting.append((Path(entry.path), path / entry.name))
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                yield _leaf(Path(entry.path), path / entry.name)


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


# -- zips -------------------------------------------------------------------------------------------


def _zip(name: str, data: bytes) -> list[Leaf]:
    if len(data) >= MAX_ZIP:
        size = MAX_ZIP >> 20
        raise Refused(Text(f"{name} is larger than {size} MiB", f"{name} 超过 {size} MiB"))
    if data.count(b"PK\x01\x02") > MAX_MEMBERS:  # before its list of members is read
        raise Refused(_too_many(MAX_MEMBERS))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        return [leaf for info in archive.infolist() for leaf in _member(name, archive, info)]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, zlib.error, EOFError) as error:
        raise Refused(_damaged(name)) from error


def _member(zipped: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Leaf]:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if info.is_dir() or not path.parts or any(_is_junk(part) and part != ".." for part in path.parts):
        return
    if path.is_absolute() or ".." in path.parts:
        raise Refused(
            Text(
                f"{zipped} holds a path that leads out of it: {path}",
                f"{zipped} 中有指向其外部的路径：{path}",
            )
        )
    if len(path.parts) - 1 > MAX_DEPTH:
        return
    if stat.S_ISLNK(info.external_attr >> 16):
        yield Leaf(path, lambda: b"", link=True)
    else:
        yield Leaf(path, lambda: _read_member(zipped, archive, info, _limit(path)))


def _read_member(zipped: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """At most `limit` bytes of a member, whatever it claims or would unpack to."""
    if info.flag_bits & 1:
        raise Refused(
            Text(
                f"{zipped} is protected with a password: hand it in without",
                f"{zipped} 有密码保护：请提交没有密码的文件",
            )
        )
    if info.compress_type not in METHODS:
        raise Refused(
            Text(
                f"{zipped} is packed in an unusual way: make an ordinary zip",
                f"{zipped} 使用了不常见的压缩方式：请制作普通的 zip",
            )
        )
    if info.file_size > max(info.compress_size, 4096) * MAX_RATIO:
        raise Refused(
            Text(
                f"{info.filename} in {zipped} would unpack to {info.file_size >> 20} MiB: it is not unpacked",
                f"{zipped} 中的 {info.filename} 会解压成 {info.file_size >> 20} MiB：不予解压",
            )
        )
    try:
        with archive.open(info) as file:
            return file.read(limit)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, zlib.error, EOFError) as error:
        raise Refused(_damaged(zipped)) from error


def _damaged(name: str) -> Text:
    return Text(
        f"{name} is no zip, or is damaged: make it again", f"{name} 不是 zip 文件或已损坏：请重新制作"
    )


def _too_many(limit: int) -> Text:
    return Text(
        f"more than {limit} files: hand in the exercises alone", f"超过 {limit} 个文件：请只提交练习文件"
    )
