"""Loads the learner's files from text that came over the wire: the worker opens no file of theirs."""

from __future__ import annotations

import base64
import importlib.abc
import importlib.machinery
import io
import linecache
import marshal
import sys
import types
from collections.abc import Sequence
from typing import Any

from grader.worker.guard import ForbiddenImport
from grader.worker.readymade import HIDDEN, LIBRARIES

__all__ = ["REFERENCE", "Printed", "SourceFinder"]

MAX_PRINTED = 16_000
REFERENCE = "reference/"  # what stands in for a learner's file has this before its name, and comes compiled
# what `readymade.HIDDEN` lists as files and as folders, as modules and packages
READY_MADE = frozenset(
    "torch." + entry.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for entry in HIDDEN
)
PACKAGES = tuple("torch." + entry.replace("/", ".") + "." for entry in HIDDEN if not entry.endswith(".py"))


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the learner's modules by plain name, and refuses what holds the exercise ready made;
    everything else is left to Python."""

    def __init__(self, sources: dict[str, tuple[str, str]]) -> None:
        self.sources = {
            name: source
            for name, source in sources.items()
            if name not in sys.modules and name not in sys.stdlib_module_names
        }
        self.files = {filename for filename, _ in self.sources.values()}
        for filename, text in self.sources.values():
            if filename.startswith(REFERENCE):
                continue
            linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)

    def file_of(self, name: str) -> str:
        """The file name of a module."""
        return self.sources[name][0] if name in self.sources else name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self.sources:
            if _holds_ready_made(name, path):
                raise ForbiddenImport(f"{name} holds what this exercise asks you to write")
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.sources[name][0])

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        filename, text = self.sources[module.__name__]
        module.__file__ = filename
        if filename.startswith(REFERENCE):
            code = marshal.loads(base64.b64decode(text))
        else:
            code = compile(text, filename, "exec", dont_inherit=True)
        exec(code, module.__dict__)


def _holds_ready_made(name: str, path: Sequence[str] | None) -> bool:
    if name in LIBRARIES:  # where it is installed: that it is not is for Python to say
        return importlib.machinery.PathFinder.find_spec(name, path) is not None
    return name.startswith("torch.") and (name in READY_MADE or name.startswith(PACKAGES))


class Printed(io.TextIOBase):
    """Stands in for stdout and stderr: keeps the first characters of each call and counts the rest."""

    def __init__(self, limit: int = MAX_PRINTED) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.length = 0

    def writable(self) -> bool:
        return True

    def write(self, text: Any) -> int:
        words = str(text)
        room = self.limit - self.length
        if room > 0:
            self.parts.append(words[:room])
        self.length += len(words)
        return len(words)

    def so_far(self) -> tuple[int, int]:
        """How much has been said, for `back_to`."""
        return len(self.parts), self.length

    def back_to(self, place: tuple[int, int]) -> None:
        """Forgets what has been said since."""
        del self.parts[place[0] :]
        self.length = place[1]

    def take(self) -> str:
        text = "".join(self.parts)
        if self.length > self.limit:
            text += f"\n[... {self.length - self.limit} more characters]"
        self.parts, self.length = [], 0
        return text
