"""Training steps that are out for something else: they cost themselves, and accuracy cannot be claimed."""

from __future__ import annotations

import pytest

from grader.errors import SubmissionError
from tests.learning.conftest import Trained
from tests.learning.making import TRAINING
from tests.learning.test_judging import solutions

LIMITS = {"call": 1.5, "memory": 256 << 20}


def with_step(body: str) -> dict[str, str]:
    texts = solutions()
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    texts[TRAINING] += (
        f"\n\ndef train_step(model, optimizer, token_ids, targets, max_grad_norm=None):\n{lines}"
    )
    return texts


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("while True:\n    pass", "was stopped after 1.5 s"),
        ("import os\nos._exit(0)", "ended the process (exit code 0)"),
        ("torch.zeros(10 << 30, dtype=torch.uint8)", "asks for more memory than allowed"),
    ],
)
def test_what_does_not_come_back(trained: Trained, body: str, said: str) -> None:
    result = trained(with_step(body), budget=LIMITS)
    assert result.status == "stopped"
    assert [f.id for f in result.findings] == ["stopped"]
    assert said in result.findings[0].text.en
    assert result.exam is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 'nearly nothing'", "returns a value of type str"),
        ("model.eval()", "returns None"),
        ("return torch.zeros(3)", "returns a float32 tensor of shape (3,)"),
        ("raise ValueError('no \\x1b[2J')", "raised ValueError at training.py:"),
        ("return True", "returns a value of type bool"),
    ],
)
def test_what_cannot_be_a_loss(trained: Trained, body: str, said: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        trained(with_step(body))
    assert said in caught.value.text.en
    assert "grade run tiny_transformer training" in caught.value.text.zh


def test_a_loss_that_is_claimed_convinces_nobody(trained: Trained) -> None:
    result = trained(with_step("return 0.0"))
    assert result.status == "not learnt"
    assert {"never-steps", "loss-differs"} <= {f.id for f in result.findings}
    assert result.exam is not None
    assert result.exam.loss > 1


def test_an_optimizer_that_is_told_to_lie_changes_no_verdict(trained: Trained) -> None:
    lies = "optimizer.events += ['clear', 'backward', 'step']\noptimizer.norm = float('nan')\nreturn 0.0"
    result = trained(with_step(lies))
    assert result.status == "not learnt"
    odd = "optimizer.events.append({})\noptimizer.norm = 'x'\nreturn 0.0"
    assert trained(with_step(odd)).status == "stopped"


def test_answers_that_need_no_model_are_not_learning(trained: Trained) -> None:
    texts = solutions()
    texts[TRAINING] += (
        "\n\ndef greedy_decode(model, prompt, max_new_tokens, eos_id=None):\n"
        "    end = torch.full((len(prompt), 1), eos_id)\n"
        "    return torch.cat([prompt, prompt[:, :-1], end], dim=1)\n"
    )
    result = trained(texts)
    assert result.exam is not None
    assert result.exam.accuracy == 1
    assert result.status == "not learnt"
    assert "right-before-learning" in {f.id for f in result.findings}


@pytest.mark.parametrize(
    "value", ["max(0, 1)", "prompt.float()", "prompt[0]", "prompt.repeat(1, 50)", "prompt[:, :1]", "[1, 2]"]
)
def test_a_decoder_that_returns_no_tokens(trained: Trained, value: str) -> None:
    texts = solutions()
    texts[TRAINING] += (
        f"\n\ndef greedy_decode(model, prompt, max_new_tokens, eos_id=None):\n    return {value}\n"
    )
    with pytest.raises(SubmissionError) as caught:
        trained(texts)
    assert "`greedy_decode` returns" in caught.value.text.en


def test_what_is_printed_is_kept_short(trained: Trained) -> None:
    result = trained(with_step("print('x' * 10000)\nreturn 0.0"))
    assert 0 < len(result.printed) <= 16_100
