"""Stored texts."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.support import ROOT


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compares with ``tests/snapshots/notebook/NAME.txt``; ``GRADE_UPDATE_SNAPSHOTS=1`` rewrites it."""

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "snapshots" / "notebook" / f"{name}.txt"
        if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return compare
