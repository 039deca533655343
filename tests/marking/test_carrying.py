"""Errors carried forward: a later exercise is marked on top of the learner's own earlier parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from grader.marking.carrying import _first_checks, _is_worse, imported_names
from grader.marking.lanes import grade_in_lanes
from grader.marking.records import CheckResult, ExerciseResult
from grader.submission.decoding import parse_source
from grader.submission.source import Submission
from grader.text import Text
from tests.support import ROOT, Grader

Edits = Mapping[str, Sequence[tuple[str, str]]]

NO_SCALE = [("(query / math.sqrt(d_k))", "query")]
NAN_ROW = [("torch.finfo(scores.dtype).min", "float('-inf')"), (".masked_fill(blocked, 0.0)  #", "  #")]
UNBIASED = [("correction=0", "correction=1")]
LEFT_TO_IT = [  # without a causal mask, the padding mask is the encoder's to make
    (
        "        x = self.encoder(token_ids, mask)",
        "        x = self.encoder(token_ids, mask if self.causal else None)",
    )
]
OWN_NORM = [
    ("from layer_norm import AddNorm", "from layer_norm import LayerNorm"),
    ("AddNorm(d_model, dropout, norm_first)", "LayerNorm(d_model)"),
    (
        "        self.norm1 =",
        "        self.drop = nn.Dropout(dropout)\n        self.order = norm_first\n        self.norm1 =",
    ),
    (
        (
            "        x = self.norm1(x, lambda h: self.self_attn(h, h, h, mask=mask)[0])  # (B, S, d_model)\n"
            "        return self.norm2(x, self.feed_forward)  # (B, S, d_model)\n"
        ),
        (
            "        look = lambda h: self.drop(self.self_attn(h, h, h, mask=mask)[0])\n"
            "        ffn = lambda h: self.drop(self.feed_forward(h))\n"
            "        if self.order:\n"
            "            x = x + look(self.norm1(x))\n"
            "            return x + ffn(self.norm2(x))\n"
            "        x = self.norm1(x + look(x))\n"
            "        return self.norm2(x + ffn(x))\n"
        ),
    ),
]


def marked(
    grader: Grader, edits: Edits, *only: str, without: Sequence[str] = (), reference: bool = False
) -> dict[str, ExerciseResult]:
    """The results of the solutions with these edits."""
    files = {}
    for path in sorted((ROOT / "solutions").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for old, new in edits.get(path.stem, ()):
            assert old in text, (path.stem, old)
            text = text.replace(old, new)
        if path.stem not in without:
            files[path.stem] = parse_source(path.stem, path.name, text.encode())
    submission = Submission("edited", files, only)
    report = grade_in_lanes(submission, grader.launcher, lanes=1, with_reference=reference)
    return {r.id: r for r in report.exercises}


@pytest.mark.parametrize(
    ("edits", "later", "origin"),
    [
        pytest.param({"attention": NO_SCALE}, "multi_head_attention", "attention", id="scale"),
        pytest.param({"attention": NAN_ROW}, "multi_head_attention", "attention", id="edge"),
        pytest.param({"attention": NAN_ROW}, "encoder_block", "attention", id="edge-of-edge"),
        pytest.param({"layer_norm": UNBIASED}, "encoder_block", "layer_norm", id="add-norm"),
        pytest.param(
            {"layer_norm": UNBIASED, "encoder_block": OWN_NORM},
            "encoder_block",
            "layer_norm",
            id="layer-norm",
        ),
        pytest.param(
            {"layer_norm": [("if self.norm_first", "if not self.norm_first")]},
            "encoder_block",
            "layer_norm",
            id="order",
        ),
        pytest.param(
            {"positional_encoding": [("x + self.pe", "x - self.pe")]},
            "encoder",
            "positional_encoding",
            id="positions",
        ),
        pytest.param(
            {"masks": [("token_ids != pad_id", "token_ids == pad_id")]}, "encoder", "masks", id="padding"
        ),
        pytest.param(
            {"attention": [("return weights @ value,", "return (weights @ value).detach(),")]},
            "multi_head_attention",
            "attention",
            id="gradients",
        ),
        pytest.param(
            {
                "attention": [
                    ("blocked = mask == 0", "blocked = mask.zero_() if mask.sum() < 0 else mask == 0")
                ]
            },
            "multi_head_attention",
            None,
            id="right",
        ),
        pytest.param(
            {
                "attention": [
                    ("    if dropout is not None:\n", "    if dropout is not None and mask is not None:\n")
                ]
            },
            "multi_head_attention",
            "attention",
            id="dropout",
        ),
        pytest.param({"attention": NO_SCALE}, "tiny_transformer", "attention", id="tiny-scale"),
        pytest.param({"attention": NAN_ROW}, "tiny_transformer", "attention", id="tiny-nan"),
        pytest.param(
            {"encoder": [(" * math.sqrt(self.d_model)", "")]},
            "tiny_transformer",
            "encoder",
            id="tiny-encoder",
        ),
        pytest.param(
            {"masks": [(".tril()", ".tril(1)")]}, "tiny_transformer", "masks", id="tiny-causal-mask"
        ),
        pytest.param(
            {"masks": [("token_ids != pad_id", "token_ids != 0")]},
            "tiny_transformer",
            "masks",
            id="tiny-padding",
        ),
        pytest.param(
            {"encoder": [("padding_mask(token_ids, self.pad_id)", "None")], "tiny_transformer": LEFT_TO_IT},
            "tiny_transformer",
            "encoder",
            id="tiny-left-to-the-encoder",
        ),
    ],
)
def test_a_later_exercise_is_not_charged(
    grader: Grader, edits: Edits, later: str, origin: str | None
) -> None:
    result = marked(grader, edits, later)[later]
    assert result.status == "passed", [c.message.en for c in result.checks if c.message]
    assert result.score == result.max_score
    assert result.carried_forward_from == ((origin,) if origin else ())
    assert not result.diagnoses


@pytest.mark.parametrize(
    ("edits", "later", "fault"),
    [
        (
            {
                "attention": NO_SCALE,
                "multi_head_attention": [("heads.transpose(1, 2).flatten(-2)", "heads.reshape(query.shape)")],
            },
            "multi_head_attention",
            "heads-merged-without-transpose",
        ),
        ({"layer_norm": UNBIASED, "encoder_block": [(".relu()", "")]}, "encoder_block", "activation-missing"),
        (
            {
                "positional_encoding": [("x + self.pe", "x - self.pe")],
                "encoder": [(" * math.sqrt(self.d_model)", "")],
            },
            "encoder",
            "embedding-not-scaled",
        ),
        (
            {
                "attention": NO_SCALE,
                "tiny_transformer": [("combine_masks(mask, causal)", "causal")],
            },
            "tiny_transformer",
            "causal-replaces-padding",
        ),
    ],
)
def test_its_own_mistake_is_named_all_the_same(grader: Grader, edits: Edits, later: str, fault: str) -> None:
    result = marked(grader, edits, later)[later]
    assert result.status == "failed"
    assert result.carried_forward_from
    assert result.score < result.max_score
    assert [f.id for f in result.diagnoses[0].faults] == [fault]
    assert result.diagnoses[0].confidence == "confirmed"


def test_mistakes_are_charged_where_they_are_made(grader: Grader) -> None:
    edits = {"attention": NO_SCALE, "encoder_block": [(".relu()", "")]}
    results = marked(grader, edits, "attention", "multi_head_attention", "encoder_block", "encoder")
    assert results["attention"].status == "failed"
    assert results["attention"].carried_forward_from == ()
    assert results["multi_head_attention"].carried_forward_from == ("attention",)
    assert results["encoder_block"].status == "failed"
    assert results["encoder"].status == "passed"
    assert results["encoder"].carried_forward_from == ("attention", "encoder_block")


def test_nothing_is_right_on_a_part_that_says_nothing(grader: Grader) -> None:
    zeros = [("return weights @ value, weights", "return 0 * (weights @ value), 0 * weights")]
    result = marked(grader, {"attention": zeros}, "multi_head_attention")["multi_head_attention"]
    assert result.status == "failed"
    assert result.carried_forward_from == ()
    assert all(d.confidence != "confirmed" for d in result.diagnoses)
    assert result.note is not None
    assert "attention.py" in result.note.en


def test_a_part_that_cannot_run_blocks(grader: Grader) -> None:
    raises = [("    d_k = query.size(-1)\n", "    d_k = query.size(-1)\n    undefined_name\n")]
    results = marked(grader, {"attention": raises}, "multi_head_attention", "encoder_block")
    for result in results.values():
        assert result.status == "blocked"
        assert result.note is not None
        assert "attention.py" in result.note.en


def test_a_part_that_raises_on_some_calls_is_carried(grader: Grader) -> None:
    raises = [("blocked = mask == 0", "blocked = mask.no_such_thing")]
    result = marked(grader, {"attention": raises}, "multi_head_attention")["multi_head_attention"]
    assert result.status == "passed"
    assert result.carried_forward_from == ("attention",)


@pytest.mark.parametrize("case", ["missing", "skeleton", "raises"])
def test_with_reference(grader: Grader, case: str) -> None:
    edits: Edits = {}
    if case == "skeleton":
        edits = {"attention": [("    d_k = query.size(-1)\n", "    raise NotImplementedError\n")]}
    if case == "raises":
        edits = {"attention": [("    d_k = query.size(-1)\n", "    undefined_name\n")]}
    without = ["attention"] if case == "missing" else []
    names = ("multi_head_attention", "encoder_block")
    for result in marked(grader, edits, *names, without=without).values():
        assert result.status == "blocked"
    for result in marked(grader, edits, *names, without=without, reference=True).values():
        assert result.status == "passed"
        assert result.score == result.max_score
        assert result.note is not None
        assert "attention.py" in result.note.en


def test_with_reference_changes_nothing_where_all_can_run(grader: Grader) -> None:
    result = marked(grader, {}, "multi_head_attention", reference=True)["multi_head_attention"]
    assert result.status == "passed"
    assert result.note is None


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from attention import scaled_dot_product_attention as sdpa", ["scaled_dot_product_attention"]),
        ("import attention\nattention.scaled_dot_product_attention(1)", ["scaled_dot_product_attention"]),
        ("import attention as a\na.scaled_dot_product_attention(1)", ["scaled_dot_product_attention"]),
        ("from attention import *", ["scaled_dot_product_attention"]),
        (
            "def f():\n    from attention import scaled_dot_product_attention",
            ["scaled_dot_product_attention"],
        ),
        ("import attention", []),
        ("from attention import helper", []),
        ("from .attention import scaled_dot_product_attention", []),
    ],
)
def test_imported_names(source: str, names: list[str]) -> None:
    found = imported_names(parse_source("multi_head_attention", "multi_head_attention.py", source.encode()))
    assert found.get("attention", []) == names


def result(passed: bool, *points: float) -> ExerciseResult:
    """A result with core checks of one point each, the last an edge check."""
    tiers = [*["core"] * (len(points) - 1), "edge"]
    checks = tuple(
        CheckResult(str(n), Text.same("c"), tier, "passed" if p else "failed", p, 1.0)
        for n, (p, tier) in enumerate(zip(points, tiers))
    )
    status = "passed" if passed else "failed"
    return ExerciseResult("x", Text.same("x"), status, sum(points), float(len(points)), 0.0, checks)


def test_a_marking_ends_where_it_can_no_longer_be_as_good() -> None:
    lost = result(False, 1.0, 0.0, 1.0)
    for checks, worse in [
        ((0.0, 0.0), True),  # two are lost, and one of them is a core check
        ((0.0,), False),  # as many points as before
        ((1.0, 1.0, 0.0), False),  # passed, which is better
        ((1.0, 0.0, 0.0), True),
        ((1.0, 0.0, 1.0), False),  # a tie
    ]:
        so_far = [
            replace(c, points=p, outcome="passed" if p else "failed") for c, p in zip(lost.checks, checks)
        ]
        assert _is_worse(lost, so_far) is worse
    edge = result(True, 1.0, 1.0, 0.0)
    assert _is_worse(edge, result(False, 0.0, 1.0, 1.0).checks[:1])


def test_the_order_stays_where_it_may_matter() -> None:
    lost = result(False, 1.0, 0.0, 1.0)
    assert _first_checks(lost) == {"1"}
    assert _first_checks(replace(lost, printed="words")) == frozenset()
    stateful = replace(lost.checks[1], fault="global-state-changed")
    assert _first_checks(replace(lost, checks=(stateful,))) == frozenset()
