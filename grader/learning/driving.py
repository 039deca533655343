"""Trains on one task: a close look first, then chunks of steps with a look at the clock, then the exam.

The trusted side draws the batches, decides when to stop, and computes what was learnt.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from grader.learning.learner import Learner
from grader.learning.measures import forced, right_answers, shown
from grader.learning.records import Answers, Curve, Exam, Look, Steps
from grader.learning.stops import Stopped
from grader.learning.tasks import EOS, FIRST, PAD, Source, Task, right_targets
from grader.text import Text

__all__ = ["Driver", "Progress"]

Progress = Callable[[str, int, int, float], None]  # task, step, of how many, loss

CHUNK_SECONDS = 0.4  # of the learner's processor time for one request
MOST_AT_ONCE = 25
TRIAL_EVERY = 25
SURE = 0.99  # of the trial: then the exam
NOTHING_LEFT = 0.02  # a loss at which there is no more to learn
RARELY, FLAT = 100, 200  # steps: a trial in any case, and without progress no more of them
MIB = 1 << 20


@dataclass
class Driver:
    """One task and one model; what was seen is kept while it goes on, for what comes after a stop."""

    learner: Learner
    task: Task
    seed: int
    seconds: float
    progress: Progress
    losses: list[float] = field(default_factory=list)
    accuracy: list[tuple[int, float]] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)
    look: Look | None = None
    exam: Exam | None = None
    stopped: Stopped | None = None
    hurried: bool = False
    kinds: list[Text] = field(default_factory=list)

    def run(self) -> None:
        """The whole of it; a stop ends up in `stopped`."""
        self.source = Source(self.task, self.seed)
        self.counted = self.task.counted()
        try:
            self.look = self.look_closely()
            self.learner.take(self.learner.make(self.task, self.seed))
            untrained = self.tried(self.source.trial)
            for number in range(len(self.source.exams)):
                more = self.train()
                self.exam = self.examined(self.source.exams[number], untrained)
                if self.exam.accuracy >= self.task.pass_at or not more:
                    break  # who seemed to be ready, and was not, learns on for another exam
        except Stopped as stop:
            self.stopped = stop

    @property
    def curve(self) -> Curve:
        return Curve(tuple(self.losses), tuple(self.accuracy), tuple(self.memory), self.learner.client.spent)

    # -- before ---------------------------------------------------------------------------------

    def look_closely(self) -> Look:
        """One batch, without learning from it: targets, logits, and what `train_step` does in which order."""
        task, learner = self.task, self.learner
        batch = Source(task, self.seed + 1).batches(1)
        batch[0, 0, task.prompt + 1 :] = PAD  # one of them is short, in every task
        tokens = batch[0]
        learner.take(learner.make(task, self.seed))
        targets = learner.targets(tokens)
        logits = learner.logits(tokens, task.vocabulary)
        again = self.steps(torch.cat([batch, batch]), [0.0, 0.0], None, closely=True)
        limit = 0.25 * max(again.norms)
        clipped = self.steps(batch, [0.0], limit if limit > 0 else 1.0, closely=True)
        trained = self.steps(batch, [task.rate], None, closely=True)
        order = self.order()
        learner.take(learner.make(task, self.seed))
        return Look(
            tokens,
            targets,
            right_targets(tokens),
            logits,
            again,
            clipped,
            limit,
            trained,
            order,
            self.ahead(tokens)[0],
            float(logits.abs().nan_to_num(0.0).max()),
        )

    def order(self) -> float:
        """How the last logits of a model of one layer move when earlier tokens change places.

        Of one layer: under a causal mask, a second one could tell the order from what the first one saw.
        """
        task = self.task
        handle = self.learner.make(task, self.seed, num_layers=1)
        tokens = torch.arange(FIRST, FIRST + 6)[None]
        turned = tokens[:, [4, 2, 0, 3, 1, 5]]
        a, b = (self.learner.logits(t, task.vocabulary, handle)[:, -1] for t in (tokens, turned))
        return _gap(a, b)

    def ahead(self, tokens: Tensor) -> tuple[float, float]:
        """The mean over positions t of the largest move of the logits at t when token t + 1 is replaced,
        and the size of the logits."""
        task = self.task
        rows = tokens[:1].repeat(task.length - 1, 1)
        for t, row in enumerate(rows):
            row[t + 1] = FIRST + (int(row[t + 1]) - FIRST + 1) % task.symbols
        moved = self.learner.logits(rows, task.vocabulary)
        before = self.learner.logits(tokens[:1], task.vocabulary)[0]
        gaps = [_gap(before[t], moved[t, t]) for t in range(task.length - 1)]
        return sum(gaps) / len(gaps), float(before.abs().nan_to_num(0.0).max())

    # -- while it learns ------------------------------------------------------------------------

    def train(self) -> bool:
        """Until the trial is right (True: with steps and time left), there is nothing left to learn, or the
        steps or the time are used up."""
        task, chunk, last = self.task, 1, 0
        ready = 0
        self.progress(task.id, len(self.losses), task.steps, float("nan"))
        while len(self.losses) < task.steps:
            done = len(self.losses)
            count = min(chunk, task.steps - done, TRIAL_EVERY - done % TRIAL_EVERY)
            before = self.learner.client.spent
            rates = [task.rate_at(done + n + 1) for n in range(count)]
            steps = self.steps(self.source.batches(count), rates, task.clip)
            took = max(1e-4, (self.learner.client.spent - before) / count)
            chunk = max(1, min(MOST_AT_ONCE, int(CHUNK_SECONDS / took)))
            self.losses += [loss for loss in steps.losses if loss is not None]
            self.remember()
            self.progress(task.id, len(self.losses), task.steps, self.losses[-1])
            if not all(map(_finite, self.losses[-count:])):
                return False
            done = len(self.losses)
            if done % TRIAL_EVERY == 0 and (done % RARELY == 0 or self.losses[-1] < 0.5 * task.blind):
                self.accuracy.append((done, self.tried(self.source.trial)))
                ready = ready + 1 if self.accuracy[-1][1] >= SURE else 0
                if ready == 2:  # once might be luck
                    return done < task.steps
                empty = statistics.median(self.losses[-TRIAL_EVERY:]) < NOTHING_LEFT
                last = last + 1 if empty and self.accuracy[-1][1] < 0.5 else 0
                if last >= 4:  # the loss says that all is learnt, the answers do not
                    return False
                if done == FLAT and _mean(self.losses[-50:]) > _mean(self.losses[:10]) - 0.02:
                    return False  # nothing moves
            if self.learner.client.spent > self.seconds:
                self.hurried = True
                return False
        return False

    def steps(
        self, batches: Tensor, rates: list[float], clip: float | None, *, closely: bool = False
    ) -> Steps:
        """Some calls of `train_step`; `Stopped` where one returns no number."""
        steps = self.learner.steps(batches, self.counted, rates, clip, closely=closely)
        if steps.kind is not None and steps.kind not in self.kinds:
            self.kinds.append(steps.kind)
        if steps.kind is not None and None in steps.losses:
            raise Stopped(
                Text(
                    f"`train_step` returns {steps.kind.en}, not the loss as a number",
                    f"`train_step` 返回的是{steps.kind.zh}，而不是损失值（一个数）",
                )
            )
        return steps

    def tried(self, whole: Tensor) -> float:
        """The share of sequences that the learner's `greedy_decode` gets right."""
        return float(right_answers(self.decoded(whole), whole, self.task).double().mean())

    def decoded(self, whole: Tensor) -> Tensor:
        task = self.task
        prompt = whole[:, : task.prompt]
        return self.learner.decode(prompt, task.answer, EOS if task.ends else None)

    def remember(self) -> None:
        """The memory of the worker, as the system has it."""
        pid = self.learner.client.pid
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return
        self.memory.append((len(self.losses), pages * os.sysconf("SC_PAGE_SIZE") / MIB))

    # -- after ----------------------------------------------------------------------------------

    def examined(self, whole: Tensor, untrained: float) -> Exam:
        """What the model does on sequences that it has not been trained on."""
        task = self.task
        said = self.decoded(whole)
        right = right_answers(said, whole, task)
        logits = self.learner.logits(whole, task.vocabulary)
        loss, share = forced(logits, whole, right_targets(whole, self.counted))
        ahead, scale = self.ahead(whole)
        ours = right_answers(self.greedy(whole), whole, task).double().mean()
        examples = [
            *torch.nonzero(~right).flatten().tolist()[:2],
            *torch.nonzero(right).flatten().tolist()[:2],
        ]
        return Exam(
            float(right.double().mean()),
            float(ours),
            untrained,
            share,
            loss,
            ahead,
            scale,
            bool(logits.isfinite().all()),
            tuple(self.examples(examples[:3], whole, said)),
        )

    def greedy(self, whole: Tensor) -> Tensor:
        """The same as `greedy_decode`, from the learner's logits, on this side of the wall."""
        tokens = whole[:, : self.task.prompt]
        for _ in range(self.task.answer):
            last = self.learner.logits(tokens, self.task.vocabulary)[:, -1]
            tokens = torch.cat([tokens, last.nan_to_num(nan=-torch.inf).argmax(-1, keepdim=True)], dim=1)
        return tokens

    def examples(self, rows: list[int], whole: Tensor, said: Tensor) -> Iterator[Answers]:
        task = self.task
        for row in rows:
            yield Answers(
                shown(whole[row, : task.prompt], task),
                shown(whole[row, task.prompt :], task),
                shown(said[row, task.prompt : task.length], task),
            )


def _mean(losses: list[float]) -> float:
    return sum(losses) / len(losses)


def _finite(loss: float) -> bool:
    return loss == loss and abs(loss) != float("inf")


def _gap(a: Tensor, b: Tensor) -> float:
    """The largest difference; where one of them is no number, none."""
    return float((a - b).abs().nan_to_num(0.0, 0.0).max())
