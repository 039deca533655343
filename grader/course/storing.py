"""A `Graded`, and the result of one exercise, as bytes and back: compressed JSON with both languages, so
that any page can be written from it later, in any language, on any machine."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
import zlib
from collections.abc import Mapping
from typing import Any

from grader.course.records import Graded
from grader.marking.records import ExerciseResult

__all__ = ["graded_from_bytes", "graded_to_bytes", "result_from_bytes", "result_to_bytes"]


def graded_to_bytes(graded: Graded) -> bytes:
    """The bytes of a result."""
    return _to_bytes(graded)


def graded_from_bytes(data: bytes) -> Graded:
    """The result.  Raises `ValueError` for bytes that are none, or that another version has written."""
    found: Graded = _from_bytes(Graded, data)
    return found


def result_to_bytes(result: ExerciseResult) -> bytes:
    """The bytes of what one exercise gave."""
    return _to_bytes(result)


def result_from_bytes(data: bytes) -> ExerciseResult:
    """What it gave.  Raises `ValueError` as `graded_from_bytes` does."""
    found: ExerciseResult = _from_bytes(ExerciseResult, data)
    return found


def _to_bytes(record: Any) -> bytes:
    return zlib.compress(json.dumps(dataclasses.asdict(record)).encode("ascii"), 6)


def _from_bytes(kind: type, data: bytes) -> Any:
    try:
        return _build(kind, json.loads(zlib.decompress(data)))
    except (zlib.error, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no stored result: {error!r}") from error


def _build(kind: Any, value: Any) -> Any:
    """A value of the annotated kind out of plain lists and dictionaries."""
    if value is None:
        return None
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _build(next(a for a in arguments if a is not type(None)), value)
    if origin is tuple:
        if arguments[1:] == (...,):
            return tuple(_build(arguments[0], part) for part in value)
        return tuple(_build(one, part) for one, part in zip(arguments, value))
    if origin in (dict, Mapping):
        return {key: _build(arguments[1], part) for key, part in value.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _build(hints[name], part) for name, part in value.items()})
    return value


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
