"""What is noted of each line: shapes, turns, strides, whose code did the work, and what raised."""

from __future__ import annotations

import math

import pytest

from grader.data import solution_folder
from grader.diagnosis.following import Followed
from grader.errors import SubmissionError, UsageError
from grader.exercises.registry import exercise, module_names
from grader.tracing.records import Mark, Trace, TracedLine
from tests.support import SUBMISSIONS
from tests.tracing.conftest import Traced

HEADS = SUBMISSIONS / "multi_head_attention"
BEGIN = (
    "import math\nimport torch\n\n\n"
    "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):\n"
)


def line(trace: Trace, words: str) -> TracedLine:
    """The only line that holds these words."""
    found = [n for n in trace.lines if words in n.text]
    assert len(found) == 1, [n.text for n in trace.lines]
    return found[0]


@pytest.mark.parametrize("name", module_names())
def test_the_solutions_are_right(traced: Traced, name: str) -> None:
    for entry in exercise(name).entries:
        trace = traced(name, solution_folder() / f"{name}.py", call=entry.name, graded=False)
        assert trace.outcome == "ok"
        assert trace.first_wrong is None
        assert trace.note is not None
        assert "is right" in trace.note.en
        assert any(n.values for n in trace.lines)


def test_right_lines_are_marked_and_named(traced: Traced) -> None:
    trace = traced("multi_head_attention", solution_folder() / "multi_head_attention.py")
    q = line(trace, "q = self.split_heads")
    assert q.mark is Mark.RIGHT
    assert q.note is not None
    assert q.values[0].names == ("B", "H", "L", "d_k")
    assert not q.values[0].contiguous
    assert line(trace, "return self.W_o").mark is Mark.RIGHT


def test_work_of_an_earlier_exercise_is_folded(traced: Traced) -> None:
    trace = traced("multi_head_attention", solution_folder() / "multi_head_attention.py")
    called = line(trace, "heads, weights = scaled")
    assert called.through == ("attention.py",)
    assert called.operations > 3
    assert all(n.file == "multi_head_attention.py" for n in trace.lines)


def test_turns_of_a_loop_are_counted(traced: Traced) -> None:
    trace = traced("multi_head_attention", HEADS / "wheats" / "each_head_its_slice.py")
    assert line(trace, "s = torch.bmm").times == 3
    assert line(trace, "return F.linear").times == 9
    assert {v.names for v in line(trace, "return F.linear").values} == {
        ("B", "L", "d_k"),
        ("B", "S", "d_k"),
    }
    assert line(trace, "return Result").times == 1


def test_nan_and_infinity_are_counted(traced: Traced) -> None:
    body = "    low = torch.log(query * 0)\n    odd = low - low\n    return odd, odd\n"
    trace = traced("attention", BEGIN + body, graded=False)
    low, odd = line(trace, "low = ").values[0], line(trace, "odd = ").values[0]
    assert (low.infs, low.nans, low.low) == (low.numel, 0, None)
    assert (odd.infs, odd.nans, odd.high) == (0, odd.numel, None)


def test_two_results_of_one_operation(traced: Traced) -> None:
    body = "    var, mean = torch.var_mean(query, dim=-1)\n    return var, mean\n"
    trace = traced("attention", BEGIN + body, graded=False)
    both = line(trace, "var, mean = ")
    assert len(both.values) == 2
    assert both.times == 1


def test_a_line_that_raises(traced: Traced) -> None:
    body = "    kt = key.transpose(-2, -1)\n    scores = kt @ query\n    return scores, scores\n"
    trace = traced("attention", BEGIN + body, graded=False)
    raised = line(trace, "scores = kt")
    assert trace.outcome == "raised"
    assert raised.mark is Mark.RAISED
    assert raised.note is not None
    assert "RuntimeError" in raised.note.en
    assert [o.names for o in raised.operands] == [("B", "H", "d_k", "S"), ("B", "H", "L", "d_k")]
    assert not raised.values
    assert line(trace, "kt = key").values[0].strides[-2:] == (1, 4)


def test_callers_of_a_line_that_raises_have_no_result(traced: Traced) -> None:
    path = next((HEADS / "chaffs").glob("fold_view_not_contiguous.py"))
    trace = traced("multi_head_attention", path)
    raised = trace.first_wrong
    assert raised is not None
    assert raised.mark is Mark.RAISED
    assert "view-not-contiguous" in trace.faults
    assert not line(trace, "q = self.fold").values


def test_a_construction_that_raises(traced: Traced) -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass LayerNorm(nn.Module):\n"
        "    def __init__(self, d_model, eps=1e-5):\n        super().__init__()\n"
        "        self.weight = torch.ones(d_model) @ torch.ones(2, 2)\n\n"
        "    def forward(self, x):\n        return x\n\n\nclass AddNorm(LayerNorm):\n    pass\n"
    )
    trace = traced("layer_norm", text, graded=False, call="LayerNorm")
    assert trace.first_wrong is not None
    assert "self.weight" in trace.first_wrong.text


def test_a_call_that_does_not_end(traced: Traced) -> None:
    body = "    while True:\n        pass\n"
    trace = traced("attention", BEGIN + body, graded=False, budget={"call": 0.3, "total": 0.5})
    assert trace.outcome == "timed out"
    assert trace.note is not None
    assert [n.text for n in trace.lines][-1].strip() == "pass"


def test_another_call_is_chosen_by_name(traced: Traced) -> None:
    trace = traced("masks", solution_folder() / "masks.py", call="causal_mask", graded=False)
    assert trace.call == "causal_mask"
    assert trace.calls == ("padding_mask", "causal_mask", "combine_masks", "apply_mask")


def test_a_call_that_there_is_not(traced: Traced) -> None:
    with pytest.raises(UsageError, match="causal_mask"):
        traced("masks", solution_folder() / "masks.py", call="nope")


def test_a_file_that_cannot_be_used(traced: Traced) -> None:
    with pytest.raises(SubmissionError, match="syntax error"):
        traced("masks", "def f(:\n", graded=False)


def test_values_that_nobody_has_thought_of(traced: Traced, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that torch cannot follow costs its marks, not the trace."""

    def breaks(*_: object, **__: object) -> Followed:
        raise RuntimeError("of torch")

    monkeypatch.setattr("grader.tracing.run.alongside", breaks)
    trace = traced("attention", solution_folder() / "attention.py", graded=False)
    assert all(n.mark is Mark.NONE for n in trace.lines)
    assert any(n.values for n in trace.lines)


def test_ranges_are_those_of_the_values(traced: Traced) -> None:
    body = "    wide = query * 0 + 3\n    narrow = wide.half() / 4\n    return narrow, narrow > 0\n"
    trace = traced("attention", BEGIN + body, graded=False)
    narrow = line(trace, "narrow = ").values[0]
    assert (narrow.low, narrow.high, narrow.dtype) == (0.75, 0.75, "float16")
    assert math.isclose(line(trace, "wide = ").values[0].high or 0, 3.0)
