"""The learner's model and functions behind the wall: every answer is checked before it is used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.learning.records import Steps
from grader.learning.stops import Stopped, stopped
from grader.learning.tasks import Task
from grader.submission.asking import ask_construct, ask_load
from grader.submission.client import Client
from grader.submission.observation import Observation, Opaque
from grader.text import Text

__all__ = ["FUNCTIONS", "MODEL", "Learner"]

MODEL = "TinyTransformer"
FUNCTIONS = ("next_token_targets", "train_step", "greedy_decode")
MAX_ENTRY, MAX_STATE = 1 << 20, 1 << 22  # numbers that are drawn for one parameter, and for all
SETTINGS = {"betas": (0.9, 0.98), "eps": 1e-9}  # of Adam, as in Vaswani et al. 2017, section 5.3


class Learner:
    """One worker with both files loaded, and the model that is trained in it."""

    def __init__(self, client: Client, names: Sequence[str], operators: Sequence[str]) -> None:
        self.client = client
        self._forbidden = (names, operators)
        self._handle = -1

    def load(self) -> Observation:
        """Imports `training.py`, then `tiny_transformer.py`: the first import that fails, or the last."""
        seen = self.client.load()
        if seen.ok:
            names, operators = self._forbidden
            request = ask_load("tiny_transformer", {}, names, operators, [MODEL], self.client.budget.output)
            seen = self.client.ask(lambda: request)
        return seen

    # -- the model ------------------------------------------------------------------------------

    def make(self, task: Task, seed: int, **other: int) -> int:
        """Makes a model whose weights are drawn here: the same start for everybody."""
        arguments = task.arguments(**other)
        made = self._made(arguments, seed)
        weights = _draw(made["state"], task.d_model, seed)
        return int(self._made(arguments, seed, state=weights)["handle"])

    def take(self, handle: int) -> None:
        """The model that is meant from here on."""
        self._handle = handle

    def _made(self, arguments: Mapping[str, object], seed: int, **options: Any) -> dict[str, Any]:
        seen = self._construct(arguments, seed=seed, train=True, **options)
        found = seen.value
        if not isinstance(found, dict) or found.get("module") is not True:
            raise Stopped(
                Text(
                    f"{MODEL}(...) makes no `nn.Module`",
                    f"{MODEL}(...) 得到的不是 `nn.Module`",
                )
            )
        return found

    def _construct(self, arguments: Mapping[str, object], **options: Any) -> Observation:
        return self._worked(
            self.client.ask(lambda: ask_construct("tiny_transformer", MODEL, (), arguments, options)),
            f"{MODEL}(...)",
        )

    def logits(self, tokens: Tensor, vocabulary: int, handle: int | None = None) -> Tensor:
        """(B, S, V) in float64: the model in eval mode, on these tokens."""
        handle = self._handle if handle is None else handle
        seen = self._worked(
            self.client.forward(handle, [tokens], train=False, poison=None), f"{MODEL}.forward"
        )
        shape = (*tokens.shape, vocabulary)
        return self._tensor(seen, shape, f"{MODEL}.forward", floating=True).double()

    # -- the functions --------------------------------------------------------------------------

    def targets(self, tokens: Tensor) -> Tensor:
        """(B, S) whole numbers: the learner's own targets."""
        seen = self._worked(self.client.call(FUNCTIONS[0], [tokens]), FUNCTIONS[0])
        return self._tensor(seen, tuple(tokens.shape), FUNCTIONS[0], floating=False).long()

    def steps(
        self,
        tokens: Tensor,
        counted: Tensor,
        rates: Sequence[float],
        clip: float | None,
        *,
        closely: bool = False,
    ) -> Steps:
        """One call of `train_step` for each batch of (n, B, S)."""
        seen = self._worked(
            self.client.train(
                self._handle,
                [tokens, counted],
                do="steps",
                rates=list(rates),
                clip=clip,
                closely=closely,
                settings=SETTINGS,
            ),
            "train_step",
        )
        return _steps(seen, len(tokens), closely)

    def decode(self, prompt: Tensor, most: int, eos: int | None) -> Tensor:
        """(B, P + n) whole numbers: what `greedy_decode` gives."""
        seen = self._worked(
            self.client.train(self._handle, [prompt], do="decode", most=most, eos=eos, settings=SETTINGS),
            FUNCTIONS[2],
        )
        value = seen.value.get("tokens") if isinstance(seen.value, dict) else None
        rows, length = prompt.shape
        if (
            not isinstance(value, Tensor)
            or value.dim() != 2
            or value.shape[0] != rows
            or not length <= value.shape[1] <= length + most
            or value.is_floating_point()
        ):
            came = _described(value)
            raise Stopped(
                Text(
                    f"`{FUNCTIONS[2]}` returns {came.en} for a prompt of shape ({rows}, {length}) "
                    "and "
                    f"{most} new tokens: whole numbers of shape ({rows}, {length} + n) are due",
                    f"对形状为 ({rows}, {length}) 的提示和 {most} 个新词元，`{FUNCTIONS[2]}` 返回了"
                    f"{came.zh}：应为形状 ({rows}, {length} + n) 的整数张量",
                )
            )
        return value.long()

    # -- answers --------------------------------------------------------------------------------

    def _worked(self, seen: Observation, what: str) -> Observation:
        if not seen.ok:
            raise stopped(seen, what)
        return seen

    def _tensor(self, seen: Observation, shape: tuple[int, ...], what: str, *, floating: bool) -> Tensor:
        value = seen.value
        if (
            isinstance(value, Tensor)
            and tuple(value.shape) == shape
            and value.is_floating_point() == floating
            and value.dtype is not torch.bool
        ):
            return value
        came = _described(value)
        kind = Text("numbers", "数值张量") if floating else Text("whole numbers", "整数张量")
        raise Stopped(
            Text(
                f"`{what}` returns {came.en}: {kind.en} of shape {shape} are due",
                f"`{what}` 返回了{came.zh}：应为形状 {shape} 的{kind.zh}",
            )
        )


def _draw(state: Mapping[str, Any], d_model: int, seed: int) -> dict[str, Tensor]:
    """Values for the matrices of a model by its own description: Xavier, and embeddings of about 1 once they
    are multiplied by sqrt(d_model).  Vectors stay as the learner has them."""
    generator = torch.Generator().manual_seed(seed * 1000 + 29)
    drawn: dict[str, Tensor] = {}
    total = 0
    for name, entry in state.items():
        shape, numel = entry["shape"], math.prod(entry["shape"])
        if (
            not entry["trains"]
            or len(shape) != 2
            or entry["dtype"] != "float32"
            or not 0 < numel <= MAX_ENTRY
        ):
            continue
        total += numel
        if total > MAX_STATE:
            break
        if "embedding" in name:
            drawn[name] = torch.randn(shape, generator=generator) * d_model**-0.5
        else:
            drawn[name] = (torch.rand(shape, generator=generator) * 2 - 1) * math.sqrt(6 / sum(shape))
    return drawn


def _steps(seen: Observation, count: int, closely: bool) -> Steps:
    """The answer to `steps`, if it has the form of one."""
    value = seen.value
    try:
        losses = value["losses"]
        events = tuple(tuple(str(e)[:20] for e in row) for row in value["events"])
        norms, left = _numbers(value["norms"]), _numbers(value["left"])
        reached = tuple(int(n) for n in value["reached"])
        moved, parameters = float(value["moved"]), int(value["parameters"])
        if len(losses) != count or len(events) != count or len(norms) != count or len(reached) != count:
            raise ValueError
        if len(left) != (count if closely else 0):
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise Stopped(
            Text(
                "the worker's answer is none that the protocol knows: something interferes with the process "
                "that runs the code",
                "工作进程的返回内容不符合协议：有代码干扰了运行它的进程",
            ),
            broken=False,
        ) from None
    kind = next((_described(loss) for loss in losses if type(loss) is not float), None)
    return Steps(tuple(_loss(loss) for loss in losses), kind, events, norms, left, reached, moved, parameters)


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


def _loss(value: Any) -> float | None:
    if isinstance(value, Tensor) and value.numel() == 1 and value.dtype is not torch.bool:
        return float(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _described(value: Any) -> Text:
    """What came back, in a few words."""
    if isinstance(value, Tensor):
        kind, shape = str(value.dtype).removeprefix("torch."), tuple(value.shape)
        return Text(f"a {kind} tensor of shape {shape}", f"形状 {shape} 的 {kind} 张量")
    if value is None:
        return Text("None", " None")
    name = value.type if isinstance(value, Opaque) else type(value).__name__
    return Text(f"a value of type {name}", f" {name} 类型的值")
