"""Puts a skeleton back in its place; what was there is kept as a backup first."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.data import skeleton_folder
from grader.errors import UsageError
from grader.text import Text
from grader.workspace.place import Workspace

__all__ = ["Reset", "reset_to_skeleton"]


@dataclass(frozen=True)
class Reset:
    """What became of one file: backup is where the old text is, from the workspace's folder; None where
    there was nothing to keep; same: it was the skeleton already."""

    name: str
    backup: str | None
    same: bool = False

    def words(self) -> Text:
        """The sentence about it."""
        if self.same:
            return Text(
                f"{self.name} is the skeleton already; nothing was changed.",
                f"{self.name} 已经是骨架，没有改动。",
            )
        if self.backup is None:
            return Text(f"{self.name} is there again.", f"{self.name} 已重新建立。")
        return Text(
            f"{self.name} is the skeleton again; what you had written is in {self.backup}",
            f"{self.name} 已恢复为骨架；你原来的内容保存在 {self.backup}",
        )


def reset_to_skeleton(workspace: Workspace, exercise: str) -> Reset:
    """Resets one exercise.  Raises `UsageError` where that cannot be; then nothing was changed."""
    name = f"{exercise}.py"
    target = workspace.folder / name
    skeleton = (skeleton_folder() / name).read_bytes()
    try:
        old = target.read_bytes() if os.path.lexists(target) else None
        if old == skeleton:
            return Reset(name, None, same=True)
        backup = workspace.backup(name, old) if old is not None else None
        _put(target, skeleton)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(
            Text(
                f"{name} cannot be reset, and nothing was changed: {why}",
                f"无法重置 {name}，没有任何改动：{why}",
            )
        ) from error
    where = backup.relative_to(workspace.folder).as_posix() if backup is not None else None
    workspace.record("reset", exercise=exercise, backup=where)
    return Reset(name, where)


def _put(path: Path, data: bytes) -> None:
    """Replaces the file as a whole: a crash leaves the old one or the new one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        if os.path.lexists(name):
            os.unlink(name)
        raise
