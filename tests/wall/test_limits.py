"""Limits are the instructor's: per exercise, and for one run; and they are limits of the submission's own
doing, not of how busy the machine is."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import grader.submission.clock as clock_module
from grader.errors import ExerciseError
from grader.exercises import registry
from grader.marking.preparing import _budget as budget_of
from grader.submission.client import Budget, Client
from grader.submission.clock import PATIENCE, Clock
from grader.submission.observation import Outcome
from tests.support import ROOT, Grader

SOURCE = """
import threading
import time


def prints(number):
    print("x" * number)


def starts(number):
    threading.stack_size(1 << 16)
    for _ in range(number):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()


def takes(size):
    return len(bytearray(size))


def sleeps(seconds):
    time.sleep(seconds)


def counts(number):
    total = 0
    for n in range(number):
        total += n
    return total
"""
LOOPS = '''
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """Three loops around every number, and no product of matrices anywhere."""
    lead = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    length, size, width = query.shape[-2], key.shape[-2], query.shape[-1]
    query, key = query.expand(*lead, -1, -1), key.expand(*lead, -1, -1)
    rows = []
    for i in range(length):
        row = []
        for j in range(size):
            total = torch.zeros(lead, dtype=query.dtype)
            for d in range(width):
                total = total + query[..., i, d] * key[..., j, d] / width**0.5
            row.append(total)
        rows.append(torch.stack(row, dim=-1))
    scores = torch.stack(rows, dim=-2)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        keep = (mask != 0).expand(scores.shape)
        lowest = torch.finfo(scores.dtype).min
        weights = torch.softmax(torch.where(keep, scores, lowest), dim=-1)
        weights = torch.where(keep, weights, torch.zeros_like(weights))
    if dropout is not None:
        weights = dropout(weights)
    output = []
    for i in range(length):
        total = torch.zeros(*lead, value.shape[-1], dtype=value.dtype)
        for j in range(size):
            total = total + weights[..., i, j, None] * value[..., j, :]
        output.append(total)
    return torch.stack(output, dim=-2), weights
'''


def client(grader: Grader, **limits: float) -> Client:
    budget = Budget(**{"stops": 99, **limits})  # type: ignore[arg-type]
    return Client(grader.launcher, "attention", {"attention": ("attention.py", SOURCE)}, budget=budget)


def outcome(grader: Grader, name: str, argument: float, **limits: float) -> Outcome:
    asked = client(grader, **limits)
    try:
        return asked.call(name, [argument]).outcome
    finally:
        asked.close()


def test_each_limit_holds(grader: Grader) -> None:
    assert outcome(grader, "takes", 300 << 20, memory=200 << 20) is Outcome.OUT_OF_MEMORY
    assert outcome(grader, "takes", 100 << 20, memory=200 << 20) is Outcome.OK
    assert outcome(grader, "sleeps", 9, call=0.3) is Outcome.TIMED_OUT
    assert outcome(grader, "sleeps", 9, total=0.3) is Outcome.TIMED_OUT


def test_threads_are_limited(grader: Grader) -> None:
    asked = client(grader, processes=8)
    try:
        assert asked.load().ok
        if "processes" not in asked.layers:
            pytest.skip("nothing counts the processes of one worker on this machine")
        assert asked.call("starts", [20]).outcome is Outcome.RAISED
    finally:
        asked.close()


def test_output_is_limited(grader: Grader) -> None:
    asked = client(grader, output=100)
    try:
        for _ in range(3):
            assert asked.call("prints", [90]).ok
        assert sum(map(len, asked.printed)) <= 100
    finally:
        asked.close()


def test_limits_of_an_exercise(tmp_path: Path) -> None:
    text = (ROOT / "grader" / "exercises" / "masks" / "exercise.toml").read_text(encoding="utf-8")
    head = text.partition("[entries]")
    place = tmp_path / "exercise.toml"
    names = {f.name: number for number, f in enumerate(dataclasses.fields(Budget), 3)}
    lines = "\n".join(f"{name} = {number}" for name, number in names.items())
    place.write_text(f"{head[0]}\n[budget]\n{lines}\n[entries]{head[2]}", encoding="utf-8")
    which = registry._read(place)
    assert budget_of(which, {}) == Budget(**names)  # type: ignore[arg-type]
    assert budget_of(which, {"call": 99.0}).call == 99.0, "the command line has the last word"
    assert set(registry.LIMITS) == set(names)


@pytest.mark.parametrize("line", ["cal = 3", "call = 0", "call = -1", 'call = "3"', "call = true"])
def test_limits_that_are_none(tmp_path: Path, line: str) -> None:
    text = (ROOT / "grader" / "exercises" / "masks" / "exercise.toml").read_text(encoding="utf-8")
    head = text.partition("[entries]")
    place = tmp_path / "exercise.toml"
    place.write_text(f"{head[0]}\n[budget]\n{line}\n[entries]{head[2]}", encoding="utf-8")
    with pytest.raises(ExerciseError, match="budget"):
        registry._read(place)


# -- the clock --------------------------------------------------------------------------------------


def test_waiting_for_others_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = [5.0]
    monkeypatch.setattr(clock_module, "kept_waiting", lambda pid: waited[0])
    clock = Clock(1)
    clock.ask(1.0)
    assert clock.waited() == 0.0, "a quick call is not looked at"
    clock.tick()
    waited[0] = 7.0
    assert clock.waited() == 2.0
    waited[0] = 0.0  # the process is gone
    assert clock.waited() == 2.0
    waited[0] = 1000.0
    assert clock.waited() == PATIENCE, "nor is a busy machine a way to go on for ever"
    clock.ask(1.0)
    assert clock.waited() == 0.0


@contextmanager
def busy(processes: int) -> Iterator[None]:
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in load:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
def test_a_busy_machine_stops_nobody(grader: Grader) -> None:
    with busy(8):
        assert outcome(grader, "counts", 12_000_000, call=2.0) is Outcome.OK
        assert outcome(grader, "counts", 10**11, call=1.0) is Outcome.TIMED_OUT
        assert outcome(grader, "sleeps", 30, call=1.0) is Outcome.TIMED_OUT


@pytest.mark.slow
def test_three_loops_pass_on_a_busy_machine(grader: Grader) -> None:
    with busy(4):
        result = grader.text("attention", LOOPS)
    assert result.passed, [c.message for c in result.checks if c.outcome != "passed"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["python_loops", "loop_over_matrices", "loop_over_heads", "key_loop_online"])
def test_slow_and_right_ones_pass_on_a_busy_machine(grader: Grader, name: str) -> None:
    files = sorted((ROOT / "tests" / "submissions").glob(f"*/wheats/{name}.py"))
    assert files
    with busy(4):
        for file in files:
            assert grader.file(file.parents[1].name, file).passed, file
