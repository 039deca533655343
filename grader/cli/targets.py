"""What `grade run` was asked to grade: exercises by name, a file, several files, or a folder."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.submission.source import Submission

__all__ = ["Targets", "find_exercises", "find_targets", "not_there", "one_exercise"]

KINDS = (".py", ".ipynb")


@dataclass(frozen=True)
class Targets:
    """path: the folder or file to read; only: the exercises asked for, none meaning all."""

    path: Path
    only: tuple[str, ...]


def find_targets(words: Sequence[str], path: Path | None, names: Sequence[str]) -> Targets:
    """Sorts the words of the command line into exercises and places.

    Raises `UsageError` for a word that is neither, and for places that do not belong together.
    """
    only: list[str] = []
    places: list[Path] = []
    for word in words:
        if word in names:
            only.append(word)
        elif path is not None and word.endswith(KINDS) and Path(word).stem in names:
            only.append(Path(word).stem)
        elif _exists(Path(word)) or word.endswith(KINDS) or "/" in word or "\\" in word:
            places.append(Path(word))
        else:
            raise _unknown(word, names)
    if path is not None and places:
        raise UsageError(
            Text(
                f"two places to read: {path} and {places[0]}; give one of them",
                f"给出了两个位置：{path} 和 {places[0]}；请只给一个",
            )
        )
    if len(places) > 1:
        return _several(places, only, names)
    return Targets(places[0] if places else path or Path("."), tuple(dict.fromkeys(only)))


def one_exercise(targets: Targets) -> tuple[Submission, str]:
    """The submission, and the only exercise that is asked for.  Raises `UsageError` where it is not one."""
    from grader.submission.source import read_submission

    submission = read_submission(targets.path, targets.only)
    there = submission.chosen
    chosen = [name for name in there if not targets.only or name in targets.only]
    if len(chosen) == 1:
        return submission, chosen[0]
    if targets.only and not chosen:
        raise not_there(targets, there)
    listed = ", ".join(chosen)
    raise UsageError(
        Text(
            f"one exercise at a time, please: which of {listed}?",
            f"一次只看一个练习：是 {listed} 中的哪一个？",
        )
    )


def not_there(targets: Targets, there: Sequence[str]) -> UsageError:
    """What is said where none of the exercises that are asked for was handed in."""
    held, wanted = ", ".join(there), ", ".join(targets.only)
    return UsageError(
        Text(
            f"{targets.path} holds the exercise {held}, not {wanted}",
            f"{targets.path} 中是练习 {held}，而不是 {wanted}",
        )
    )


def find_exercises(words: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The exercises of the command line in their order; all of them where it names none."""
    for word in words:
        if word not in names:
            raise _unknown(word, names)
    return tuple(name for name in names if name in words or not words)


def _several(places: Sequence[Path], only: Sequence[str], names: Sequence[str]) -> Targets:
    """Exercise files of one folder, as a shell makes of ``*.py``."""
    folders = {p.parent for p in places}
    if len(folders) == 1 and all(p.suffix in KINDS for p in places):
        # other files beside the exercises are helpers: read with the folder, not graded
        chosen = [*only, *(name for p in places for name in _held(p, names))]
        if chosen:
            return Targets(folders.pop(), tuple(dict.fromkeys(chosen)))
    listed = ", ".join(str(p) for p in places[:3])
    raise UsageError(
        Text(
            f"{listed} do not belong to one submission: give one folder, or files of one folder",
            f"{listed} 不属于同一份提交：请给出一个文件夹，或同一文件夹中的文件",
        )
    )


def _held(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The exercises of a file: by its name, or by what a notebook holds."""
    if path.stem in names:
        return (path.stem,)
    if path.suffix != ".ipynb" or not _exists(path):
        return ()
    from grader.submission.notebooks import modules_of

    return tuple(modules_of(path).files)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, a folder that may not be entered
        return False


def _unknown(word: str, names: Sequence[str]) -> UsageError:
    close = difflib.get_close_matches(word.lower().replace("-", "_"), names, 1, 0.5)
    if close:
        return UsageError(
            Text(
                f"there is no exercise or file {word!r}; did you mean {close[0]}?",
                f"没有名为 {word!r} 的练习或文件；你是否想用 {close[0]}？",
            )
        )
    listed = ", ".join(names)
    return UsageError(
        Text(
            f"there is no exercise or file {word!r}; the exercises are {listed}",
            f"没有名为 {word!r} 的练习或文件；练习有 {listed}",
        )
    )
