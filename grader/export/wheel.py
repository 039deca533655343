"""The kit's own wheel, made from what is installed (or from a checkout), without building anything.

A bundle has to bring the very kit that wrote it: the one with the instructor's exercises, which may be in
no registry.  A wheel of pure Python is a zip of the package and a few lines about it (the binary
distribution format of packaging.python.org), so no build backend and no network is needed.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grader
from grader.data import skeleton_folder, solution_folder
from grader.errors import KitError
from grader.export.bundle import zipped
from grader.text import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["NAME", "Wheel", "requirements", "wheel"]

NAME = "transformer-grading-kit"
PACKAGE = Path(grader.__file__).resolve().parent
LEFT_OUT = {"__pycache__", "_data"}
ABOUT = "Wheel-Version: 1.0\nGenerator: grade\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True)
class Wheel:
    """A wheel by its file name."""

    name: str
    data: bytes


@dataclass(frozen=True)
class _About:
    """metadata and entry_points: the texts of the files of these names."""

    metadata: str
    entry_points: str


def wheel() -> Wheel:
    """The kit as a wheel."""
    about = _about()
    base = f"{NAME.replace('-', '_')}-{grader.__version__}"
    files = dict(_package())
    info = f"{base}.dist-info"
    files[f"{info}/METADATA"] = about.metadata.encode()
    files[f"{info}/WHEEL"] = ABOUT.encode()
    files[f"{info}/entry_points.txt"] = about.entry_points.encode()
    files[f"{info}/RECORD"] = _record(files, info).encode()
    return Wheel(f"{base}-py3-none-any.whl", zipped({name: (data, 0o644) for name, data in files.items()}))


def requirements() -> tuple[str, ...]:
    """What the kit needs, as its metadata says, without extras."""
    lines = [line for line in _about().metadata.splitlines() if line.startswith("Requires-Dist: ")]
    return tuple(line.removeprefix("Requires-Dist: ") for line in lines if "extra ==" not in line)


def _package() -> Iterator[tuple[str, bytes]]:
    """Every file of the package, and skeletons and solutions where a wheel has them."""
    for path in sorted(PACKAGE.rglob("*")):
        inside = path.relative_to(PACKAGE)
        if path.is_file() and not LEFT_OUT & set(inside.parts) and not inside.name.startswith("."):
            yield f"grader/{inside.as_posix()}", path.read_bytes()
    for folder, name in ((skeleton_folder(), "skeletons"), (solution_folder(), "solutions")):
        for path in sorted(folder.glob("*.py")):
            yield f"grader/_data/{name}/{path.name}", path.read_bytes()


def _record(files: Mapping[str, bytes], info: str) -> str:
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{info}/RECORD,,"]) + "\n"


def _about() -> _About:
    """From the `pyproject.toml` beside the package in a checkout, which is newer than what was
    installed from it; else from the installation."""
    project = _project(PACKAGE.parent / "pyproject.toml")
    if project is not None:
        return _from_project(project)
    try:
        found = importlib.metadata.distribution(NAME)
        metadata, entry_points = found.read_text("METADATA"), found.read_text("entry_points.txt")
    except importlib.metadata.PackageNotFoundError:
        metadata = entry_points = None
    if metadata is None or entry_points is None:
        raise KitError(
            Text(
                "the kit's own metadata is not there: install the package with pip, then export again",
                "找不到本工具自身的元数据：请用 pip 安装本软件包后再导出",
            )
        )
    return _About(metadata, entry_points)


def _project(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return None
    return found if found.get("name") == NAME else None


def _from_project(project: Mapping[str, Any]) -> _About:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {grader.__version__}",
        f"Summary: {project.get('description', '')}",
        f"Requires-Python: {project.get('requires-python', '>=3.10')}",
        *(f"Requires-Dist: {need}" for need in project.get("dependencies", ())),
    ]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {_with_extra(need, extra)}" for need in needs]
    scripts = "".join(f"{name} = {place}\n" for name, place in project.get("scripts", {}).items())
    return _About("\n".join(lines) + "\n", f"[console_scripts]\n{scripts}")


def _with_extra(need: str, extra: str) -> str:
    name, _, condition = need.partition(";")
    marker = f'({condition.strip()}) and extra == "{extra}"' if condition else f'extra == "{extra}"'
    return f"{name.strip()}; {marker}"
