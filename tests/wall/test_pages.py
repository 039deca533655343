"""Large pages change nothing but the time that a fork takes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader.worker import pages

PROGRAM = """
import hashlib, os
from grader.worker.pages import LARGE, _ranges, enlarge

held = [os.urandom(4 << 20) for _ in range(3)]
before = [hashlib.sha256(part).digest() for part in held]
steps = sum(1 for _ in enlarge())
assert [hashlib.sha256(part).digest() for part in held] == before
pid = os.fork()
if pid == 0:
    os._exit(hashlib.sha256(held[0]).digest() != before[0])
assert os.waitpid(pid, 0)[1] == 0
assert all(start % LARGE == end % LARGE == 0 and start < end for start, end in _ranges())
print("steps", steps)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is nothing to be done elsewhere")
def test_memory_holds_what_it_held() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("steps")


def test_nothing_is_done_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert list(pages.enlarge()) == []
