"""Notebooks for the tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support import ROOT

SOLUTION = {p.stem: p.read_text(encoding="utf-8") for p in (ROOT / "solutions").glob("*.py")}
WRONG = SOLUTION["attention"].replace("/ math.sqrt", "* math.sqrt")
ATTEND = "scaled_dot_product_attention"


def code(source: str | list[str], *tags: str) -> dict[str, Any]:
    metadata = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None,
    }  # fmt: skip


def notebook(*cells: str | dict[str, Any], **more: Any) -> str:
    """The text of a notebook with these code cells."""
    made = [c if isinstance(c, dict) else code(c) for c in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def saved(path: Path, *cells: str | dict[str, Any]) -> Path:
    path.write_text(notebook(*cells), encoding="utf-8")
    return path


def without_imports(source: str, names: Sequence[str] = tuple(SOLUTION)) -> str:
    """A solution as it stands in a notebook that holds the earlier ones, too."""
    starts = tuple(f"from {name} import" for name in names)
    return "\n".join(line for line in source.split("\n") if not line.startswith(starts))
