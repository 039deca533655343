"""What is trained on and asked: the sequences, their targets, and what is held back."""

from __future__ import annotations

import pytest
import torch

from grader.learning.measures import cross_entropy, other_losses, right_answers, shown, targets_are
from grader.learning.tasks import EOS, FIRST, IGNORE, PAD, SEP, TASKS, Source, right_targets


@pytest.mark.parametrize("name", TASKS)
def test_nothing_of_the_exam_is_trained_on(name: str) -> None:
    task = TASKS[name]
    source = Source(task, 0)
    held = {tuple(row[: task.prompt].tolist()) for row in (*source.exams.flatten(0, 1), *source.trial)}
    for batch in source.batches(60).flatten(0, 1):
        assert tuple(batch[: task.prompt].tolist()) not in held


@pytest.mark.parametrize("name", TASKS)
def test_the_same_seed_gives_the_same_sequences(name: str) -> None:
    one, other, third = Source(TASKS[name], 1), Source(TASKS[name], 1), Source(TASKS[name], 2)
    first = one.batches(2)
    assert torch.equal(first, other.batches(2))
    assert not torch.equal(first, third.batches(2))
    at_once = Source(TASKS[name], 1).batches(40)
    pieces = Source(TASKS[name], 1)
    assert torch.equal(at_once, torch.cat([pieces.batches(n) for n in (1, 7, 30, 2)]))
    assert int(first.max()) < TASKS[name].vocabulary


def test_copy_and_reverse_and_progressions() -> None:
    copied = Source(TASKS["copy"], 0).exams[0]
    assert torch.equal(copied[:, :6], copied[:, 7:13])
    assert bool((copied[:, 6] == SEP).all())
    assert bool((copied[:, 13] == EOS).all())
    turned = Source(TASKS["reverse"], 0).exams[0]
    assert torch.equal(turned[:, :6].flip(1), turned[:, 7:13])
    numbers = Source(TASKS["progressions"], 0).exams[0][:, 4:] - FIRST
    steps = (numbers[:, 1:] - numbers[:, :-1]) % 11
    assert bool((steps == steps[:, :1]).all())


def test_progressions_of_different_lengths_end_in_padding() -> None:
    batches = Source(TASKS["progressions"], 0).batches(10).flatten(0, 1)
    lengths = (batches != PAD).sum(1)
    assert set(lengths.tolist()) == {9, 10, 11, 12}
    assert bool(((batches != PAD).long().diff(dim=1) <= 0).all())


def test_targets_and_in_which_way_they_are_wrong() -> None:
    tokens = torch.tensor([[3, 4, 5, 6], [5, 6, PAD, PAD]])
    right = right_targets(tokens)
    assert right.tolist() == [[4, 5, 6, IGNORE], [6, IGNORE, IGNORE, IGNORE]]
    assert targets_are(right, tokens, right) == "right"
    assert targets_are(tokens.masked_fill(tokens == PAD, IGNORE), tokens, right) == "unshifted"
    assert targets_are(tokens.roll(1, 1), tokens, right) == "backwards"
    rolled = right.clone()
    rolled[:, -1] = tokens[:, 0]
    assert targets_are(rolled, tokens, right) == "rolled"
    padded = right.clone()
    padded[1, 1] = PAD
    assert targets_are(padded, tokens, right) == "padding"
    assert targets_are(right + 1, tokens, right) == "other"


def test_other_losses_are_other_losses() -> None:
    torch.manual_seed(0)
    logits, targets = torch.randn(3, 5, 7, dtype=torch.float64) * 3, torch.randint(0, 7, (3, 5))
    targets[0, 3:] = IGNORE
    right = cross_entropy(logits, targets)
    found = list(other_losses(logits, targets))
    assert len({id for id, _ in found}) == 6
    assert all(abs(value - right) > 1e-3 for _, value in found)


def test_an_answer_is_right_from_its_first_token_to_its_last() -> None:
    task = TASKS["copy"]
    whole = Source(task, 0).exams[0][:3]
    wrong = whole.clone()
    wrong[1, -2] += 1
    assert right_answers(wrong, whole, task).tolist() == [True, False, True]
    assert right_answers(whole[:, :-1], whole, task).tolist() == [False] * 3


def test_tokens_as_words() -> None:
    task = TASKS["copy"]
    assert shown(torch.tensor([3, 10, SEP, EOS, PAD, 11, -5, 10**6]), task) == tuple("ah|._???")
    assert shown(torch.tensor([3, 13, SEP]), TASKS["progressions"]) == ("0", "10", "|")
