"""Lessons with stand-in models: what is asked, what comes back, and what a liar gets for lying."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.diagnosis.model import predict
from grader.exercises.registry import load_room
from grader.exercises.training.drawing import AFTER, DECODED, decoding, stepping, toy
from grader.exercises.training.probes import batches, chatty, prompt
from grader.marking.lessons import as_outputs
from grader.submission.asking import Asked, ToyModel, ask_call
from grader.submission.client import Client
from grader.submission.observation import Observation, Outcome
from grader.submission.reply import Parts, parse_reply
from grader.worker.toys import ToyOptimizer, make_model, taught
from grader.worker.wire import Malformed
from tests.support import ROOT, Grader

HONEST = (ROOT / "solutions" / "training.py").read_text(encoding="utf-8")


def client(grader: Grader, text: str) -> Client:
    return Client(grader.launcher, "training", {"training": ("training.py", text)})


def asked(grader: Grader, text: str, name: str, args: tuple[Any, ...]) -> Observation:
    found = client(grader, text)
    try:
        return found.call(name, args)
    finally:
        found.close()


def test_an_honest_lesson_is_what_the_model_says(grader: Grader) -> None:
    room = load_room("training")
    probe = stepping("l", "steps", "几步", toy(1, stale=0.5), batches(1, 3, 2, 4))
    seen = as_outputs(asked(grader, HONEST, "train_step", probe.args or ()), probe)
    right = predict(room.models["train_step"], probe).seen.value
    for found, wanted in zip(seen.value, right):
        if isinstance(wanted, torch.Tensor):
            assert torch.allclose(found, wanted, atol=1e-9)
        else:
            assert found == wanted


FLAGS = """
import gc
import torch
def train_step(model, optimizer, token_ids, targets, max_grad_norm=None):
    model.graphs, model.built, optimizer.steps, optimizer.stepped = [], False, 1, []
    return 0.0
def greedy_decode(model, prompt, max_new_tokens, eos_id=None):
    model.train(True)
    return torch.zeros(prompt.shape[0], prompt.shape[1] + max_new_tokens, dtype=torch.int64)
"""


def test_flags_earn_nothing_without_numbers(grader: Grader) -> None:
    probe = stepping("l", "steps", "几步", toy(1), batches(1, 2, 2, 4))
    seen = as_outputs(asked(grader, FLAGS, "train_step", probe.args or ()), probe)
    right = predict(load_room("training").models["train_step"], probe).seen.value
    assert not torch.allclose(seen.value[0], right[0])
    assert not torch.allclose(seen.value[1], right[1])
    probe = decoding("l", "tokens", "词元", chatty(5), prompt(5, 2, 3), 4)
    seen = as_outputs(asked(grader, FLAGS, "greedy_decode", probe.args or ()), probe)
    assert not torch.equal(
        seen.value[0], predict(load_room("training").models["greedy_decode"], probe).seen.value[0]
    )


@pytest.mark.parametrize(
    "body",
    [
        "del model.embedding; return 0.0",
        "model.embedding = None; return 0.0",
        "model.embedding = torch.nn.Parameter(torch.zeros(1)); return 0.0",
        "model.dropout = None; return 0.0",
        "model.graphs = 3; return 0.0",
        "model.__class__ = object; return 0.0",
        "optimizer.__class__ = torch.optim.SGD; optimizer.step(); return 0.0",
        "return object()",
        "return [model, optimizer]",
        "return model",
        "raise SystemExit",
        "return torch.nn.Parameter(torch.zeros(2))",
    ],
)
def test_a_model_that_was_taken_apart(grader: Grader, body: str) -> None:
    """Whatever was done to the stand-ins: an answer or an exception, of which the checks make no pass."""
    source = f"import torch\ndef train_step(model, optimizer, *rest, **more):\n    {body}\n"
    probe = stepping("l", "steps", "几步", toy(1), batches(1, 2, 2, 4))
    seen = asked(grader, source, "train_step", probe.args or ())
    assert seen.outcome in (Outcome.OK, Outcome.RAISED)
    if seen.ok:
        value = as_outputs(seen, probe).value
        assert len(value) == 1 + len(AFTER)


def reply(value: Any) -> dict[str, Any]:
    return {"id": "x", "outcome": "ok", "value": value}


def tree(**entries: Any) -> dict[str, Any]:
    return {"$": "dict", "v": [[name, value] for name, value in entries.items()]}


RETURNED = {"$": "list", "v": [1.0]}
TENSOR = {"$": "tensor", "n": "0", "grad": False}


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        {"$": "list", "v": []},
        tree(),
        tree(returned=3),
        tree(returned={"$": "list", "v": [0.0] * 65}),
        tree(returned=RETURNED, embedding=TENSOR),
        tree(returned=RETURNED, embedding={"$": "list", "v": [1.0]}),
        tree(returned=RETURNED, graph=1),
        tree(returned=RETURNED, built=None),
        tree(returned=RETURNED, mode=True),
        tree(returned=RETURNED, mode={"$": "list", "v": [True, True, True]}),
        tree(returned=RETURNED, steps=-1),
        tree(returned=RETURNED, steps=True),
        tree(returned=RETURNED, score=100),
    ],
)
def test_lessons_of_another_form_are_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        parse_reply(reply(value), {"0": torch.ones(2)}, "x", Parts.LESSON)


def test_a_lesson_of_the_right_form() -> None:
    value = tree(
        returned=RETURNED,
        embedding={"$": "list", "v": [TENSOR]},
        graph=False,
        mode={"$": "list", "v": [True, False]},
        steps=2,
    )
    seen = parse_reply(reply(value), {"0": torch.ones(2)}, "x", Parts.LESSON)
    assert seen.value["steps"] == 2
    assert seen.value["mode"] == [True, False]


@pytest.mark.parametrize("value", [None, 3, [], {}, {"returned": 3}, {"returned": [1.0]}, {"mode": 1}])
def test_outputs_are_as_many_as_there_should_be(value: Any) -> None:
    probe = stepping("l", "steps", "几步", toy(1), batches(1, 2, 2, 4))
    assert len(as_outputs(Observation(Outcome.OK, value=value), probe).value) == 1 + len(AFTER)
    probe = decoding("l", "tokens", "词元", chatty(5), prompt(5, 2, 3), 4)
    assert len(as_outputs(Observation(Outcome.OK, value=value), probe).value) == 1 + len(DECODED)


def test_what_is_asked_of_the_worker_is_a_closed_set() -> None:
    settings = dict(toy(1).settings)
    model = make_model(settings, True)
    for rounds, looks in ((0, []), (65, []), (1, ["secrets"])):
        with pytest.raises(Malformed):
            taught(lambda m: 0.0, [model], {}, rounds, looks)
    with pytest.raises(Malformed):
        taught(lambda: 0.0, [], {}, 1, [])
    with pytest.raises(Malformed):
        make_model({"embedding": 3}, True)
    request = ask_call("training", "greedy_decode", (ToyModel(settings), torch.zeros(1, 1)), {}, {})
    assert isinstance(request, Asked)
    assert request.parts is Parts.LESSON
    assert ask_call("training", "f", (1,), {}, {}).parts is Parts.ANYTHING


def test_the_optimizer_steps_as_torch_does() -> None:
    """Also with momentum, gradients that are None, and a closure."""
    mine, theirs = (torch.nn.Parameter(torch.tensor([1.0, -2.0])) for _ in range(2))
    idle = torch.nn.Parameter(torch.zeros(1))
    ours = ToyOptimizer([mine, idle], 0.1, 0.9)
    usual = torch.optim.SGD([theirs], lr=0.1, momentum=0.9)
    for _ in range(4):
        for parameter, optimizer in ((mine, ours), (theirs, usual)):

            def closure(parameter: Any = parameter, optimizer: Any = optimizer) -> Any:
                optimizer.zero_grad()
                loss = (parameter**4).sum()
                loss.backward()
                return loss

            optimizer.step(closure)
    assert torch.allclose(mine, theirs)
    assert isinstance(ours, torch.optim.Optimizer)
    assert ours.steps == 4
