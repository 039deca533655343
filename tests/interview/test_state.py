"""What the journal says of interviews, and what a post-mortem makes of the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.interview.postmortem import post_mortem
from grader.interview.state import Interview, end, interviews, latest, runs_in, start
from grader.workspace.place import Event, Workspace
from tests.workspace.support import run


def event(time: float, action: str, **data: object) -> Event:
    return Event("interview", time, {"action": action, **data})


BEGAN = event(100.0, "start", exercise="attention", minutes=10)


def test_started_and_ended() -> None:
    assert interviews([BEGAN]) == [Interview("attention", 100.0, 10.0)]
    over = interviews([BEGAN, event(200.0, "end", reason="passed", at=199.5)])
    assert over == [Interview("attention", 100.0, 10.0, 199.5, "passed")]
    assert not over[0].running


def test_a_new_one_ends_the_one_before() -> None:
    found = interviews([BEGAN, event(300.0, "start", exercise="masks", minutes=5)])
    assert [(i.exercise, i.running) for i in found] == [("attention", False), ("masks", True)]


@pytest.mark.parametrize(
    "odd",
    [
        event(1.0, "start", exercise="nothing", minutes=5),
        event(1.0, "start", exercise="masks", minutes=-1),
        event(1.0, "start", exercise="masks", minutes="ten"),
        event(1.0, "end"),
        event(1.0, "sing"),
    ],
)
def test_what_makes_no_sense_is_passed_over(odd: Event) -> None:
    assert interviews([odd]) == []


def test_the_clock() -> None:
    found = interviews([BEGAN])[0]
    assert found.left(100.0) == 600.0
    assert found.left(50.0) == 600.0  # a clock that was set back
    assert found.left(699.0) == 1.0
    assert found.left(900.0) == 0.0
    assert (found.is_over(699.9), found.is_over(700.0)) == (False, True)


def test_it_is_kept_in_the_workspace(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    assert latest(workspace) is None
    begun = start(workspace, "masks", 30)
    assert latest(Workspace(tmp_path)) == begun
    assert begun.running
    end(workspace, begun, "time", begun.started + 9999)
    over = latest(workspace)
    assert over is not None
    assert (over.reason, over.ended) == ("time", pytest.approx(begun.deadline, abs=0.01))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    workspace.journal.path.unlink()
    workspace.journal.path.mkdir()
    with pytest.raises(OSError, match="cannot be written"):
        start(workspace, "masks", 30)


RUNS = [
    run(90.0, "attention", "failed", "mask-ignored"),
    run(130.0, "attention", "failed", "missing-scale", "mask-inverted"),
    run(131.0, "attention", "failed", "missing-scale", "mask-inverted", source="attention130.0"),
    run(200.0, "masks", "failed", "causal-mask-inverted"),
    run(220.0, "attention", "failed", "mask-inverted", "dropout-ignored"),
    run(400.0, "attention", "failed", "dropout-ignored"),
    run(1000.0, "attention", "passed"),
]


def test_the_runs_of_an_interview() -> None:
    found = interviews([BEGAN])[0]
    assert [r.time for r in runs_in(found, RUNS)] == [130.0, 131.0, 220.0, 400.0]
    over = Interview("attention", 100.0, 10.0, 300.0, "ended")
    assert [r.time for r in runs_in(over, RUNS)] == [130.0, 131.0, 220.0]


def test_mistakes_in_the_order_of_fixing() -> None:
    over = Interview("attention", 100.0, 10.0, 500.0, "ended")
    found = post_mortem(over, runs_in(over, RUNS))
    assert (found.seconds, found.first_run, found.runs, found.passed) == (400.0, 30.0, 3, None)
    assert found.pause == 180.0
    assert [(m.fault, m.seen, m.fixed, m.runs) for m in found.mistakes] == [
        ("missing-scale", 30.0, 120.0, 2),
        ("mask-inverted", 30.0, 300.0, 3),
        ("dropout-ignored", 120.0, None, 2),
    ]
    assert [q.id for q in found.questions][:3] == [
        "why-sqrt-d-k",
        "what-without-scale",
        "why-inf-before-softmax",
    ]
    assert (found.status, found.score, found.max_score) == ("failed", 2.5, 20.0)


def test_a_mistake_that_comes_back_is_not_fixed() -> None:
    again = [*RUNS[:3], run(300.0, "attention", "failed"), run(350.0, "attention", "failed", "missing-scale")]
    over = Interview("attention", 100.0, 10.0, 500.0, "ended")
    made = {m.fault: m for m in post_mortem(over, runs_in(over, again)).mistakes}
    assert made["missing-scale"].fixed is None
    assert made["missing-scale"].runs == 3
    assert made["mask-inverted"].fixed == 200.0


def test_nothing_was_run() -> None:
    found = post_mortem(Interview("masks", 100.0, 10.0, 700.0, "time"), [])
    assert (found.runs, found.first_run, found.pause, found.mistakes) == (0, None, 600.0, ())
    assert len(found.questions) == 5
