"""From recorded operations to lines: what each computed, how often it ran, and whose code did the work."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from grader.submission.files import SourceFile
from grader.submission.observation import Event
from grader.tracing.naming import name_shape
from grader.tracing.records import TracedLine, TracedValue
from grader.worker.wire import dtype_name

__all__ = ["shown_lines", "traced_lines", "value_of"]

MOST_LINES = 400
MOST_STEPS = 12
MOST_VALUES = 3


def value_of(value: Tensor, sizes: Mapping[str, int], event: Event | None = None) -> TracedValue:
    """A tensor in a few numbers; `event`: the operation that gave it, which knows how it lay in memory."""
    strides = event.strides if event is not None and event.strides else tuple(value.stride())
    shape = tuple(value.shape)
    finite, nans, infs = value, 0, 0
    if value.is_floating_point():
        nans, infs = int(value.isnan().sum()), int(value.isinf().sum())
        finite = value[value.isfinite()]
    numbers = finite.double() if finite.numel() else None
    return TracedValue(
        shape,
        name_shape(shape, sizes),
        dtype_name(value.dtype),
        strides,
        _in_one_piece(shape, strides),
        None if numbers is None else float(numbers.min()),
        None if numbers is None else float(numbers.max()),
        nans,
        infs,
        int(value.sum()) if value.dtype is torch.bool else None,
        value.numel(),
        "" if event is None else event.op.strip("_"),
    )


def _in_one_piece(shape: Sequence[int], strides: Sequence[int]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 0:
            return True
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def traced_lines(file: SourceFile, events: Sequence[Event], sizes: Mapping[str, int]) -> list[TracedLine]:
    """The lines on which something was computed, in the order of the file."""
    by_line: dict[int, list[Event]] = {}
    for event in events:
        if event.file == file.name and event.operands is None:
            for line in dict.fromkeys((*event.path, event.line)):  # what it calls belongs to a line as well
                by_line.setdefault(line, []).append(event)
    texts = file.text.split("\n")
    return [_line(file, n, texts, by_line[n], sizes) for n in sorted(by_line) if 0 < n <= len(texts)]


def _line(
    file: SourceFile, number: int, texts: Sequence[str], events: Sequence[Event], sizes: Mapping[str, int]
) -> TracedLine:
    def place(event: Event) -> tuple[object, ...]:
        """What is the same each time that the line runs."""
        inner = event.path[event.path.index(number) :] if number in event.path else ()
        return event.function, inner, event.site, event.op

    final = [e for e in events if place(e) == place(events[-1])]
    times = sum(e.part == final[-1].part for e in final)
    steps: dict[tuple[object, ...], list[Event]] = {}
    for event in events:
        if event.line == number and not event.through:
            steps.setdefault((*place(event), event.part), []).append(event)
    values = [value for group in steps.values() for value in _together(group, sizes)]
    parts = [[e for e in final if e.part == part] for part in dict.fromkeys(e.part for e in final)]
    last = [value for group in parts for value in _together(group, sizes)]
    elsewhere = [e for e in events if e.through and e.line == number]
    return TracedLine(
        file.name,
        number,
        texts[number - 1],
        tuple(last)[-MOST_VALUES:],
        times,
        steps=tuple(values[-MOST_STEPS:]) if len(values) > 1 else (),
        through=tuple(dict.fromkeys(e.through for e in elsewhere)),
        operations=len(elsewhere),
    )


def _together(events: Sequence[Event], sizes: Mapping[str, int]) -> Iterator[TracedValue]:
    """The values of one operation, turn after turn: those of the same shape and layout as one."""
    alike: dict[tuple[object, ...], TracedValue] = {}
    for event in events:
        if event.value is None:
            continue
        new = value_of(event.value, sizes, event)
        key = (new.shape, new.dtype, new.strides)
        old = alike.pop(key, None)
        alike[key] = new if old is None else _both(old, new)
    yield from alike.values()


def _both(a: TracedValue, b: TracedValue) -> TracedValue:
    lows = [v for v in (a.low, b.low) if v is not None]
    highs = [v for v in (a.high, b.high) if v is not None]
    return replace(
        b,
        low=min(lows, default=None),
        high=max(highs, default=None),
        nans=a.nans + b.nans,
        infs=a.infs + b.infs,
        trues=None if a.trues is None or b.trues is None else a.trues + b.trues,
        numel=a.numel + b.numel,
    )


# -- the source -------------------------------------------------------------------------------------


def shown_lines(
    file: SourceFile, traced: Sequence[TracedLine], more: Sequence[int], target: str
) -> tuple[TracedLine, ...]:
    """The source of the definitions that ran (or hold one of the lines in `more`), each line with what was
    traced of it; without the docstrings, blank lines and imports in between."""
    table = {line.line: line for line in traced}
    texts = file.text.split("\n")
    wanted = {*table, *more}
    chosen: set[int] = set()
    for node, outer in _definitions(file.tree):
        inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        named = node.name == target and isinstance(node, ast.FunctionDef)
        if named or wanted.intersection(inside):
            chosen.update(inside)
            chosen.difference_update(_docstring(node))
            if outer is not None:
                chosen.add(outer.lineno)
    chosen |= {n for n in wanted if 0 < n <= len(texts)}
    numbers = [n for n in sorted(chosen) if texts[n - 1].strip() or n in table][:MOST_LINES]
    return tuple(table.get(n) or TracedLine(file.name, n, texts[n - 1]) for n in numbers)


def _definitions(tree: ast.Module | None) -> Iterator[tuple[ast.FunctionDef, ast.ClassDef | None]]:
    """The functions of the file and the methods of its classes, with their class."""
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef):
            yield node, None
        elif isinstance(node, ast.ClassDef):
            yield from ((n, node) for n in node.body if isinstance(n, ast.FunctionDef))


def _docstring(node: ast.FunctionDef) -> range:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
        return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)
