"""Wrong models and training steps: each is told what it does, in both languages, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.exercises.registry import module_names
from grader.exercises.texts import fault_texts
from tests.learning.conftest import Trained
from tests.learning.making import CHANGES, SOLUTIONS, TRAINING, changed
from tests.support import examples

# what a close look and a few steps tell: the findings besides that nothing has been learnt yet
TOLD = {
    "no causal mask": {"sees-ahead"},
    "one ahead": {"sees-ahead"},
    "no positions": {"no-order"},
    "softmax before the loss": {"loss-of-softmax"},
    "summed": {"loss-summed"},
    "classes on another axis": {"loss-wrong-axis"},
    "over all positions": {"loss-over-everything"},
    "not shifted": {"targets-unshifted"},
    "rolled": {"targets-rolled"},
    "padding counts": {"targets-padding"},
    "no step": {"never-steps"},
    "no backward": {"no-backward"},
    "never cleared": {"gradients-accumulate"},
    "cleared before the step": {"cleared-before-step"},
    "step before backward": {"steps-first"},
    "step twice": {"steps-twice"},
    "by hand": {"optimiser-bypassed"},
    "never clipped": {"not-clipped"},
    "a tensor": {"returns-tensor"},
    "not a number": {"loss-differs", "not-finite"},
    "rows of -inf": {"logits-not-finite"},
}
MANUAL = """\
    found = torch.autograd.grad(loss, [*model.parameters()])
    for p, p.grad in zip(model.parameters(), found):
        pass
"""
LATER = {"graphs kept": "memory-grows", "last but one": "decode-wrong"}


def solutions() -> dict[str, str]:
    return {p.name: p.read_text(encoding="utf-8") for p in SOLUTIONS.glob("*.py")}


def test_every_change_is_judged() -> None:
    assert {*TOLD, *LATER} == set(CHANGES)


@pytest.mark.parametrize("name", TOLD)
def test_how_it_learns(trained: Trained, name: str) -> None:
    result = trained(changed(name))
    assert {f.id for f in result.findings} - {"plateau"} == TOLD[name]
    assert result.status == "not learnt"
    for finding in result.findings:
        for text in (finding.title, finding.text):
            assert text.en
            assert re.search("[\u4e00-\u9fff]", text.zh)
            assert not re.search("[\u4e00-\u9fff]", text.en)


def test_nothing_is_found_in_the_solutions(trained: Trained) -> None:
    assert {f.id for f in trained(solutions()).findings} == {"plateau"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("optimizer.zero_grad()", "model.zero_grad()"),
        ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
        ("optimizer.zero_grad()", "[setattr(p, 'grad', None) for p in model.parameters()]"),
        ("    optimizer.step()", "    optimizer.step()\n    optimizer.zero_grad()"),
        ("return loss.item()", "return float(loss.detach())"),
        (
            "    loss.backward()\n",
            MANUAL,
        ),
        (
            "    optimizer.step()\n    return loss.item()",
            "    optimizer.step(lambda: loss)\n    return loss.item()",
        ),
    ],
)
def test_other_ways_of_writing_it_are_right(trained: Trained, before: str, after: str) -> None:
    texts = solutions()
    assert before in texts[TRAINING]
    texts[TRAINING] = texts[TRAINING].replace(before, after)
    assert {f.id for f in trained(texts).findings} == {"plateau"}


@pytest.mark.parametrize(
    "start",
    [
        "nn.init.normal_(p, 0, 0.02)",
        "p.dim() > 1 and nn.init.xavier_normal_(p)",
        "nn.init.zeros_(p)",
        "nn.init.normal_(p, 0, 3)",
    ],
)
def test_how_the_weights_begin_is_no_matter(trained: Trained, start: str) -> None:
    """The matrices are drawn on this side."""
    texts = solutions()
    place = "        self.output_projection = nn.Linear(d_model, vocab_size)\n"
    loop = f"        for p in self.parameters():\n            if p.dim() > 1:\n                {start}\n"
    texts["tiny_transformer.py"] = texts["tiny_transformer.py"].replace(place, place + loop)
    assert trained(texts).curve.losses == pytest.approx(trained(solutions()).curve.losses, rel=1e-4)


@pytest.mark.skipif("training" not in module_names(), reason="the room is not there")
def test_every_fault_that_is_named_can_be_explained(trained: Trained) -> None:
    known = {fault for name in (*module_names(), "common") for fault in fault_texts(name)}
    for name in TOLD:
        for finding in trained(changed(name)).findings:
            assert set(finding.faults) <= known, finding.id
            assert set(finding.exercises) <= set(module_names())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no causal mask", "not shifted", "graphs kept", "last but one"])
def test_what_only_shows_in_the_end(trained: Trained, name: str) -> None:
    result = trained(changed(name), quick=False)
    assert {f.id for f in result.findings} == {LATER.get(name) or next(iter(TOLD[name]))}
    if name in ("no causal mask", "not shifted"):
        assert result.curve.losses[-1] < 0.05
        assert result.exam is not None
        assert result.exam.accuracy < 0.2
        assert result.status == "not learnt"


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [e.path for e in examples("wheats")], ids=lambda p: f"{p.parts[-3]}/{p.stem}"
)
def test_right_submissions_are_told_nothing(trained: Trained, path: Path) -> None:
    texts = {**solutions(), f"{path.parts[-3]}.py": path.read_text(encoding="utf-8")}
    assert {f.id for f in trained(texts).findings} <= {"plateau"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("task", ["copy", "reverse", "progressions"])
def test_the_solutions_learn(trained: Trained, task: str, seed: int) -> None:
    result = trained(solutions(), task, quick=False, seed=seed)
    assert result.status == "learnt"
    assert result.exam is not None
    assert result.exam.accuracy >= 0.95
    assert result.findings == ()
