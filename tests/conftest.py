"""Shared by all tests of the kit: one warm zygote for the session, and a way to grade one file."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Grader

collect_ignore_glob = ["submissions/*"]
ROOT = Path(__file__).resolve().parent.parent


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what runs in its background so
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """Grades files on one warm launcher."""
    with Grader() as found:
        yield found
