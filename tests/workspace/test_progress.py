"""What the events come to: attempts, time, and the mistakes that came back."""

from __future__ import annotations

import pytest

from grader.exercises.registry import module_names
from grader.exercises.texts import fault_texts
from grader.workspace.misconceptions import misconception_of, misconceptions
from grader.workspace.place import Event
from grader.workspace.progress import PAUSE, Progress, met_before, progress_of
from grader.workspace.runs import run_of
from tests.workspace.support import hint, run

EXERCISES = ("attention", "masks", "encoder")
DAY = 86400.0


def progress(*events: Event) -> Progress:
    return progress_of(events, EXERCISES)


def test_nothing_happened() -> None:
    found = progress(Event("init", 1.0, {}))
    assert [s.status for s in found.standings] == [None, None, None]
    assert (found.passed, found.mistakes) == (0, ())


def test_an_attempt_is_another_text_with_something_in_it() -> None:
    found = progress(
        run(1, "attention", "incomplete", "not-implemented", source="skeleton"),
        run(2, "attention", "failed", "missing-scale", source="a"),
        run(3, "attention", "failed", "missing-scale", source="a"),
        run(4, "attention", "passed", source="b"),
        run(5, "attention", "failed", "mask-inverted", source="c"),
    )
    standing = found.standings[0]
    assert (standing.attempts, standing.status, standing.passed_at) == (3, "failed", 4)
    assert found.passed == 0


def test_time_counts_for_what_changed_and_pauses_do_not() -> None:
    both = [run(160.0, "attention", "failed", source="a"), run(160.0, "masks", "failed", source="m")]
    found = progress(
        Event("init", 100.0, {}),
        *both,  # 60 s for both
        run(260.0, "attention", "failed", source="a"),
        run(260.0, "masks", "failed", source="m2"),  # 100 s for masks
        hint(300.0, "masks", "x", 1),  # 40 s for masks
        run(300.0 + PAUSE + 1, "masks", "failed", source="m3"),  # a pause
        run(200.0, "masks", "failed", source="m4"),  # a clock that was set back
    )
    assert [s.seconds for s in found.standings] == [30.0, 170.0, 0.0]
    assert [s.hints for s in found.standings] == [0, 1, 0]


def test_one_misconception_in_two_exercises_came_back() -> None:
    found = progress(
        run(0, "attention", "failed", "mask-inverted", "missing-scale", source="a"),
        run(60, "attention", "passed", source="b"),
        run(7 * DAY, "masks", "failed", "padding-mask-inverted", source="m"),
    )
    back, scale = found.mistakes
    assert (back.id, back.back, back.open) == ("mask-read-the-wrong-way-round", ("masks",), True)
    assert [(s.fault, s.exercise, s.attempts, s.open) for s in back.seen] == [
        ("mask-inverted", "attention", 1, False),
        ("padding-mask-inverted", "masks", 1, True),
    ]
    assert (scale.id, scale.back, scale.open) == ("missing-scale", (), False)
    seen = [s for m in found.mistakes for s in m.seen]
    met = met_before(seen, "causal-mask-inverted", "masks", 8 * DAY)
    assert met is not None
    assert met.exercise == "attention"
    assert met_before(seen, "missing-scale", "attention", 8 * DAY) is None


def test_the_same_run_of_two_exercises_is_no_return() -> None:
    found = progress(
        run(5, "attention", "failed", "output-detached"), run(5, "masks", "failed", "output-detached")
    )
    assert found.mistakes[0].back == ()
    assert len(found.mistakes[0].seen) == 2


def test_what_is_not_written_or_not_known_is_no_mistake() -> None:
    found = progress(
        run(1, "masks", "incomplete", "not-implemented"),
        run(2, "masks", "error", "syntax-error"),
        run(3, "masks", "failed", "mask-inverted", confidence="unrecognised"),
    )
    assert found.mistakes == ()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"exercise": "no-such", "status": "passed"},
        {"exercise": "masks", "status": "wonderful"},
        {"exercise": ["masks"], "status": 3},
    ],
)
def test_runs_that_make_no_sense_are_passed_over(data: dict[str, object]) -> None:
    assert run_of(Event("run", 1.0, data)) is None


def test_a_run_edited_by_hand_is_read_as_far_as_it_goes() -> None:
    found = run_of(
        Event(
            "run",
            1.0,
            {
                "exercise": "masks",
                "status": "failed",
                "score": "many",
                "diagnoses": [
                    3,
                    {"confidence": "sure"},
                    {
                        "confidence": "likely",
                        "faults": [None, {"id": 3}, {"id": "x", "line": "1", "hints": 4}],
                    },
                ],
            },
        )
    )
    assert found is not None
    assert (found.score, len(found.diagnoses)) == (0.0, 1)
    assert [(f.id, f.line, f.hints) for f in found.mistakes()] == [("x", None, ())]


def test_misconceptions_name_faults_that_exist_each_once() -> None:
    known = {fault for name in (*module_names(), "common") for fault in fault_texts(name)}
    listed = [fault for m in misconceptions() for fault in m.faults]
    assert not set(listed) - known
    assert len(set(listed)) == len(listed)
    assert misconception_of("no-such").faults == ("no-such",)
    assert all(m.title is not None and m.title.en and m.title.zh for m in misconceptions())
