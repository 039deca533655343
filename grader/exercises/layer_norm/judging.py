"""What the checks of exercise 5 share: settings by position, one object called again, what dropout does."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import Probe
from grader.exercises.dropping import called_in_training, drawn_anew, dropped_together, kept_of
from grader.exercises.layer_norm.probes import add, features, linear, ln, stretch
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab, Made
from grader.submission.observation import Observation
from grader.text import Text
from grader.worker.callables import CALLABLES

__all__ = [
    "half_dropped",
    "line_of_call",
    "one_object_again",
    "settings_by_position",
    "something_dropped",
    "statistics_fit",
    "survivors_are_scaled",
    "survivors_before_the_norm",
    "told_by_the_error",
]


def statistics_fit(lab: Lab, probe: Probe) -> None:
    """The sum of a long row in half precision is no larger than the dtype, or is taken in a wider one."""
    try:
        lab.agrees(probe)
    except CheckFailed as failure:
        seen = failure.seen.value if failure.seen is not None else None
        if isinstance(seen, Tensor) and not bool(seen.isfinite().all()):
            failure.fault = "sum-overflow-half"
        raise


def settings_by_position(lab: Lab) -> None:
    """The constructors take their settings in the order of the exercise."""
    x = features(143, 2, 3, 6)
    calls: tuple[tuple[Probe, tuple[Any, ...]], ...] = (
        (ln("p", "LayerNorm(6, 0.5)", "LayerNorm(6, 0.5)", x, eps=0.5), (6, 0.5)),
        (
            add(
                "p",
                "AddNorm(6, 0.0, True, 0.5)",
                "AddNorm(6, 0.0, True, 0.5)",
                x,
                linear(2, 6),
                init={"dropout": 0.0, "norm_first": True, "eps": 0.5},
            ),
            (6, 0.0, True, 0.5),
        ),
    )
    for probe, settings in calls:
        state = dict(probe.state or {})
        call: dict[str, Any] = {"args": probe.args, "kwargs": {}, "train": False}
        seen = lab.client.construct(
            probe.target, settings, {}, state=state, train=False, dtype="float64", then=call
        )
        right = lab.right(probe).seen.value
        if not isinstance(seen.value, Tensor) or not lab.close(seen.value, right, 8.0):
            by_name = lab.observe(probe)
            if isinstance(by_name.value, Tensor) and lab.close(by_name.value, right, 8.0):
                lab.fail(
                    f"{probe.title.en} differs from the same settings by name: their order is another",
                    f"{probe.title.zh} 与按名字传同样的设置结果不同：参数的顺序不对",
                    fault="wrong-signature",
                )


def line_of_call(lab: Lab, probe: Probe) -> int | None:
    """The first of the learner's lines at which the sublayer computes something."""
    traced = lab.observe(probe, trace=True)
    if not traced.ok or not traced.calls or not traced.calls[0]["arguments"]:
        return None
    given = traced.calls[0]["arguments"][0]
    sublayer = probe.args[1] if probe.args else None
    if not isinstance(given, Tensor) or sublayer is None:
        return None
    settings = {k: v.to(given.dtype) for k, v in sublayer.settings.items()}
    if given.shape[-1:] != settings["weight"].shape[-1:]:
        return None
    wanted = CALLABLES[sublayer.name](given, **settings)
    for event in traced.trace:
        if event.value is not None and event.value.shape == wanted.shape and lab.close(event.value, wanted):
            return event.line
    return None


@cache
def half_dropped(first: bool, *, train: bool) -> Probe:
    """With a rate of one half.  What the sublayer gives is 3 everywhere: what dropout does is seen."""
    if train:
        words = "in training with dropout = 0.5", "训练模式下的 {}，dropout = 0.5"
    else:
        words = "in eval mode with dropout = 0.5", "eval 模式下的 {}，dropout = 0.5"
    if first:
        x = features(181, 4, 20, 16)
    else:
        g = torch.Generator().manual_seed(183)
        pattern = torch.tensor([-4.0, -1.0, 2.0, 5.0], dtype=torch.float64)  # rows of large variance
        x = pattern + 0.3 * torch.randn(16, 16, 4, generator=g, dtype=torch.float64)
    en, zh = ("pre-LN", "Pre-LN") if first else ("post-LN", "Post-LN")
    init = {"norm_first": first, "dropout": 0.5}
    return add("d", f"{en} {words[0]}", words[1].format(zh), x, stretch(0.0, 3.0), init=init, train=train)


def survivors_are_scaled(lab: Lab) -> None:
    """With a rate of one half, what is added is nothing, or twice what the sublayer gave."""
    probe = half_dropped(True, train=True)
    x: Tensor = (probe.args or ())[0]
    made, seen = called_in_training(lab, probe)
    lab.must_work(seen, probe.title)
    if not isinstance(seen.value, Tensor) or seen.value.shape != x.shape:
        lab.agrees(probe.but(train=False))
        return
    added = seen.value - x
    zero, kept = added.abs() < 1e-9, (added - 6.0).abs() < 1e-9
    if not bool((zero | kept).all()):
        odd = float(added[~(zero | kept)][0])
        lab.fail(
            f"{probe.title.en}: the sublayer gives 3, and {odd:.4g} was added; expected 0 or 3 / (1 - 0.5)",
            f"{probe.title.zh}：子层输出 3，实际加上的是 {odd:.4g}；应为 0 或 3 / (1 - 0.5)",
            fault="dropout-not-scaled" if abs(odd - 3.0) < 1e-9 and bool(zero.any()) else None,
        )
    share = float(zero.double().mean())
    if not 0.3 < share < 0.7:
        lab.fail(
            f"{probe.title.en}: a share of {share:.2f} was dropped, expected about 0.5",
            f"{probe.title.zh}：被丢弃的比例是 {share:.2f}，应约为 0.5",
        )
    _by_throws_of_their_own(lab, probe, kept, made, seen)


def survivors_before_the_norm(lab: Lab) -> None:
    """In post-LN the norm hides what dropout did: of all ways to drop, one gives what was seen."""
    probe, quiet = (half_dropped(False, train=train) for train in (True, False))
    x: Tensor = (probe.args or ())[0]
    plain = lab.glimpse(quiet).value
    if not isinstance(plain, Tensor) or not lab.close(plain, lab.right(quiet).seen.value):
        return  # another check's matter
    made, seen = called_in_training(lab, probe)
    lab.must_work(seen, probe.title)
    cases = kept_of(4)  # (16, 4)
    sums = x[..., None, :] + 6.0 * cases  # (B, S, 16, 4)
    state = probe.state or {}
    weight, bias = state.get("weight", torch.ones(4).double()), state.get("bias", torch.zeros(4).double())
    normed = nn.functional.layer_norm(sums, (4,), weight, bias, 1e-5)
    if not isinstance(seen.value, Tensor) or seen.value.shape != x.shape:
        lab.near("result", seen.value, x, title=probe.title)
        return
    distance = (normed - seen.value.double()[..., None, :]).abs().amax(dim=-1).nan_to_num(nan=torch.inf)
    best = distance.argmin(dim=-1)  # (B, S)
    nearest = normed.gather(2, best[..., None, None].expand(-1, -1, 1, 4)).squeeze(2)
    lab.near("result", seen.value, nearest, condition=8.0, title=probe.title)
    _by_throws_of_their_own(lab, probe, cases[best].bool(), made, seen)


def _by_throws_of_their_own(lab: Lab, probe: Probe, kept: Tensor, made: Made, seen: Observation) -> None:
    """Each number of the sublayer's output has a throw of its own, and no number of its input has one."""
    together = dropped_together(kept)
    if together is not None:
        said = probe.title + Text(": ", "：") + together
        lab.fail(said.en, said.zh, fault="dropout-whole-positions")
    drawn_anew(lab, probe, made, seen)
    first = bool((probe.init or {})["norm_first"])
    given, whole = _given(seen), _given(lab.glimpse(half_dropped(first, train=False)))
    if given is None or whole is None or given.shape != whole.shape:
        return
    if bool(((given == 0) & (whole.abs() > 1e-3)).any()):
        lab.fail(
            f"{probe.title.en}: what the sublayer is given is dropped from as well",
            f"{probe.title.zh}：子层的输入也被丢弃了一部分",
            fault="dropout-misplaced",
        )


def _given(seen: Observation) -> Tensor | None:
    """What the sublayer was called with."""
    arguments = seen.calls[0]["arguments"] if seen.ok and seen.calls else []
    return arguments[0] if arguments and isinstance(arguments[0], Tensor) else None


def something_dropped(lab: Lab, probe: Probe) -> None:
    """Names the absence of dropout here, since a probe with everything dropped hides other faults."""
    seen, plain = lab.glimpse(probe), lab.right(probe.but(train=False)).seen.value
    if isinstance(seen.value, Tensor) and lab.close(seen.value, plain):
        rateless = probe.but(init={**(probe.init or {}), "dropout": 0.0})
        none = lab.observe(rateless)
        if isinstance(none.value, Tensor) and not lab.close(none.value, plain):
            lab.fail(
                f"{probe.title.en}: nothing was dropped, and with dropout = 0 something is",
                f"{probe.title.zh}：什么也没有丢弃，而 dropout = 0 时反而有",
                fault="dropout-keep-probability",
            )
        lab.fail(
            f"{probe.title.en}: nothing was dropped from the sublayer's output",
            f"{probe.title.zh}：子层的输出没有丢弃任何值",
            fault="dropout-missing",
            line=line_of_call(lab, probe),
        )


def _keeps_nothing(lab: Lab, made: Made, other: Probe) -> None:
    """Another input gives what it gives on an object that has seen nothing before."""
    if lab.mentions("empty"):  # memory that was never filled differs by itself: another check names it
        return
    target, args = other.target, other.args or ()
    again = made(*args)
    if isinstance(again.value, Tensor) and lab.close(again.value, lab.right(other).seen.value):
        return
    fresh = lab.make(target, init={"d_model": 6}, seed=20_260_731)(*args)
    both = isinstance(again.value, Tensor) and isinstance(fresh.value, Tensor)
    if both and not torch.equal(again.value.nan_to_num(), fresh.value.nan_to_num()):
        lab.fail(
            f"{target}: after another input, an object gives something else than a new one",
            f"{target}：接收过别的输入之后，同一对象的结果与新建的对象不同",
            fault="result-kept-between-calls",
        )


def told_by_the_error(seen: Observation) -> str | None:
    """What an exception says about how the sublayer was used."""
    if seen.error is None or "TypeError" not in seen.error.bases:
        return None
    if "Counted" in seen.error.message:
        return "sublayer-not-called"
    names = re.findall(r"(\w+)\(\)", seen.error.message)
    return "sublayer-arguments" if CALLABLES.keys() & {*names} else None


def one_object_again(lab: Lab) -> None:
    """One object called twice, without a seed in between, and with a seed nobody would set."""
    x, other = (features(seed, 2, 3, 6, dtype=torch.float32) for seed in (232, 233))
    initial = {"weight": torch.ones(6), "bias": torch.zeros(6)}
    for call in (ln("y", "", "", other), add("y", "", "", other, stretch(0.5, 0.25), init={})):
        target = call.target
        args = (x,) if target == "LayerNorm" else (x, stretch(-0.7, 0.4))  # another sublayer than later
        made = lab.make(target, init={"d_model": 6}, seed=20_260_731)
        values = []
        for _ in range(2):
            seen = made(*args)
            lab.must_work(seen, Text(target, target))
            values.append(seen.value)
        if not all(isinstance(v, Tensor) for v in values) or values[0].shape != values[1].shape:
            continue
        if not torch.equal(values[0].nan_to_num(), values[1].nan_to_num()):
            lab.fail(
                f"{target}: two identical calls of one object gave different results",
                f"{target}：同一对象两次相同的调用结果不同",
                fault="nondeterministic",
            )
        _keeps_nothing(lab, made, call.but(state=initial))
    if lab.client.globals_changed:
        which = ", ".join(sorted(lab.client.globals_changed))
        lab.fail(
            f"a call changed a global setting: {which}",
            f"调用改变了全局设置：{which}",
            fault="global-state-changed",
        )
