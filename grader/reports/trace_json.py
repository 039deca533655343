"""A trace as JSON, for other programs."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Mapping
from typing import Any

from grader.reports.cleaning import clean
from grader.text import Text
from grader.tracing.records import Trace

__all__ = ["trace_as_json"]

SCHEMA = 1


def trace_as_json(trace: Trace, language: str) -> str:
    """The trace with its texts in one language."""
    body = {"schema": SCHEMA, **_plain(trace, language)}
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)


def _plain(value: Any, language: str) -> Any:
    if isinstance(value, Text):
        return clean(value.in_(language))
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name), language) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(v, language) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, language) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return clean(value) if isinstance(value, str) else value
