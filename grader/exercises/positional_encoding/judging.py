"""What the checks of exercise 3 share: calls of one module in a row, its state dict, its dropout."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import torch

from grader.diagnosis.model import Probe
from grader.exercises.dropping import called_in_training, drawn_anew, dropped_together
from grader.exercises.positional_encoding.probes import (
    FIXED,
    LEARNED,
    TABLE,
    made,
    module_case,
    numbers,
    table_case,
)
from grader.marking.compare import number
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.precision import whole_numbers
from grader.submission.observation import Observation, Outcome
from grader.text import Text

__all__ = [
    "RATE",
    "adds",
    "again",
    "by_position",
    "drops",
    "in_eval",
    "lost",
    "positions_are_told_apart",
    "refused",
    "state_agrees",
    "sums",
    "table",
    "table_of",
]

RATE = 0.25  # not one half, which is the default of nn.Dropout and its own complement
SIGMAS = 0.14  # seven standard deviations of 512 draws


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def table(max_len: int, d_model: int) -> Probe:
    return table_case("t", max_len, d_model)


@cache
def sums(target: str) -> tuple[Probe, ...]:
    """Batches that are smaller than, equal to and larger than the sequence."""
    sizes = ((3, 5, 4), (5, 3, 4), (4, 4, 4), (1, 9, 8), (6, 1, 8))
    found = []
    for seed, size in enumerate(sizes):
        words = f"{target}, x of shape {size}", f"{target}，x 的形状为 {size}"
        grad = seed in (0, 3)
        found.append(module_case(target, "a", *words, numbers(40 + seed, *size), grad=grad))
    return tuple(found)


@cache
def in_eval(target: str) -> Probe:
    words = f"{target} with dropout={RATE} in eval mode", f"{target}，dropout={RATE}，eval 模式"
    return module_case(target, "d", *words, numbers(60, 4, 8, 16), max_len=10, dropout=RATE)


@cache
def named(target: str, d_model: int, max_len: int | None) -> Probe:
    return made(target, "s", d_model, max_len)


def table_of(lab: Lab, max_len: int, d_model: int) -> torch.Tensor:
    """The submission's table, after checking that it is a float32 tensor of the right shape."""
    probe = table(max_len, d_model)
    seen = lab.glimpse(probe)
    lab.must_work(seen, probe.title)
    found = lab.unpacked(seen, TABLE, probe.title)[0]
    right = torch.zeros(max_len, d_model)
    if not isinstance(found, torch.Tensor) or found.shape != right.shape or found.dtype != right.dtype:
        lab.near("table", found, right, title=probe.title)
    assert isinstance(found, torch.Tensor)
    return found


def adds(lab: Lab, target: str) -> None:
    """The sum is right for batches that are smaller than, equal to and larger than the sequence."""
    for probe in sums(target):
        lab.agrees(probe, gradients=False)


def state_agrees(lab: Lab, target: str, d_model: int, max_len: int | None) -> None:
    """The state dict holds what it should, under the right name, of the right shape and kind."""
    probe = named(target, d_model, max_len)
    seen = lab.glimpse(probe)
    lab.must_work(seen, probe.title)
    right = lab.right(probe).seen.value
    found = seen.value
    if not isinstance(found, dict):
        lab.fail(f"{target} is not an nn.Module", f"{target} 不是 nn.Module")
        return
    if found == right:
        return
    have = _listed(found)
    want = _listed(right)
    lab.fail(
        f"{probe.title.en} holds {have or 'nothing'}, expected {want}",
        f"{probe.title.zh} 中有 {have or '（空）'}，应为 {want}",
        fault=_state_fault(target, found, max_len),
    )


def _state_fault(target: str, found: Mapping[str, str], max_len: int | None) -> str | None:
    """What is wrong with a state dict, where it is no question of the table's shape."""
    name = "embedding.weight" if target == LEARNED else "pe"
    if name not in found:
        return "embedding-missing" if target == LEARNED else None
    return "max-len-default-wrong" if max_len is None else None  # with a max_len it was right


def _listed(state: dict[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in state.items())


def again(lab: Lab, target: str) -> None:
    """One module is called with a short sequence in another dtype, with a long one, and with a short one.

    What the first call gives is open: half precision is for modules that are converted to it.
    """
    short = module_case(target, "r", "a first call", "第一次调用", numbers(46, 2, 3, 4))
    made = lab.make(target, init=dict(short.init or {}), state=dict(short.state or {}), dtype="float64")
    for dtype, size in ((torch.bfloat16, 3), (torch.float64, 8), (torch.float64, 3)):
        x = numbers(46 + size, 2, size, 4, dtype=dtype)
        title = Text(
            f"{target}: one module, called with 3 tokens in bfloat16, then 8 and 3 in float64; here {size}",
            f"{target}：同一模块先接收 bfloat16 的 3 个词元，再接收 float64 的 8 个和 3 个；这里是 {size} 个",
        )
        seen = made(x)
        lab.not_stopped(seen, title)
        if dtype is torch.bfloat16:
            continue
        right = lab.right(short.but(args=(x,))).seen.value
        if not seen.ok or not isinstance(seen.value, torch.Tensor) or not lab.close(seen.value, right):
            # every one of these calls is right on a module of its own, or else another check says so
            lab.agrees(short.but(args=(x,)))
            lab.fail(
                f"{title.en}: it is not what a new module gives",
                f"{title.zh}：与一个新建的模块给出的不同",
                fault="table-overwritten",
            )


def by_position(lab: Lab, target: str) -> None:
    """The constructor takes d_model, max_len and dropout in this order."""
    title = Text.same(f"{target}(6, 11, 0.0)")
    seen = lab.client.construct(target, (6, 11, 0.0), {}, state=None, train=False, dtype=None, seed=0)
    by_name = lab.glimpse(named(target, 6, 11))
    table = "pe" if target == FIXED else "embedding.weight"
    entry = seen.value.get("state", {}).get(table, {}) if isinstance(seen.value, dict) else {}
    if by_name.ok and (not seen.ok or entry.get("shape") not in ([1, 11, 6], [11, 6], (1, 11, 6), (11, 6))):
        lab.fail(
            f"{title.en}: the parameters do not stand in the order d_model, max_len, dropout",
            f"{title.zh}：参数的顺序不是 d_model、max_len、dropout",
            fault="wrong-signature",
        )


def lost(lab: Lab, found: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether some numbers are zero, and the others are the right ones times one factor."""
    if found.shape != right.shape:
        return False
    kept = found != 0
    if bool(kept.all()):
        return False
    factor = _factor(found, right)
    return factor is None or lab.close(found, right * kept * factor)


def _factor(found: torch.Tensor, right: torch.Tensor) -> float | None:
    """By how much the numbers that are not zero are larger than the right ones (the median)."""
    kept = (found != 0) & (right.abs() > 1e-3)
    return float((found[kept] / right[kept]).double().median()) if bool(kept.any()) else None


def drops(lab: Lab, probe: Probe) -> None:
    """With dropout in training every number is 0 or scaled up, and both occur."""
    title = Text(
        f"{probe.target} with dropout={RATE} in training mode", f"{probe.target}，dropout={RATE}，训练模式"
    )
    full = lab.right(probe).seen.value
    active = probe.but(train=True, title=title)
    made, seen = called_in_training(lab, active)
    lab.must_work(seen, title)
    found = lab.unpacked(seen, probe.target, title)[0]
    if not isinstance(found, torch.Tensor) or found.shape != full.shape:
        lab.near("result", found, full, title=title)
        return
    kept = found != 0
    share, factor = float(kept.double().mean()), _factor(found, full)
    if factor is not None and not bool(kept.all()) and lab.close(found, full * kept * factor):
        _rate_is_right(lab, title, share, factor, kept)
    _each_summand(lab, title, found, probe, full)
    if not 0.75 - SIGMAS < share < 0.75 + SIGMAS:
        lab.fail(
            f"{title.en}: {share:.0%} of the numbers are not zero, expected about {1 - RATE:.0%}",
            f"{title.zh}：{share:.0%} 的数不为零，应约为 {1 - RATE:.0%}",
        )
    lab.near("result", found, full * kept / (1 - RATE), title=title)
    drawn_anew(lab, active, made, seen)


def _each_summand(lab: Lab, title: Text, found: torch.Tensor, probe: Probe, full: torch.Tensor) -> None:
    """Every number is the sum, one of its parts, or nothing: each part has been dropped from by itself."""
    x = (probe.args or (full,))[0]
    scaled = [torch.zeros_like(full), full / (1 - RATE), x / (1 - RATE), (full - x) / (1 - RATE)]
    near = torch.stack([(found - t).abs() < 1e-6 for t in scaled])
    if bool(near.any(dim=0).all()) and all(bool(one.any()) for one in near[1:]):
        lab.fail(
            f"{title.en}: x and the positions are dropped from one by one, before they are added",
            f"{title.zh}：x 和位置在相加之前各自做了 dropout",
            fault="dropout-on-each-summand",
        )


def _rate_is_right(lab: Lab, title: Text, share: float, factor: float, kept: torch.Tensor) -> None:
    """The sum has been dropped from: at which rate, how often, and number by number?"""
    if abs(factor - 1) < 1e-3 and abs(share - (1 - RATE)) < SIGMAS:
        lab.fail(
            f"{title.en}: what is kept is not scaled up by 1 / (1 - p)",
            f"{title.zh}：保留下来的数没有除以 (1 - p)",
            fault="dropout-not-rescaled",
        )
    if abs(factor - 1 / (1 - RATE) ** 2) < 1e-3:
        lab.fail(
            f"{title.en}: what is kept is scaled up twice, so dropout acts twice",
            f"{title.zh}：保留下来的数被放大了两次，说明 dropout 作用了两次",
            fault="dropout-twice",
        )
    if abs(factor - 1 / (1 - RATE)) > 1e-3 and factor > 1:
        rate = number(1 - 1 / factor)
        lab.fail(
            f"{title.en}: a rate of {rate} is used",
            f"{title.zh}：实际的丢弃率是 {rate}",
            fault="dropout-rate-wrong",
        )
    together = dropped_together(kept)
    if together is not None:
        words = title + Text(": ", "：") + together
        lab.fail(words.en, words.zh, fault="dropout-whole-positions")


def positions_are_told_apart(lab: Lab, probe: Probe) -> None:
    """Each position gets its own row where the dtype of x has fewer whole numbers than there are."""
    title = Text(f"{probe.target}, {probe.title.en}", f"{probe.target}，{probe.title.zh}")
    probe = probe.but(title=title)
    try:
        lab.agrees(probe)
    except CheckFailed as failure:
        seen, right = failure.seen, lab.right(probe).seen.value
        found = seen.value if seen is not None else None
        x = probe.args[0] if probe.args else None
        if isinstance(found, torch.Tensor) and isinstance(x, torch.Tensor) and found.shape == right.shape:
            wrong = ((found - right).abs().amax(dim=(0, 2)) > 0.05).nonzero().flatten()
            if len(wrong) and int(wrong[0]) > 200:
                position, dtype = int(wrong[0]), whole_numbers(x.dtype)
                lab.fail(
                    f"{probe.title.en}: positions up to {position - 1} are right, position {position} gets "
                    f"another's row; {dtype.en}",
                    f"{probe.title.zh}：前面直到位置 {position - 1} 都正确，位置 {position} "
                    f"却用了别的位置的那一行；{dtype.zh}",
                    fault="positions-in-half-precision",
                )
        raise


def refused(lab: Lab, target: str, probe: Probe, seen: Observation, length: int) -> None:
    """The error says what is wrong, in numbers; anything else is a mistake by itself."""
    title = Text(f"{target} with {length} tokens and max_len=11", f"{target}，{length} 个词元，max_len=11")
    error = seen.error
    if seen.outcome is Outcome.OK or error is None:
        shape = getattr(seen.value, "shape", None)
        got = f"a result of shape {tuple(shape)}" if shape is not None else "a result"
        got_zh = f"返回了形状为 {tuple(shape)} 的结果" if shape is not None else "返回了结果"
        text = Text(f"{title.en}: no error, but {got}", f"{title.zh}：没有报错，{got_zh}")
        raise CheckFailed(text, fault="too-long-silent", line=_line(lab, probe))
    named = [n for n in (length, 11) if re.search(rf"(?<!\d){n}(?!\d)", error.message)]
    if "ValueError" in error.bases and len(named) == 2:
        return
    said = error.message.strip().splitlines()[0][:200] if error.message.strip() else "(no message)"
    text = Text(
        f"{title.en}: {error.type}: {said}; expected a ValueError that names {length} and 11",
        f"{title.zh}：{error.type}：{said}；应为同时给出 {length} 和 11 的 ValueError",
    )
    raise CheckFailed(text, fault="too-long-silent", seen=seen)


def _line(lab: Lab, probe: Probe) -> int | None:
    """The line of the first operation of a call that should have been refused."""
    trace = lab.observe(probe, trace=True).trace
    return trace[0].line if trace else None


def drops_by_default(lab: Lab, target: str) -> None:
    """Without a rate nothing is dropped in training."""
    title = Text(f"{target} in training mode without a rate", f"训练模式下不传 dropout 的 {target}")
    x = numbers(61, 4, 8, 16)
    probe = module_case(target, "d", title.en, title.zh, x, max_len=10, train=True)
    settings = {name: value for name, value in (probe.init or {}).items() if name != "dropout"}
    seen = lab.observe(probe.but(init=settings))
    if isinstance(seen.value, torch.Tensor) and lost(lab, seen.value, lab.right(probe).seen.value):
        lab.fail(
            f"{title.en}: something is dropped, the default rate is 0",
            f"{title.zh}：有内容被丢弃，而默认的丢弃率是 0",
            fault="dropout-default-wrong",
        )
