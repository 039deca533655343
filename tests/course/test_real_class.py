"""A class that is really graded: killed three times, it has the same marks as without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.interrupted import grade_class
from benchmarks.simulated_class import make_class

EXERCISES = ("masks", "layer_norm")
KINDS = {"right": 30, "wrong": 45, "unfinished": 10, "broken": 15}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks"),
]


def test_killed_three_times_it_has_the_same_marks(tmp_path: Path) -> None:
    folder, rules = tmp_path / "class", tmp_path / "course.toml"
    rules.write_text(f"exercises = {list(EXERCISES)}\n", encoding="utf-8")
    made = make_class(folder, 40, seed=8, exercises=EXERCISES, kinds=KINDS)
    more = ["--course", str(rules), "--jobs", "2"]
    once = grade_class(folder, tmp_path / "once", more=more)
    killed = grade_class(folder, tmp_path / "killed", kills=(6, 15, 25), more=more)
    assert [r["student"] for r in killed] == list(made)
    assert killed == once
    by_kind = {kind: [r for r in once if made[r["student"]] == kind] for kind in KINDS}
    assert all(by_kind.values())
    assert all(r["final"] == r["max"] for r in by_kind["right"])
    assert all(float(r["final"]) < float(r["max"]) for r in by_kind["wrong"] + by_kind["broken"])
