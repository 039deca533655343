"""What each layer stops by itself: the table of SECURITY.md, cell by cell, tried out.

A worker is started with some layers left out, as root and as an ordinary user, and tries everything
that `tests.wall.attempts` knows.  A cell that cannot be tried here says so in the table.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys

import pytest

from grader.worker.landlock import abi
from tests.support import ROOT
from tests.wall.attempts import ATTEMPTS

OPEN, SHUT, ROOT_ONLY, USER_ONLY = "open", "stopped", "root only", "user only"
TABLE = ROOT / "SECURITY.md"
LIMITS_ONLY = "namespaces,privileges,landlock,seccomp"
# the columns of the table that can be tried on this system, and what is left out for them
COLUMNS = {
    "Linux with Landlock": "",
    "Linux without Landlock": "landlock",
    "without seccomp": "seccomp",
    "with neither": "landlock,seccomp",
    "limits only": LIMITS_ONLY,
}
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="layers of Linux")
pytestmark = [needs_linux, pytest.mark.skipif(abi() < 6, reason="this kernel's Landlock does not do it all")]


@functools.cache
def tried(without: str, user: str) -> tuple[frozenset[str], frozenset[str]]:
    """The layers that hold, and the attempts that succeeded."""
    command = [sys.executable, "-m", "tests.wall.attempts", "fork", without]
    if user == "ordinary" and os.geteuid() == 0:
        command = [
            sys.executable,
            str(ROOT / "tests" / "wall" / "ordinary.py"),
            sys.executable,
            "-B",
            *command[1:],
        ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    if "no view of our own" in done.stderr or "mounting" in done.stderr:
        pytest.skip("this system lets nobody make a user without rights")
    assert done.returncode == 0, done.stderr[-2000:]
    layers, found = json.loads(done.stdout)
    return frozenset(layers), frozenset(name for name, succeeded in found.items() if succeeded)


def table() -> dict[str, dict[str, str]]:
    """What SECURITY.md says: attempt to column to word."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    start = next(n for n, line in enumerate(lines) if "Linux with Landlock" in line)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    head, body = rows[0], rows[2:]
    found = {}
    for row in body:
        name = re.search(r"`(\w+)`", row[0])
        if name is None:
            break
        found[name[1]] = {column: cell.rstrip("¹²³⁴") for column, cell in zip(head[1:], row[1:])}
    return found


SAID = table() if TABLE.exists() else {}


def users() -> list[str]:
    return ["root", "ordinary"] if hasattr(os, "geteuid") and os.geteuid() == 0 else ["ordinary"]


@pytest.mark.parametrize("user", ["root", "ordinary"])
@pytest.mark.parametrize(
    "column",
    [
        pytest.param(
            c, marks=[] if c in ("Linux with Landlock", "Linux without Landlock") else pytest.mark.slow
        )
        for c in COLUMNS
    ],
)
def test_the_table_says_what_happens(column: str, user: str) -> None:
    if user not in users():
        pytest.skip("we are not root")
    _, succeeded = tried(COLUMNS[column], user)
    for attempt in ATTEMPTS:
        said = SAID[attempt][column]
        assert said in (OPEN, SHUT, ROOT_ONLY, USER_ONLY)
        if said in (SHUT, ROOT_ONLY if user == "root" else USER_ONLY):
            assert attempt not in succeeded, f"{attempt} is not stopped"


@pytest.mark.slow
@pytest.mark.parametrize("user", ["root", "ordinary"])
def test_the_attempts_are_real(user: str) -> None:
    """With limits only, most of them succeed: it is the layers that stop them, not a mistake of ours."""
    if user not in users():
        pytest.skip("we are not root")
    layers, succeeded = tried(LIMITS_ONLY, user)
    assert layers == {"limits"}
    stopped_by_limits = {"huge_memory", "huge_file"}
    needs_root = {"root", "memory_of", "environment_of"}
    may_differ = {"trace", "queue", "namespace"}  # by settings of the system
    expected = set(ATTEMPTS) - stopped_by_limits - may_differ - (needs_root if user == "ordinary" else set())
    assert expected <= succeeded


def test_every_attempt_has_a_row() -> None:
    assert set(SAID) == set(ATTEMPTS)
