"""What is kept from one submission to the next is the kit's own, complete in its name, and bounded."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.diagnosis.model import Probe
from grader.exercises.registry import load_room, module_names
from grader.marking import memo as memos
from grader.marking.memo import Memo, digest, memo_of
from grader.marking.session import Session
from grader.submission.asking import Callback, Device, ask_call
from grader.submission.source import read_submission
from grader.text import Text
from tests.support import ROOT


def probe(*args: Any, **more: Any) -> Probe:
    return Probe("n", "f", Text.same("words"), args=args, **more)


def x() -> torch.Tensor:
    return torch.arange(6.0).reshape(2, 3)


def test_the_same_content_has_the_same_digest() -> None:
    def make() -> Probe:
        return probe(x(), 1, kwargs={"mask": x() > 1, "f": Callback("scale", {"factor": 2.0})}, grad=True)

    assert digest(make()) == digest(make()) is not None


def test_the_words_do_not_count() -> None:
    assert digest(probe(x())) == digest(probe(x()).but(title=Text.same("other words")))


@pytest.mark.parametrize(
    "other",
    [
        probe(x() + 1),
        probe(x().double()),
        probe(x().reshape(3, 2)),
        probe(x().bfloat16()),
        probe(x().bfloat16().view(torch.int16)),
        probe(x().t().contiguous().t()),
        probe(torch.arange(8.0)[:6].reshape(2, 3), x()),
        probe(torch.arange(12.0)[::2].reshape(2, 3)),
        probe(x(), None),
        probe(x(), 0),
        probe(x(), 0.0),
        probe(x(), False),
        probe(x(), "0"),
        probe(x(), Device("cpu")),
        probe([x()]),
        probe((x(),)),
        probe(x(), kwargs={"mask": None}),
        probe(x(), grad=True),
        probe(x(), init={}),
        probe(x(), init={"d": 2}),
        probe(x(), state={"w": x()}),
        probe(x(), train=True),
        probe(x(), dtype="float64"),
        probe(x(), Callback("scale", {"factor": 2.0})),
        probe(x(), Callback("scale", {"factor": 3.0})),
        probe(x(), Callback("scale", {"factor": 2.0}, as_module=True)),
    ],
)
def test_anything_else_makes_another_digest(other: Probe) -> None:
    assert digest(other) is not None
    assert digest(other) != digest(probe(x()))


def test_one_tensor_given_twice_is_not_two_that_are_equal() -> None:
    one = x()
    assert digest(probe(one, one)) == digest(probe(one, one))
    assert digest(probe(one, one)) != digest(probe(one, one.clone()))
    assert digest(probe(one, x(), one)) != digest(probe(one, x(), x()))


def test_what_lies_between_the_numbers_of_a_view_counts() -> None:
    whole = torch.arange(6.0)
    before = digest(probe(whole[::2]))
    whole[1] = 9.0
    assert digest(probe(whole[::2])) != before


def test_no_digest_of_what_is_not_known() -> None:
    assert digest(probe(x(), object())) is None
    assert digest(probe(x().requires_grad_())) is None


def test_every_probe_of_every_room_has_a_digest_of_its_own() -> None:
    for name in module_names():
        found = [digest(p) for p in load_room(name).probes]
        assert None not in found
        assert len(set(found)) == len(found)


def test_a_full_memo_forgets_the_oldest() -> None:
    made: list[int] = []

    def ask(number: int) -> None:
        one = probe(torch.full((100,), float(number)))

        def make() -> Any:
            made.append(number)
            return ask_call("m", "f", one.args or (), {}, {})

        memo.asked(one, (), make)

    memo = Memo(most=10_000)
    for number in (1, 2, 1, 3, 4, 5, 1, 2):
        ask(number)
    assert made == [1, 2, 3, 4, 5, 1, 2]


def test_there_is_none_for_a_single_submission() -> None:
    assert memo_of("no exercise of ours") is None
    assert memo_of("no exercise of ours") is memo_of("no exercise of ours") is not None


def test_what_is_kept_is_what_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same requests and the same results with a memo as without one."""
    submission = read_submission(ROOT / "solutions", ("attention",))
    with Session() as session:
        for _ in range(2):  # from the second on, there is one
            session.grade(submission, only=("attention",))
        kept = memo_of("attention")
        assert kept is not None
        size = len(kept._kept)
        assert size > 50
        again = session.grade(submission, only=("attention",))
        assert len(kept._kept) == size
        monkeypatch.setattr(memos, "digest", lambda probe: None)
        kept._last = None
        without = session.grade(submission, only=("attention",))
    assert again.exercises[0].checks == without.exercises[0].checks
    assert again.exercises[0].passed
