"""Puts a skeleton back, a file or the cells of a notebook; what was there is kept as a backup first."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.data import skeleton_folder
from grader.errors import UsageError
from grader.exercises.registry import module_names
from grader.notebook.skeletons import NAME as NOTEBOOK
from grader.submission.notebook import SUFFIX
from grader.submission.source import read_submission
from grader.text import Text
from grader.workspace.place import Workspace

__all__ = ["Reset", "called", "place_of", "reset_to_skeleton"]


@dataclass(frozen=True)
class Reset:
    """What became of one exercise: name is its file, or the notebook it is in; backup is where the old text
    is, from the workspace's folder; None where there was nothing to keep; same: it was the skeleton already.
    """

    exercise: str
    name: str
    backup: str | None
    same: bool = False

    def words(self) -> Text:
        """The sentence about it."""
        what = called(self.exercise, self.name)
        if self.same:
            return Text(
                f"{what.en} is the skeleton already; nothing was changed.",
                f"{what.zh} 已经是骨架，没有改动。",
            )
        if self.backup is None:
            return Text(f"{what.en} is there again.", f"{what.zh} 已重新建立。")
        if _is_notebook(self.name):
            return Text(
                f"{what.en} is the skeleton again: reload the notebook where it is open. The notebook as it "
                f"was is in {self.backup}",
                f"{what.zh} 已恢复为骨架：若 notebook 已打开，请重新载入。"
                f"原来的 notebook 保存在 {self.backup}",
            )
        return Text(
            f"{what.en} is the skeleton again; what you had written is in {self.backup}",
            f"{what.zh} 已恢复为骨架；你原来的内容保存在 {self.backup}",
        )


def called(exercise: str, name: str) -> Text:
    """What is reset, in a sentence: the file, or the exercise in its notebook."""
    if not _is_notebook(name):
        return Text.same(name)
    return Text(f"{exercise} in {name}", f"{name} 中的 {exercise}")


def place_of(workspace: Workspace, exercise: str) -> str:
    """The name of the file that an exercise is in, or has its place in: its own, or a notebook."""
    found = read_submission(workspace.folder, may_be_empty=True).files
    file = found.get(exercise)
    if file is not None:
        return file.place(None)[0] or file.name
    if not found.keys().isdisjoint(module_names()):  # the others: those of a notebook say which one
        names = [f.place(None)[0] or "" for n, f in found.items() if n in module_names()]
        return next((n for n in names if _is_notebook(n)), f"{exercise}.py")
    if (workspace.folder / NOTEBOOK).is_file():
        return NOTEBOOK
    return f"{exercise}.py"


def reset_to_skeleton(workspace: Workspace, exercise: str) -> Reset:
    """Resets one exercise.  Raises `GraderError` where that cannot be; then nothing was changed."""
    name = place_of(workspace, exercise)
    target = workspace.folder / name
    try:
        old = target.read_bytes() if os.path.lexists(target) else None
        new = _skeleton(exercise, target, old)
        if old == new:
            return Reset(exercise, name, None, same=True)
        backup = workspace.backup(name, old) if old is not None else None
        _put(target, new)
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
    return Reset(exercise, name, where)


def _skeleton(exercise: str, target: Path, old: bytes | None) -> bytes:
    """What is to stand in the file: of a notebook, all else that it holds as well."""
    if old is None or not _is_notebook(target.name):
        return (skeleton_folder() / f"{exercise}.py").read_bytes()
    from grader.notebook.restoring import restored

    return restored(target.name, old, exercise)


def _is_notebook(name: str) -> bool:
    return name.endswith(SUFFIX)


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
