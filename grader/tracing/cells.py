"""A trace in terms of cells: what ran is a module that was put together from a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.marking.cells import text_in_cells
from grader.submission.files import SourceFile
from grader.tracing.records import Trace, TracedLine

__all__ = ["trace_in_cells"]


def trace_in_cells(trace: Trace, file: SourceFile, files: Mapping[str, SourceFile]) -> Trace:
    """The trace with ``work.ipynb[cell 3]`` and the line of the cell, wherever it names such a module."""
    named = {f.name: m for m, f in files.items() if f.places is not None}
    if not named:
        return trace
    note = None if trace.note is None else text_in_cells(trace.note, files)
    lines = tuple(_line(line, file, files, named) for line in trace.lines)
    return replace(trace, file=file.place(None)[0] or trace.file, lines=lines, note=note)


def _line(
    line: TracedLine, file: SourceFile, files: Mapping[str, SourceFile], named: Mapping[str, str]
) -> TracedLine:
    name, number = file.place(line.line)
    return replace(
        line,
        file=name or line.file,
        line=number or line.line,
        note=None if line.note is None else text_in_cells(line.note, files),
        through=tuple(named.get(n, n) for n in line.through),
    )
