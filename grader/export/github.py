"""A workflow for GitHub Actions (and GitHub Classroom): grades each push, with annotations and a summary.

Whatever runs in a learner's repository can be read by the learner: the workflow, what it installs, the
hidden suites in that too.  So the usual workflow runs the public checks of the student kit.  With the kit
itself, from where the instructor hosts it or put into the repository, it gives the whole report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.errors import UsageError
from grader.exercises.registry import module_names
from grader.export.bundle import Bundle, Item
from grader.export.gradescope import torch_version
from grader.export.leaks import must_hide_everything
from grader.export.student import student_bundle
from grader.export.wheel import wheel
from grader.text import Text

__all__ = ["GithubSettings", "github_bundle"]

PLATFORM = Path(__file__).parent / "platform"
WORKFLOW = ".github/workflows/grade.yml"
BESIDE = ".github/grade"
PUBLIC = "It runs the public checks only: whatever runs here can be read by the learner."
READABLE = (
    "It installs the whole kit: the learner can read what is installed here, the hidden suites and the "
    "solutions too, and can change this file. Do not take marks from it."
)


@dataclass(frozen=True)
class GithubSettings:
    """kit: a requirement for pip where the instructor hosts the kit; vendor: put its wheel beside the
    workflow; with neither the public checks run.  path: the folder of the exercises in the repository."""

    exercises: Sequence[str]
    language: str = "en"
    kit: str | None = None
    vendor: bool = False
    path: str = "."

    @property
    def public(self) -> bool:
        return self.kit is None and not self.vendor


def github_bundle(settings: GithubSettings) -> Bundle:
    """The workflow, and what it runs.  Raises `UsageError` for what has no place in a workflow."""
    path = _folder(settings.path)
    items: dict[str, Item] = {}
    names = (
        "" if tuple(settings.exercises) == module_names() else "".join(f" {n}" for n in settings.exercises)
    )
    if settings.public:
        kit = ""
        install = "python -I -m pip install numpy"
        run = f'python {BESIDE}/check.py{names} --github --lang {settings.language} --path "$FOLDER"'
        for name, item in student_bundle(settings.exercises):
            if name == "check.py" or name.startswith("checks/"):
                items[f"{BESIDE}/{name}"] = item
    else:
        kit = _requirement(settings.kit) if settings.kit is not None else ""
        if settings.vendor:
            found = wheel()
            kit = f"{BESIDE}/{found.name}"
            items[kit] = Item(found.data)
        install = 'python -I -m pip install "$KIT"'
        run = f'grade run{names} --github --lang {settings.language} --path "$FOLDER"'
    values = {
        "@WARNING@": PUBLIC if settings.public else READABLE,
        "@KIT@": json.dumps(kit),
        "@TORCH@": torch_version(),
        "@INSTALL@": install,
        "@PATH@": json.dumps(path),
        "@RUN@": run,
    }
    text = (PLATFORM / "grade.yml").read_text(encoding="utf-8")
    if settings.public:
        text = text.replace("        env:\n          KIT: @KIT@\n", "")
    for sign, value in values.items():
        text = text.replace(sign, value)
    bundle = Bundle({**items, WORKFLOW: Item(text.encode())})
    if settings.public:
        must_hide_everything(bundle)
    return bundle


def _folder(words: str) -> str:
    """A folder inside of the repository."""
    path = PurePosixPath(words.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not _plain(words):
        raise UsageError(
            Text(
                f"--path {words} is no folder inside of the repository",
                f"--path {words} 不是仓库内的文件夹",
            )
        )
    return str(path)


def _requirement(words: str) -> str:
    if not words.strip() or words.startswith("-") or not _plain(words):
        raise UsageError(
            Text(
                f"--kit {words!r} is no requirement: give what `pip install` takes, such as a URL of the "
                "wheel (without a password: the workflow can be read by every learner)",
                f"--kit {words!r} 不是有效的依赖：请给出 `pip install` 能接受的内容，例如 wheel 的网址"
                "（不要包含密码：每个学生都能看到这个工作流）",
            )
        )
    if re.search(r"://[^/@\s]*:[^/@\s]*@", words):
        raise UsageError(
            Text(
                "--kit holds a password, and every learner can read the workflow: host the kit where it "
                "needs none",
                "--kit 中包含密码，而每个学生都能看到这个工作流：请把本工具放在无需密码的地方",
            )
        )
    return words


def _plain(words: str) -> bool:
    """On one line, and without an expression that GitHub would fill in."""
    return words.isprintable() and "${{" not in words
