"""Looks into zips without unpacking them to disk, and without believing what they say of themselves."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from grader.text import Text

__all__ = ["MAX_ZIP", "Allowance", "Refused", "opened", "too_many"]

MAX_ZIP = 64 << 20
MAX_MEMBERS = 20_000
MAX_RATIO = 300  # text packs to a tenth; only something made to blow up comes near this
MAX_ZIPS = 500
MAX_NESTED = 30  # zips in zips
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
READ = (".py", ".ipynb", ".zip")  # members that may be read
BROKEN = (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, zlib.error, EOFError)

Member = tuple[PurePosixPath, Callable[[], bytes] | None]


class Refused(Exception):
    """This cannot be used: `text` says why, and what to do.

    empty: nothing that counts was handed in; otherwise somebody has to look at it.
    """

    def __init__(self, text: Text, *, empty: bool = False) -> None:
        super().__init__(text.en)
        self.text = text
        self.empty = empty


@dataclass
class Allowance:
    """What may still be opened of one submission, over all its zips."""

    bytes: int = 2 * MAX_ZIP
    members: int = -1  # MAX_MEMBERS, when the first one is opened
    zips: int = MAX_ZIPS


def opened(
    name: str,
    data: bytes,
    depth: int,
    allowed: Allowance,
    limit: Callable[[PurePosixPath], int],
    junk: Callable[[str], bool],
) -> list[Member]:
    """The paths of the members, and what reads each (None for a link).

    depth: how many zips this one is in, itself included; limit: how much of a member is read.  Raises
    `Refused`.
    """
    if len(data) >= MAX_ZIP:
        size = MAX_ZIP >> 20
        raise Refused(
            Text(
                f"{name} is larger than {size} MiB: hand in the exercises alone",
                f"{name} 超过 {size} MiB：请只提交练习文件",
            )
        )
    if not data:
        raise Refused(
            Text(f"{name} is empty (0 bytes): hand it in again", f"{name} 是空文件（0 字节）：请重新提交")
        )
    if allowed.members < 0:
        allowed.members = MAX_MEMBERS
    allowed.zips -= 1
    allowed.bytes -= len(data)
    allowed.members -= data.count(b"PK\x01\x02")  # before its list of members is read
    if allowed.members < 0:
        raise Refused(too_many(MAX_MEMBERS))
    if depth > MAX_NESTED or allowed.zips < 0 or allowed.bytes < 0:
        raise Refused(
            Text(
                f"{name} was not looked into: there are too many zips in zips; hand in the files themselves",
                f"{name} 没有打开：zip 套 zip 过多；请直接提交文件",
            )
        )
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        found = [_member(name, archive, info, limit, junk) for info in archive.infolist()]
    except BROKEN as error:
        raise Refused(_damaged(name)) from error
    return [member for member in found if member is not None]


def too_many(limit: int) -> Text:
    """The sentence about a crowd of files."""
    return Text(
        f"more than {limit} files: hand in the exercises alone", f"超过 {limit} 个文件：请只提交练习文件"
    )


def _member(
    zipped: str,
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    limit: Callable[[PurePosixPath], int],
    junk: Callable[[str], bool],
) -> Member | None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if info.is_dir() or not path.parts or any(junk(part) and part != ".." for part in path.parts):
        return None
    if path.is_absolute() or ".." in path.parts:
        raise Refused(
            Text(
                f"{zipped} holds a path that leads out of it: {path}",
                f"{zipped} 中有指向其外部的路径：{path}",
            )
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        return path, None
    if path.suffix.lower() in READ:
        _must_be_readable(zipped, info)
    return path, partial(_read, zipped, archive, info, limit(path))


def _must_be_readable(zipped: str, info: zipfile.ZipInfo) -> None:
    if info.flag_bits & 1:
        raise Refused(
            Text(
                f"{zipped} is protected with a password: hand in its files without one",
                f"{zipped} 有密码保护：请提交其中没有密码的文件",
            )
        )
    if info.compress_type not in METHODS:
        raise Refused(
            Text(
                f"{zipped} is packed in an unusual way: make an ordinary zip, or hand in its files",
                f"{zipped} 使用了不常见的压缩方式：请制作普通的 zip，或直接提交文件",
            )
        )
    if info.file_size > max(info.compress_size, 4096) * MAX_RATIO:
        raise Refused(
            Text(
                f"{info.filename} in {zipped} would unpack to {info.file_size >> 20} MiB: it is not unpacked",
                f"{zipped} 中的 {info.filename} 会解压成 {info.file_size >> 20} MiB：不予解压",
            )
        )


def _read(zipped: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """At most `limit` bytes of a member, whatever it claims or would unpack to."""
    try:
        with archive.open(info) as file:
            return file.read(limit)
    except BROKEN as error:
        raise Refused(_damaged(zipped)) from error


def _damaged(name: str) -> Text:
    return Text(
        f"{name} is no zip, or is damaged: make it again, or hand in the files themselves",
        f"{name} 不是 zip 文件或已损坏：请重新制作，或直接提交文件",
    )
