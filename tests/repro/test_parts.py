"""Literals that read back as what they were, lines that end, and steps that make a case smaller."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from grader.exercises.registry import load_room, module_names
from grader.exercises.small import Case, Small, start, turned
from grader.repro.findings import Finding
from grader.repro.lines import comment, docstring, wrapped
from grader.repro.literals import exact, number, rounded, short
from grader.repro.parts import cut, mapped, places, unwrapped
from grader.repro.shrinking import shrunk
from grader.submission.observation import Observation, Outcome

TENSORS = [
    torch.tensor([[1.0, -2.0], [0.1, 1e-7]]),
    torch.tensor([1 / 3, 1e30], dtype=torch.float64),
    torch.tensor([[0.1, 65504.0]], dtype=torch.float16),
    torch.tensor([[0.1, 3.0]], dtype=torch.bfloat16),
    torch.tensor([[True, False]]),
    torch.tensor([[3, 0], [1, 2]]),
    torch.tensor([1, 0], dtype=torch.uint8),
    torch.tensor(2.5),
    torch.tensor([math.inf, -math.inf]),
    turned(torch.arange(6.0).reshape(2, 3)),
    turned(torch.arange(24.0).reshape(2, 3, 4), 0, 1),
    torch.tensor([[1.0, 2.0]]).expand(3, 2),
    torch.arange(60.0).reshape(3, 4, 5),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=range(len(TENSORS)))
def test_a_literal_gives_back_the_tensor(tensor: Tensor) -> None:
    for text in (exact(tensor), short(tensor)):
        back = eval(text, {"torch": torch, "math": math})
        assert back.dtype == tensor.dtype
        assert back.shape == tensor.shape
        assert torch.equal(back, tensor)
    assert eval(exact(tensor), {"torch": torch, "math": math}).stride() == tensor.stride()


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (torch.zeros(2, 3), "torch.zeros(2, 3)"),
        (torch.eye(2, dtype=torch.float64), "torch.eye(2, dtype=torch.float64)"),
        (torch.ones(2), "torch.ones(2)"),
        (torch.tensor([[1.0]]), "torch.tensor([[1.0]])"),
    ],
)
def test_weights_by_name(tensor: Tensor, text: str) -> None:
    assert short(tensor) == text


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (100.0, torch.float32, "100.0"),
        (-0.5, torch.float64, "-0.5"),
        (float(torch.tensor(0.1)), torch.float32, "0.1"),
        (float(torch.tensor(0.1)), torch.float64, "0.10000000149011612"),
        (math.nan, torch.float32, "math.nan"),
    ],
)
def test_numbers(value: float, dtype: torch.dtype, text: str) -> None:
    assert number(value, dtype) == text


def test_rounding_keeps_within_what_is_asked() -> None:
    third = torch.tensor([1 / 3], dtype=torch.float64)
    assert rounded(third, 1e-4) == ("torch.tensor([0.3333], dtype=torch.float64)", 4)
    text, digits = rounded(third, 1e-9)
    assert digits == 10
    assert abs(float(eval(text, {"torch": torch})) - 1 / 3) <= 1e-9


def test_no_text_ends_a_comment_or_a_docstring() -> None:
    lines = list(comment("a\nimport os\r\x0bb"))
    assert all(line.startswith("# ") for line in lines)
    assert eval(docstring(['"""\nimport os', "\\"])).strip().startswith("'''")
    assert all(len(line) <= 92 for line in wrapped("word " * 100))
    assert all(len(line) <= 47 for line in wrapped("掩码" * 100))


# -- smaller ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", module_names())
def test_every_small_case_is_a_call_that_the_model_can_do(name: str) -> None:
    room = load_room(name)
    assert room.small is not None
    for case in room.small.starts():
        model = room.models[case.probe.target]
        if case.refuses is None and case.probe.args is not None:
            model.run(case.probe)
        assert not case.probe.name.startswith("test")
        assert case.size <= 400


def attention_case(lead: int = 2, L: int = 2, S: int = 3, K: int = 2) -> Case:
    query, key = torch.ones(lead, L, K), torch.ones(lead, S, K)
    mask = torch.ones(L, S, dtype=torch.bool)
    return start("scaled_dot_product_attention", query, key, torch.ones(lead, S, 1), kwargs={"mask": mask})


def test_cutting_shortens_an_axis_wherever_it_is() -> None:
    room = load_room("attention")
    assert room.small is not None
    model, axes = next(iter(room.models.values())), next(iter(room.small.axes.values()))
    shapes = {
        tuple(tuple(t.shape) for _, t in places(smaller)) for smaller in cut(attention_case(), model, axes)
    }
    assert ((2, 2, 2), (2, 2, 2), (2, 2, 1), (2, 2)) in shapes  # a key less, in key, value and mask
    assert ((1, 2, 2), (1, 3, 2), (1, 3, 1), (2, 3)) in shapes
    assert ((2, 2, 1), (2, 3, 1), (2, 3, 1), (2, 3)) in shapes
    one = attention_case(lead=1)
    (loose,) = unwrapped(one, model, axes)
    assert [tuple(t.shape) for _, t in places(loose)] == [(2, 2), (3, 2), (3, 1), (2, 3)]


def test_cutting_a_head_keeps_the_other_whole() -> None:
    room = load_room("multi_head_attention")
    assert room.small is not None
    model = room.models["MultiHeadAttention"]
    axes = room.small.axes["MultiHeadAttention"]
    weight = torch.arange(16.0).reshape(4, 4)
    x = torch.arange(4.0).reshape(1, 1, 4)
    case = start(
        "MultiHeadAttention", x, x, x, init={"d_model": 4, "num_heads": 2}, state={"W_q.weight": weight}
    )
    cuts = {str((c.probe.init, c.probe.state)): c for c in cut(case, model, axes)}
    one_head = [c for c in cuts.values() if c.probe.init == {"d_model": 2, "num_heads": 1}]
    assert {tuple((c.probe.args or ())[0].flatten().tolist()) for c in one_head} == {(0.0, 1.0), (2.0, 3.0)}
    narrow = [c for c in cuts.values() if c.probe.init == {"d_model": 2, "num_heads": 2}]
    assert {tuple((c.probe.args or ())[0].flatten().tolist()) for c in narrow} == {(0.0, 2.0), (1.0, 3.0)}
    assert all(c.probe.args is not None and c.probe.args[0] is c.probe.args[1] for c in cuts.values())


def test_what_was_one_tensor_stays_one() -> None:
    x = torch.ones(1, 2)
    case = mapped(start("f", x, x, torch.ones(1, 2)), lambda _, t: t * 2)
    args = case.probe.args or ()
    assert args[0] is args[1]
    assert args[0] is not args[2]


def test_shrinking_stops_at_what_is_needed() -> None:
    """Three is needed in one place of the query; all else goes."""
    room = load_room("attention")
    assert room.small is not None
    model = next(iter(room.models.values()))
    seen = Observation(Outcome.OK)
    calls = 0

    def judge(case: Case) -> Finding | None:
        nonlocal calls
        calls += 1
        query = (case.probe.args or ())[0]
        return Finding(case, "values", "weights", seen) if bool((query == 3).any()) else None

    query = torch.tensor([[[5.0, 3.0], [1.0, 2.0]]] * 2)
    full = attention_case()
    begun = replace(full, probe=full.probe.but(args=(query, *(full.probe.args or ())[1:])))
    found = judge(begun)
    assert found is not None
    best = shrunk(found, model, room.small, judge)
    args = best.case.probe.args or ()
    assert [t.tolist() for t in args] == [[[3.0]], [[0.0]], [[0.0]]]
    assert not best.case.probe.kwargs
    assert calls < 200
    again = shrunk(found, model, Small(tuple), judge, trials=3)
    assert again.case.size >= best.case.size
