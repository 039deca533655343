"""The toy tasks: what is to be learnt, the sequences, and the settings with which it is learnt.

Everything here is the trusted side's: batches, held-out sequences, right targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from grader.text import Text

__all__ = ["EOS", "FIRST", "IGNORE", "PAD", "SEP", "TASKS", "Source", "Task", "right_targets"]

PAD, SEP, EOS, FIRST = 0, 1, 2, 3  # the symbols come after these
IGNORE = -100
BLOCK = 25  # batches that are drawn together
EXAMS = 4  # there are so many, each of sequences of its own


@dataclass(frozen=True)
class Task:
    """One toy task.

    prompt, answer: how many tokens are given, and how many are to be said (the end included); shortest: the
    shortest answer in training, where lengths vary and the rest is padding; ends: whether an answer closes
    with EOS; sizes: of the model; steps: at most so many; pass_at: the share of held-out sequences that must
    be right from the first token to the last.
    """

    id: str
    title: Text
    symbols: int
    prompt: int
    answer: int
    shortest: int
    ends: bool
    steps: int = 700
    batch: int = 32
    rate: float = 3e-3
    clip: float = 1.0
    exam: int = 128
    trial: int = 96
    pass_at: float = 0.95
    d_model: int = 32
    num_heads: int = 4
    d_ff: int = 64
    num_layers: int = 2

    @property
    def vocabulary(self) -> int:
        return FIRST + self.symbols

    @property
    def length(self) -> int:
        return self.prompt + self.answer

    @property
    def blind(self) -> float:
        """The loss of one who knows which kind of token is due, and has to guess the symbol."""
        symbols = self.answer - self.ends
        return symbols / self.answer * math.log(self.symbols)

    def arguments(self, **other: int) -> dict[str, object]:
        """How the model is made."""
        return {
            "vocab_size": self.vocabulary,
            "d_model": self.d_model,
            "num_heads": self.num_heads,
            "d_ff": self.d_ff,
            "num_layers": self.num_layers,
            "max_len": 2 * self.length,
            "dropout": 0.0,
            "causal": True,
            "pad_id": PAD,
            **other,
        }

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, from 1 on: it grows for 50 steps, and falls in the second half."""
        done = step / self.steps
        return self.rate * min(1.0, step / 50) * min(1.0, max(0.05, 1.9 - 1.8 * done))

    def counted(self) -> Tensor:
        """(S,): where a target counts.  What is in the prompt cannot be foretold."""
        return torch.arange(self.length) >= self.prompt - 1

    def but(self, **changes: int | float) -> Task:
        """The same with other settings, for tests."""
        return replace(self, **changes)  # type: ignore[arg-type]


COPY = Task("copy", Text("say it again", "照原样复述"), 8, 7, 7, 7, True)
REVERSE = Task("reverse", Text("say it backwards", "倒序复述"), 8, 7, 7, 7, True)
PROGRESSIONS = Task(
    "progressions",
    Text(
        "go on with the second of two arithmetic progressions (modulo 11)",
        "续写两个等差数列中的第二个（模 11）",
    ),
    11,
    6,
    6,
    3,
    False,
)
TASKS = {task.id: task for task in (COPY, REVERSE, PROGRESSIONS)}


class Source:
    """The sequences of one task, from one seed: none that is trained on begins as one of the exams."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task = task
        self._generator = torch.Generator().manual_seed(seed * 1000 + 17)
        many = EXAMS * task.exam + task.trial
        chosen = self._symbols(many)
        self._held = {tuple(row) for row in chosen.tolist()}
        whole = self._whole(chosen)
        self.trial, rest = whole[: task.trial], whole[task.trial :]
        self.exams = rest.view(EXAMS, task.exam, -1)
        self._drawn = torch.empty(0, task.batch, task.length, dtype=torch.long)

    def batches(self, count: int) -> Tensor:
        """(count, B, S): sequences to train on, the same ones however many are asked for at a time."""
        while len(self._drawn) < count:
            self._drawn = torch.cat([self._drawn, self._more()])
        given, self._drawn = self._drawn[:count], self._drawn[count:]
        return given.clone()

    def _more(self) -> Tensor:
        rows = BLOCK * self.task.batch
        chosen = self._symbols(rows)
        while True:
            again = [i for i, row in enumerate(chosen.tolist()) if tuple(row) in self._held]
            if not again:
                break
            chosen[again] = self._symbols(len(again))
        whole = self._whole(chosen)
        spread = self.task.answer - self.task.shortest
        if spread:  # shorter ones end in padding
            cut = torch.randint(0, spread + 1, (rows, 1), generator=self._generator)
            whole[torch.arange(self.task.length) >= self.task.length - cut] = PAD
        return whole.view(BLOCK, self.task.batch, -1)

    def _symbols(self, rows: int) -> Tensor:
        """What a sequence is made from: its symbols, or the first numbers and the steps."""
        width = 4 if self.task.id == "progressions" else self.task.prompt - 1
        return torch.randint(0, self.task.symbols, (rows, width), generator=self._generator)

    def _whole(self, chosen: Tensor) -> Tensor:
        """The sequences, from the first token to the last."""
        task, rows = self.task, len(chosen)
        if task.id == "progressions":
            first, second = (
                (chosen[:, i : i + 1] + chosen[:, i + 1 : i + 2] * torch.arange(n)) % task.symbols + FIRST
                for i, n in ((0, 3), (2, task.length - 4))
            )
            return torch.cat([first, torch.full((rows, 1), SEP), second], dim=1)
        symbols = chosen + FIRST
        answer = symbols if task.id == "copy" else symbols.flip(1)
        ends = [torch.full((rows, 1), token) for token in (SEP, EOS)]
        return torch.cat([symbols, ends[0], answer, ends[1]], dim=1)


def right_targets(tokens: Tensor, counted: Tensor | None = None) -> Tensor:
    """(B, S): the next token where there is one and it counts, else -100."""
    targets = torch.full_like(tokens, IGNORE)
    targets[:, :-1] = tokens[:, 1:]
    targets[targets == PAD] = IGNORE
    return targets if counted is None else torch.where(counted, targets, torch.full_like(targets, IGNORE))
