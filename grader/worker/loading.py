"""Loads the learner's files from text that came over the wire: the worker opens no file of theirs."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import io
import linecache
import sys
import types
from collections.abc import Sequence
from typing import Any

__all__ = ["Printed", "SourceFinder"]

MAX_PRINTED = 16_000


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the learner's modules by plain name; everything else is left to Python."""

    def __init__(self, sources: dict[str, tuple[str, str]]) -> None:
        self.sources = {
            name: source
            for name, source in sources.items()
            if name not in sys.modules and name not in sys.stdlib_module_names
        }
        self.files = {filename for filename, _ in self.sources.values()}
        for filename, text in self.sources.values():
            linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)

    def file_of(self, name: str) -> str:
        """The file name of a module."""
        return self.sources[name][0] if name in self.sources else name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name not in self.sources:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.sources[name][0])

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        filename, text = self.sources[module.__name__]
        module.__file__ = filename
        code = compile(text, filename, "exec", dont_inherit=True)
        exec(code, module.__dict__)


class Printed(io.TextIOBase):
    """Stands in for stdout and stderr: keeps the first 16,000 characters and counts the rest."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0

    def writable(self) -> bool:
        return True

    def write(self, text: Any) -> int:
        words = str(text)
        room = MAX_PRINTED - self.length
        if room > 0:
            self.parts.append(words[:room])
        self.length += len(words)
        return len(words)

    def take(self) -> str:
        text = "".join(self.parts)
        if self.length > MAX_PRINTED:
            text += f"\n[... {self.length - MAX_PRINTED} more characters]"
        self.parts, self.length = [], 0
        return text
