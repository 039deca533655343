"""Shared by all tests of the kit: one warm zygote for the session, and a way to grade one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Grader

collect_ignore_glob = ["submissions/*"]
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """Grades files on one warm launcher."""
    with Grader() as found:
        yield found
