"""The calls that tell the faults of training apart: padding anywhere, rows that weigh unequally."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.training.drawing import (
    DECODED,
    GENTLE,
    ORDERS,
    costing,
    decoding,
    logits,
    looking,
    stepping,
    targeting,
    tokens,
    toy,
    wanted,
)
from grader.submission.asking import ToyModel

__all__ = ["PROBES", "batches", "chatty", "prompt"]

F64 = torch.float64


def batches(seed: int, count: int, B: int, S: int, V: int = 7) -> list[tuple[Tensor, Tensor]]:
    """Token ids and targets of several rounds, all different; rows count unequally."""
    return [(tokens(seed + 10 * n, B, S, V=V), wanted(seed + 10 * n + 1, B, S, V=V)) for n in range(count)]


def chatty(seed: int, *, train: bool = True, V: int = 6, lean: float = 0.0) -> ToyModel:
    """A model whose likeliest continuations vary."""
    return toy(seed, V=V, d=6, train=train, looks=DECODED, spread=1.6, mix=1.0, lean=lean)


def prompt(seed: int, B: int, P: int, V: int = 6) -> Tensor:
    """A prompt (B, P), the same that the seeds below were chosen with."""
    return torch.randint(0, V, (B, P), generator=torch.Generator().manual_seed(seed + 1000))


def _empty_round() -> list[tuple[Tensor, Tensor]]:
    given = batches(31, 3, 2, 4)
    given[1] = (given[1][0], torch.full_like(given[1][1], -100))
    return given


_square = tokens(4, 5, 5, pad_id=2)
_one_row = torch.tensor([[4, 0, 0, 7, 3, 0]])
_inside = torch.tensor([[0, 0, 5, 7, 2], [3, 0, 4, 0, 9], [8, 1, 6, 0, 0], [2, 4, 6, 8, 1]])
_large = logits(77, 2, 3, 5) * 150.0
_certain = logits(82, 3, 4, 6) * 150.0
_sure = logits(75, 2, 4, 3, dtype=F64, spread=0.3)
_steps = stepping(
    "steps", "three steps", "三步", toy(1, stale=0.7), batches(1, 3, 3, 4)
)  # fmt: skip
_clipping = stepping(
    "clip-order", "clipped steps", "裁剪梯度的几步",
    toy(3, dtype=torch.float32, nudge=1.5), batches(3, 2, 3, 4), 0.5, momentum=0.0, tier="tie",
)  # fmt: skip
_orders = stepping(
    "orders", "steps in order", "几步的顺序", toy(2, nudge=0.4), batches(2, 2, 3, 4), momentum=0.0, tier="tie"
)

TARGETS: tuple[Probe, ...] = (
    targeting("targets", "token ids (3, 6), padding 0", "词元 (3, 6)，填充为 0", tokens(1, 3, 6)),
    targeting("targets-inside", "padding between tokens", "填充夹在词元之间", _inside),
    targeting("targets-pad", "pad_id=3", "pad_id=3", tokens(2, 3, 7, pad_id=3), pad_id=3),
    targeting("targets-pad-positional", "pad_id 5", "pad_id 为 5", tokens(3, 2, 7, pad_id=5), 5),
    targeting("targets-square", "token ids (5, 5)", "词元 (5, 5)", _square, pad_id=2),
    targeting(
        "targets-ignore", "ignore_index=-1", "ignore_index=-1", tokens(6, 3, 5), ignore_index=-1
    ),
    targeting(
        "targets-ignore-real", "ignore_index=12", "ignore_index=12", tokens(7, 2, 6), ignore_index=12
    ),
    targeting("targets-one", "a batch of one", "批次大小为 1", _one_row),
    targeting(
        "targets-int32", "int32 token ids", "int32 词元", tokens(8, 3, 5).to(torch.int32)
    ),
)  # fmt: skip

LOSSES: tuple[Probe, ...] = (
    costing("loss", "logits (3, 5, 7)", "logits (3, 5, 7)", logits(71, 3, 5, 7), wanted(71, 3, 5, V=7)),
    costing(
        "loss-all-count", "targets that all count", "目标全部计入",
        logits(72, 2, 4, 6), wanted(72, 2, 4, V=6, counts=(4, 4)),
    ),
    costing(
        "loss-square", "logits (3, 4, 4)", "logits (3, 4, 4)", logits(73, 3, 4, 4), wanted(73, 3, 4, V=4)
    ),
    costing(
        "loss-turned", "transposed logits", "转置得到的 logits",
        logits(83, 5, 3, 4).transpose(0, 1), wanted(83, 3, 5, V=4),
    ),
    costing(
        "loss-sliced", "sliced targets", "切片得到的目标", logits(84, 3, 5, 4), wanted(84, 3, 6, V=4)[:, 1:]
    ),
    costing(
        "loss-ignore", "ignore_index=-1", "ignore_index=-1",
        logits(74, 3, 5, 7), wanted(74, 3, 5, V=7, ignore_index=-1), ignore_index=-1,
    ),
    costing(
        "loss-ignore-class", "ignore_index=2", "ignore_index=2",
        logits(76, 3, 5, 7), wanted(76, 3, 5, V=7, ignore_index=2), 2,
    ),
    costing(
        "loss-ignore-above", "ignore_index=99", "ignore_index=99",
        logits(85, 3, 5, 7), wanted(85, 3, 5, V=7, ignore_index=99), ignore_index=99,
    ),
    costing(
        "loss-uneven", "rows of 1, 5 and 2 targets that count", "各行有 1、5、2 个目标计入",
        logits(78, 3, 5, 4), wanted(78, 3, 5, V=4, counts=(1, 5, 2)),
    ),
    costing(
        "loss-empty-row", "a row in which no target counts", "有一行没有目标计入",
        logits(79, 3, 4, 5), wanted(79, 3, 4, V=5, counts=(3, 0, 2)),
    ),
    costing(
        "loss-none", "targets none of which counts", "没有任何目标计入",
        logits(80, 2, 3, 5, dtype=F64), torch.full((2, 3), -100), grad=True,
    ),
    costing(
        "loss-grad", "logits (2, 4, 5)", "logits (2, 4, 5)",
        logits(81, 2, 4, 5), wanted(81, 2, 4, V=5), grad=True,
    ),
    costing(
        "loss-double", "float64 logits", "float64 logits",
        _sure + 1.0 * torch.nn.functional.one_hot(torch.tensor([[0, 2, 1, 0], [1, 1, 2, 0]]), 3),
        torch.tensor([[0, 2, -100, 0], [1, 1, 2, -100]]), condition=GENTLE,
    ),
    costing(
        "loss-large", "logits up to 400", "绝对值达 400 的 logits",
        _large, wanted(77, 2, 3, V=5), tier="edge", condition=400.0,
    ),
    costing(
        "loss-certain", "large logits at the targets", "目标处的 logits 很大",
        _certain, _certain.argmax(dim=-1), tier="edge", condition=400.0,
    ),
)  # fmt: skip

STEPS: tuple[Probe, ...] = (
    _steps,
    stepping("steps-fresh", "two steps", "两步", toy(5, train=True), batches(5, 2, 2, 5)),
    stepping(
        "steps-square", "a step with S = V", "S = V 的一步", toy(6, V=5, train=True), batches(6, 1, 3, 5, 5)
    ),
    stepping(
        "steps-full", "a step in which all targets count", "目标全部计入的一步",
        toy(12), [(tokens(12, 2, 4, V=7), wanted(12, 2, 4, V=7, counts=(4, 4)))],
    ),
    stepping(
        "steps-empty", "a step in which no target counts", "其中一步没有目标计入",
        toy(7, train=True), _empty_round(), momentum=0.0,
    ),
    stepping(
        "steps-clip", "steps with max_grad_norm=0.4, one parameter frozen",
        "max_grad_norm=0.4、一个参数被冻结的几步",
        toy(8, dtype=torch.float32, frozen=1.0), batches(8, 2, 3, 4), 0.4, momentum=0.0,
    ),
    stepping(
        "steps-clip-two", "a step with max_grad_norm=0.9", "max_grad_norm=0.9 的一步",
        toy(9, dtype=torch.float32, spread=1.5), batches(9, 2, 3, 4), max_grad_norm=0.9,
    ),
    stepping(
        "steps-loose", "a step with max_grad_norm=50", "max_grad_norm=50 的一步",
        toy(10, dtype=torch.float32), batches(10, 2, 2, 4), max_grad_norm=50.0,
    ),
    stepping(
        "steps-steep", "steps without max_grad_norm", "不给 max_grad_norm 的几步",
        toy(11, spread=1.5), batches(11, 2, 2, 4), lr=0.05,
    ),
    looking(_clipping, *ORDERS),
    looking(_orders, *ORDERS),
)  # fmt: skip

DECODES: tuple[Probe, ...] = (
    decoding("decode", "a prompt (3, 3)", "提示 (3, 3)", chatty(5), prompt(5, 3, 3), 6),
    decoding(
        "decode-eval", "a model in eval mode", "处于评估模式的模型",
        chatty(118, train=False), prompt(118, 3, 3), 7,
    ),
    decoding(
        "decode-both-ways", "a model that looks both ways", "双向的模型",
        chatty(5, lean=0.5), prompt(5, 2, 4), 6,
    ),
    decoding("decode-one", "one row, one token", "一行、一个词元", chatty(25), prompt(25, 1, 4), 1),
    decoding("decode-none", "max_new_tokens=0", "max_new_tokens=0", chatty(30), prompt(30, 2, 3), 0),
    decoding(
        "decode-short", "a prompt of one token", "只有一个词元的提示", chatty(131), prompt(131, 2, 1), 5
    ),
    decoding("eos", "eos_id=2", "eos_id=2", chatty(25), prompt(25, 3, 3), 7, eos_id=2),
    decoding("eos-late", "eos_id=4", "eos_id=4", chatty(151), prompt(151, 3, 3), 7, 4),
    decoding("eos-zero", "eos_id=0", "eos_id=0", chatty(81), prompt(81, 3, 3), 7, eos_id=0),
    decoding(
        "eos-prompt", "a prompt that contains eos_id", "提示中含有 eos_id",
        chatty(251, train=False), prompt(251, 3, 3), 7, eos_id=3,
    ),
    decoding(
        "eos-never", "a row that never ends", "有一行始终不结束",
        chatty(30), prompt(30, 3, 3), 7, eos_id=4,
    ),
    decoding(
        "eos-single", "one row with eos_id=4", "一行，eos_id=4", chatty(131), prompt(131, 1, 3), 8, eos_id=4
    ),
)  # fmt: skip

PROBES: tuple[Probe, ...] = (*TARGETS, *LOSSES, *STEPS, *DECODES)
