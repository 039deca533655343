"""The table of `grade precision` as JSON, for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from grader.precision.records import Cell, Precision
from grader.reports.cleaning import clean

__all__ = ["precision_as_json"]

SCHEMA = 1


def precision_as_json(found: Sequence[Precision], language: str) -> str:
    """Every exercise with its rows; numbers are null where there is none."""
    body = {"schema": SCHEMA, "exercises": [_exercise(p, language) for p in found]}
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2)


def _exercise(one: Precision, language: str) -> dict[str, Any]:
    return {
        "id": one.id,
        "right": one.right,
        "note": None if one.note is None else clean(one.note.in_(language)),
        "rows": [
            {
                "target": row.target,
                "title": clean(row.title.in_(language)),
                "cells": {cell.column: _cell(cell, language) for cell in row.cells},
            }
            for row in one.rows
        ],
    }


def _cell(cell: Cell, language: str) -> dict[str, Any]:
    return {
        "state": cell.state,
        "units": cell.units,
        "allowed": cell.allowed,
        "note": None if cell.note is None else clean(cell.note.in_(language)),
        "file": None if cell.file is None else clean(cell.file),
        "line": cell.line,
    }
