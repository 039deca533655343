"""The same submission gets the same marks, checks, diagnoses and words: always, on any number of lanes,
under load; and one that leaves its results to chance is told so, in the same words each time."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.marking.lanes import grade_in_lanes
from grader.reports.json_report import report_object
from grader.submission.launcher import default_launcher
from grader.submission.source import read_submission
from tests.support import ROOT, SUBMISSIONS

CHANCE = {
    "the clock": "time.time_ns() % 997 / 1e4",
    "a timer": "(time.perf_counter() * 1e3) % 1.0",
    "a clock by its number": "time.clock_gettime_ns(time.CLOCK_MONOTONIC) % 997 / 1e4",
    "the date": "datetime.datetime.now().microsecond / 1e6",
    "the system's chance": "os.urandom(1)[0] / 256",
    "secrets": "secrets.randbelow(100) / 100",
    "a generator without a seed": "random.Random().random()",
    "numpy without a seed": "float(numpy.random.default_rng().random())",
    "rarely": "float(random.random() > 0.9)",
    "memory that is not filled": "float(torch.empty(1, dtype=torch.float64)) * 1e-300",
}
TEMPLATE = """
import datetime
import math
import os
import random
import secrets
import time

import numpy
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    scores = scores * (1 + {chance})
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
"""


def report_on(folder: Path, only: tuple[str, ...], lanes: int) -> dict[str, Any]:
    """Everything of a report but its seconds, by a grader that is started for it."""
    with default_launcher() as launcher:
        report = grade_in_lanes(read_submission(folder, only), launcher, only=only, lanes=lanes)
    found = [report_object(report, language) for language in ("en", "zh")]
    for part in found:
        for result in part["exercises"]:
            del result["seconds"]
    printed = [e.printed for e in report.exercises]
    words: dict[str, Any] = json.loads(json.dumps({"reports": found, "printed": printed}))
    return words


@contextlib.contextmanager
def load(processes: int = 4) -> Iterator[None]:
    """Others keep the machine busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def same(folder: Path, only: tuple[str, ...], times: int) -> dict[str, Any]:
    first = report_on(folder, only, 1)
    for number in range(1, times):
        assert report_on(folder, only, 1 + number % 2) == first, f"run {number + 1} is another"
    return first


def folder_of_chaffs(place: Path, number: int) -> Path:
    """A submission with one wrong file for each exercise."""
    for exercise in sorted(p.name for p in SUBMISSIONS.iterdir() if (p / "chaffs").is_dir()):
        files = sorted((SUBMISSIONS / exercise / "chaffs").glob("*.py"))
        (place / f"{exercise}.py").write_bytes(files[number * 7 % len(files)].read_bytes())
    return place


def test_right_and_wrong_ones(tmp_path: Path) -> None:
    same(ROOT / "solutions", ("attention", "masks"), 2)
    with load():
        same(folder_of_chaffs(tmp_path, 1), ("attention", "masks"), 2)


@pytest.mark.parametrize("source", ["the clock", "rarely"])
def test_chance_is_named(source: str, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(TEMPLATE.format(chance=CHANCE[source]))
    result = same(tmp_path, ("attention",), 2)["reports"][0]["exercises"][0]
    assert result["status"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("source", CHANCE)
def test_chance_is_always_named(source: str, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text(TEMPLATE.format(chance=CHANCE[source]))
    result = same(tmp_path, ("attention",), 8)["reports"][0]["exercises"][0]
    named = {f["id"] for d in result["diagnoses"] for f in d["faults"]}
    behaves = next(c for c in result["checks"] if c["id"] == "behaves")
    assert behaves["outcome"] == "failed"
    assert named & {"nondeterministic", "uninitialised-memory", "global-state-changed"}


@pytest.mark.slow
def test_fifty_times(tmp_path: Path) -> None:
    everything = tuple(p.stem for p in sorted((ROOT / "solutions").glob("*.py")) if p.stem != "__init__")
    same(ROOT / "solutions", everything, 50)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_fifty_times_under_load(tmp_path: Path, number: int) -> None:
    folder = folder_of_chaffs(tmp_path, number)
    with load():
        same(folder, tuple(sorted(p.stem for p in folder.glob("*.py"))), 10)
