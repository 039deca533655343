"""Where the skeletons and the solutions are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from grader.errors import KitError
from grader.text import Text

__all__ = ["skeleton_folder", "solution_folder"]

PACKAGE = Path(__file__).resolve().parent


def skeleton_folder() -> Path:
    """The folder of the skeletons, one ``.py`` per exercise."""
    return _folder("skeletons")


def solution_folder() -> Path:
    """The folder of the reference solutions."""
    return _folder("solutions")


def _folder(name: str) -> Path:
    for place in (PACKAGE / "_data" / name, PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise KitError(
        Text(
            f"the {name} are missing from the installation; install the package again",
            f"安装中缺少 {name}；请重新安装本软件包",
        )
    )
