"""Zygotes that grader processes share: one that has died is replaced, and each process has its own lane."""

from __future__ import annotations

import sys

import pytest

from grader.course.sessions import LaneSession, Zygotes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks"),
]


def test_lanes_are_shared_and_a_dead_zygote_is_replaced() -> None:
    with Zygotes(5, ("masks",), {"call": 3.0}) as zygotes:
        assert len(zygotes.launchers) == 2
        first, second = zygotes.make(0), zygotes.make(2)
        assert isinstance(first, LaneSession)
        assert isinstance(second, LaneSession)
        with first() as session, second() as other:
            assert session.budget == {"call": 3.0}
            assert session.launcher is not other.launcher
            assert session.launcher.layers() == other.launcher.layers()
        dead = zygotes.launchers[0].process  # type: ignore[attr-defined]
        dead.kill()
        dead.wait()
        again = zygotes.make(4)
        with again() as session:
            assert session.launcher.layers()
        for maker in (first, second, again):
            maker.close()
