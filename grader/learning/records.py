"""What training showed, as frozen records.  The judging and the pages are pure functions over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from grader.learning.tasks import Task
from grader.text import Text

__all__ = ["Answers", "Curve", "Exam", "Finding", "Learning", "Look", "Steps", "TaskResult"]


@dataclass(frozen=True)
class Steps:
    """What the worker says of some calls of `train_step`; validated in form, and only a claim.

    losses: None for what is no number; kind: the type of the first one that is no float; events: what the
    optimiser was told in each call; norms: of the gradients when it was told to step; left: after the call;
    reached, parameters: how many parameters had a gradient, of how many; moved: the largest change.
    """

    losses: tuple[float | None, ...]
    kind: Text | None
    events: tuple[tuple[str, ...], ...]
    norms: tuple[float, ...]
    left: tuple[float, ...]
    reached: tuple[int, ...]
    moved: float
    parameters: int


@dataclass(frozen=True)
class Look:
    """One batch looked at closely before anything is learnt; the learning rate is 0 meanwhile.

    tokens: the batch; targets: the learner's own; right: what they should be; logits: of the model; again:
    the same batch twice through `train_step`; clipped: once more with gradients clipped to `limit`; trained:
    once with a learning rate; order: by how much the last logits of a model of one layer move when earlier
    tokens change places; ahead: the logits at a position when the token after it is replaced; scale: the
    size of the logits.
    """

    tokens: Tensor
    targets: Tensor
    right: Tensor
    logits: Tensor
    again: Steps
    clipped: Steps
    limit: float
    trained: Steps
    order: float
    ahead: float
    scale: float


@dataclass(frozen=True)
class Curve:
    """The reported losses by step, and the share of the trial that was right at some steps.

    memory: MiB of the worker at some steps, where the system tells; seconds: of processor time.
    """

    losses: tuple[float, ...] = ()
    accuracy: tuple[tuple[int, float], ...] = ()
    memory: tuple[tuple[int, float], ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Answers:
    """One held-out sequence, what was given and said: tokens as words."""

    prompt: tuple[str, ...]
    wanted: tuple[str, ...]
    said: tuple[str, ...]


@dataclass(frozen=True)
class Exam:
    """What the trained model does on held-out sequences, computed on this side of the wall.

    accuracy: the share that `greedy_decode` gets right from the first token to the last; ours: the share when
    we take the most likely token of the model's logits ourselves, step by step; untrained: `greedy_decode`
    before the first step; forced: the share of next tokens that are right given the right ones before; loss:
    of them; ahead: by how much the logits at a position move when the token after it is replaced; scale: the
    size of the logits; finite: whether they are numbers; examples: what was said, wrong ones first.
    """

    accuracy: float
    ours: float
    untrained: float
    forced: float
    loss: float
    ahead: float
    scale: float
    finite: bool = True
    examples: tuple[Answers, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One judgement: id, a title, what it rests on in the learner's own numbers, and which faults do that.

    heavy: whether it is a reason why nothing was learnt, not something noticed beside.
    """

    id: str
    title: Text
    text: Text
    faults: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ("training",)
    heavy: bool = True


@dataclass(frozen=True)
class TaskResult:
    """One task: status is ``learnt``, ``not learnt`` or ``stopped``."""

    task: Task
    status: str
    curve: Curve
    exam: Exam | None = None
    findings: tuple[Finding, ...] = ()
    printed: str = ""

    @property
    def learnt(self) -> bool:
        return self.status == "learnt"


@dataclass(frozen=True)
class Learning:
    """All that was trained, in the order of the tasks; notes: what of it is the kit's own."""

    submission: str
    seed: int
    results: tuple[TaskResult, ...]
    notes: tuple[Text, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def learnt(self) -> bool:
        return all(result.learnt for result in self.results)
