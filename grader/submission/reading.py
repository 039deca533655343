"""One file of a submission, as it lies on the disk."""

from __future__ import annotations

from pathlib import Path

from grader.errors import SubmissionError
from grader.submission.decoding import MAX_FILE, parse_source, unreadable
from grader.submission.files import SourceFile
from grader.text import Text

__all__ = ["beginning_of", "cannot_read", "read_file", "what_it_is"]


def read_file(path: Path, folder: Path | None) -> SourceFile:
    """A file as text, or the sentence that says why it is none.  folder: where the file must lie; None for a
    file that the user named."""
    module, name = path.stem, path.name
    try:
        if folder is not None and path.is_symlink() and _leads_out(path, folder):
            text = Text(
                f"{name} is a link to a place outside the folder: put the file itself there",
                f"{name} 是指向文件夹之外的链接：请放入文件本身",
            )
            return unreadable(module, name, text)
        if not path.is_file():
            why = what_it_is(path)
            return unreadable(module, name, Text(f"{name} {why.en}", f"{name} {why.zh}"))
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except OSError as error:
        text = Text(f"{name} cannot be read: {error.strerror}", f"无法读取 {name}：{error.strerror}")
        return unreadable(module, name, text)
    if len(data) > MAX_FILE:
        size = MAX_FILE >> 10
        return unreadable(module, name, Text(f"{name} is larger than {size} KiB", f"{name} 超过 {size} KiB"))
    return parse_source(module, name, data)


def beginning_of(path: Path) -> bytes:
    """As many bytes of a file as count; none where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_FILE + 1)
    except OSError:
        return b""


def _leads_out(path: Path, folder: Path) -> bool:
    """Whether a link leads to a file elsewhere (one that leads nowhere does not)."""
    try:
        return not path.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def what_it_is(path: Path) -> Text:
    """What stands where a file should be."""
    if path.is_dir():
        return Text("is a folder, not a file", "是文件夹，不是文件")
    if path.is_symlink():
        return Text("is a link that leads nowhere", "是无效的链接")
    return Text("is not an ordinary file", "不是普通文件")


def cannot_read(path: Path, error: OSError) -> SubmissionError:
    """The error about a place that the system does not let us read."""
    why = error.strerror or type(error).__name__
    return SubmissionError(Text(f"{path} cannot be read: {why}", f"无法读取 {path}：{why}"))
