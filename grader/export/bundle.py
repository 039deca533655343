"""A bundle: names and bytes, written as a zip (always the same bytes) or as a folder."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import UsageError
from grader.text import Text

__all__ = ["Bundle", "Item", "zipped"]

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say: the same content is the same file


@dataclass(frozen=True)
class Item:
    """One file; runs: it is a program."""

    data: bytes
    runs: bool = False


@dataclass(frozen=True)
class Bundle:
    """Files by their names, which use ``/``."""

    items: Mapping[str, Item] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        return iter(sorted(self.items.items()))

    def zip(self) -> bytes:
        """All of it as one zip."""
        return zipped({name: (item.data, 0o755 if item.runs else 0o644) for name, item in self})

    def under(self, folder: str) -> Bundle:
        """The same files inside of a folder."""
        return Bundle({f"{folder}/{name}": item for name, item in self.items.items()})

    def write_folder(self, folder: Path) -> None:
        """Writes the files into `folder`, over nothing that is there.

        Raises `UsageError` where one of them is there already, or cannot be written.
        """
        there = [name for name, _ in self if os.path.lexists(folder / name)]
        if there:
            listed = ", ".join(there[:3])
            raise UsageError(
                Text(
                    f"{folder} holds {listed} already; give another folder with --out, or remove it",
                    f"{folder} 中已有 {listed}；请用 --out 指定其他文件夹，或先删除",
                )
            )
        try:
            for name, item in self:
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(item.data)
                if item.runs:
                    os.chmod(place, 0o755)
        except OSError as error:
            raise _cannot_write(folder, error) from error

    def write_zip(self, path: Path, *, replace: bool = False) -> None:
        """Writes one zip, over one that is there only where told to.  Raises `UsageError`."""
        if path.is_dir():
            raise UsageError(
                Text(
                    f"{path} is a folder, and a zip is to be written: give its name with --out, such as "
                    f"{path / 'NAME.zip'}",
                    f"{path} 是文件夹，而要写出的是 zip：请用 --out 给出文件名，例如 {path / 'NAME.zip'}",
                )
            )
        if not replace and os.path.lexists(path):
            raise UsageError(
                Text(
                    f"{path} is there already; give another name with --out, or --force to replace it",
                    f"{path} 已存在；请用 --out 指定其他名称，或用 --force 覆盖",
                )
            )
        beside = path.with_name(f".{path.name}.part")
        try:
            path.absolute().parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(self.zip())
            os.replace(beside, path)
        except OSError as error:
            raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> UsageError:
    why = error.strerror or type(error).__name__
    return UsageError(Text(f"cannot write {path}: {why}", f"无法写入 {path}：{why}"))


def zipped(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    """A zip of name -> (bytes, mode), in the order of the mapping."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in files.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()
