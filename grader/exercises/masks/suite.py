"""The hidden suite of exercise 2.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from functools import cache

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.devices import mismatched, stays_on_device
from grader.exercises.masks.probes import (
    applying,
    causal_case,
    combining,
    keep_mask,
    padding_case,
    pair,
    scores,
    tokens,
)
from grader.exercises.properties import tried
from grader.marking.lab import Lab
from grader.submission.client import Device
from grader.submission.observation import Observation
from grader.text import Text

HEADS = (2, 3, 4, 5)


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def padding() -> Probe:
    return padding_case("p", "token ids (3, 5)", "词元 (3, 5)", tokens(105, 3, 5))


@cache
def causal(size: int) -> Probe:
    return causal_case("c", size)


@cache
def combined() -> Probe:
    words = "masks with B = 2, S = 5", "B = 2、S = 5 的掩码"
    return combining("b", *words, *pair(125, 2, 5))


@cache
def applied() -> Probe:
    return _apply("scores (2, 3, 4, 5)", 130, HEADS, keep_mask(130, *HEADS))


@cache
def broadcast(*shape: int) -> Probe:
    words = f"a mask of shape {shape}", f"形状为 {shape} 的掩码"
    return applying("a", *words, scores(140, *HEADS), keep_mask(141, *shape))


@cache
def number_mask(dtype: torch.dtype) -> Probe:
    name = str(dtype).removeprefix("torch.")
    words = f"a mask of dtype {name}", f"dtype 为 {name} 的掩码"
    return applying("a", *words, scores(151, *HEADS), keep_mask(150, 2, 1, 4, 5).to(dtype))


# -- padding_mask -----------------------------------------------------------------------------------


def test_padding_marks_real_tokens(lab: Lab) -> None:
    """padding_mask is True at real tokens, False at padding, in the shape (B, 1, 1, S)"""
    lab.agrees(padding())
    for B, S in ((4, 4), (1, 6), (2, 1)):
        words = f"token ids ({B}, {S})", f"词元 ({B}, {S})"
        lab.agrees(padding_case("p", *words, tokens(100 + S, B, S)))


def test_padding_uses_pad_id(lab: Lab) -> None:
    """padding_mask compares with pad_id, whatever number that is"""
    lab.agrees(padding_case("p", "pad_id=-1", "pad_id=-1", tokens(119, 3, 7, -1), pad_id=-1))
    ids = torch.tensor([[300, 44, 30_000, 556, 300], [44, 300, 300, 0, 1]])  # 44 is 300 in eight bits
    lab.agrees(padding_case("p", "pad_id=300", "pad_id=300", ids, pad_id=300))


def test_padding_anywhere(lab: Lab) -> None:
    """padding_mask finds padding before, between and after real tokens, also in whole rows"""
    ids = torch.tensor([[0, 0, 5, 7, 2], [3, 0, 4, 0, 9], [8, 1, 6, 0, 0], [0, 0, 0, 0, 0]])
    lab.agrees(padding_case("p", "padding at every place", "填充出现在各种位置", ids))


# -- causal_mask ------------------------------------------------------------------------------------


def test_causal_triangle(lab: Lab) -> None:
    """causal_mask is True on and below the diagonal, and nowhere else"""
    for size in (2, 9, 8):
        lab.agrees(causal(size))


def test_causal_sizes(lab: Lab) -> None:
    """causal_mask works for any size, and takes a device"""
    if _kept(lab):
        lab.fail(
            "causal_mask(9) and causal_mask(8) gave the same mask: the mask of an earlier call is kept",
            "causal_mask(9) 与 causal_mask(8) 返回了同一个掩码：沿用了先前调用留下的掩码",
            fault="result-kept-between-calls",
        )
    for size in (1, 100):
        lab.agrees(causal(size))
    lab.agrees(causal_case("c", 5, device=True))


def test_uses_the_device(lab: Lab) -> None:
    """causal_mask makes its mask on the device that is asked for"""
    lab.target = "causal_mask"

    def call() -> Observation:
        return lab.client.call("causal_mask", [4], {"device": Device("meta")}, elsewhere=True)

    if mismatched(call()):
        lab.client.close()  # a fresh process has kept no mask of an earlier call, on another device
        if mismatched(call()):
            lab.fail(
                "causal_mask(4, device=...) made its mask on the CPU although another device was asked for",
                "causal_mask(4, device=...) 指定了其他设备，掩码却仍建在 CPU 上",
                fault="causal-mask-on-cpu",
            )


def _kept(lab: Lab) -> bool:
    """Whether masks of two sizes are one and the same, and right in a process that has made none before."""
    first, second = (lab.glimpse(causal(size)).value for size in (9, 8))
    if not (isinstance(first, Tensor) and isinstance(second, Tensor) and torch.equal(first, second)):
        return False
    lab.client.close()  # the next call gets a fresh process
    fresh = lab.observe(causal(9)).value
    return isinstance(fresh, Tensor) and torch.equal(fresh, lab.right(causal(9)).seen.value)


# -- combine_masks ----------------------------------------------------------------------------------


def test_combine_both(lab: Lab) -> None:
    """combine_masks allows only what both masks allow, in the shape (B, 1, S, S)"""
    lab.agrees(combined())
    for B, S in ((4, 4), (1, 6), (3, 1)):
        words = f"masks with B = {B}, S = {S}", f"B = {B}、S = {S} 的掩码"
        lab.agrees(combining("b", *words, *pair(120 + S, B, S)))


# -- apply_mask -------------------------------------------------------------------------------------


def test_apply_minus_infinity(lab: Lab) -> None:
    """apply_mask puts exactly -inf where the mask forbids, and leaves the other scores alone"""
    lab.agrees(applied())
    lab.agrees(_apply("scores (4, 4, 4, 4)", 131, (4, 4, 4, 4), keep_mask(131, 4, 1, 4, 4)))
    empty = keep_mask(132, 4, 5)
    empty[1] = False
    lab.agrees(applying("a", "a row that may attend to nothing", "整行被屏蔽", scores(132, 2, 4, 5), empty))
    given = scores(133, *HEADS) * 6
    given[:, :, ::2, ::2] = 0.0  # a score like any other
    words = "scores of 0 and scores near 50", "为 0 的分数与接近 50 的分数"
    lab.agrees(applying("a", *words, given, keep_mask(133, 4, 5)))


def test_apply_broadcasts(lab: Lab) -> None:
    """apply_mask takes a mask of any shape that broadcasts to the scores"""
    for shape in ((4, 5), (1, 5), (2, 1, 4, 5), (2, 1, 1, 5), (3, 4, 5)):
        lab.agrees(broadcast(*shape))
    for lead in ((), (2, 1, 3)):
        shape = (*lead, 4, 5)
        lab.agrees(_apply(f"scores {shape}", 142, shape, keep_mask(143, 4, 5)))


def test_integer_and_float_masks(lab: Lab) -> None:
    """apply_mask takes 0/1 masks of integers or floats as well as boolean ones"""
    for dtype in (torch.int64, torch.uint8, torch.float32, torch.float64):
        lab.agrees(number_mask(dtype))


# -- all of them ------------------------------------------------------------------------------------


def test_masks_are_boolean(lab: Lab) -> None:
    """padding_mask, causal_mask and combine_masks return tensors of dtype bool"""
    for probe in (padding(), causal(8), combined()):
        seen = lab.glimpse(probe)
        lab.must_work(seen, probe.title)
        (mask,) = lab.unpacked(seen, probe.target, probe.title)
        found = str(getattr(mask, "dtype", type(mask).__name__)).removeprefix("torch.")
        if found != "bool":
            lab.fail(
                f"{probe.target} returned {found}, expected bool",
                f"{probe.target} 返回的是 {found}，应为 bool",
            )


def test_inputs_unchanged(lab: Lab) -> None:
    """No function changes its arguments in place"""
    for probe in (padding(), combined(), applied(), number_mask(torch.float64)):
        seen = lab.glimpse(probe)
        lab.must_work(seen, probe.title)
        if seen.changed:
            names = lab.model(probe.target).inputs
            which = ", ".join(names[int(c)] if c.isdigit() else c for c in seen.changed)
            lab.fail(
                f"{probe.title.en}: the call changed {which} in place",
                f"{probe.title.zh}：调用就地修改了 {which}",
            )


def test_gradients(lab: Lab) -> None:
    """Gradients pass through apply_mask to the scores that the mask allows"""
    everything = torch.ones(4, 5, dtype=torch.bool)
    words = "a mask that allows everything", "全部允许的掩码"
    lab.agrees(applying("g", *words, scores(180, 2, 4, 5), everything, grad=True))
    title = Text("a mask", "带掩码")
    given, mask = scores(181, 2, 4, 5), keep_mask(182, 4, 5)
    # What reaches a forbidden score is left open (a bias passes it on, a fill does not): it gets no
    # share of the result's gradient here.
    seed = scores(183, 2, 4, 5) * mask
    seen = lab.client.call("apply_mask", (given, mask), cotangents=[seed])
    lab.must_work(seen, title)
    if seen.gradient == "raised":
        lab.fail("a mask: the backward pass raised an error", "带掩码：反向传播报错")
    found = seen.grads.get("0")
    if found is None:
        lab.fail("a mask: no gradient reaches scores", "带掩码：梯度没有传到 scores")
    lab.near("grad(scores)", found, seed, title=title)


def test_keeps_dtype(lab: Lab) -> None:
    """apply_mask keeps the dtype of the scores, float32 and float64"""
    given = scores(190, *HEADS, dtype=torch.float32)
    lab.agrees(applying("t", "float32 scores", "float32 分数", given, keep_mask(191, 4, 5)))
    lab.agrees(broadcast(4, 5))  # float64


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    turned = tokens(200, 6, 3).t()
    lab.agrees(padding_case("n", "transposed token ids", "转置得到的词元", turned))
    lab.agrees(padding_case("n", "sliced token ids", "切片得到的词元", tokens(201, 3, 10)[:, ::2]))
    wide = scores(202, 2, 3, 5, 4).transpose(-2, -1)
    lab.agrees(applying("n", "transposed scores", "转置得到的分数", wide, keep_mask(203, 4, 5)))
    spread = keep_mask(204, 1, 4, 5).expand(2, 4, 5)
    lab.agrees(applying("n", "an expanded mask", "扩展得到的掩码", scores(205, 2, 4, 5), spread))
    keys, past = pair(206, 1, 5)
    words = "an expanded padding mask", "扩展得到的填充掩码"
    lab.agrees(combining("n", *words, keys.expand(3, 1, 1, 5), past))


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    # two calls in a row: one that was made before may have left a mask behind, which has a name of its own
    for probe in (padding(), causal_case("b", 9), combined(), broadcast(4, 5)):
        lab.behaves(probe)


@tried(
    {"B": 1, "H": 1, "S": 1, "pad_id": 0, "seed": 3},
    {"B": 5, "H": 2, "S": 4, "pad_id": 9, "seed": 17},
    {"B": 2, "H": 5, "S": 5, "pad_id": 1, "seed": 71},
)
@given(data=st.data())
def test_any_inputs(lab: Lab, data: st.DataObject) -> None:
    """All four functions agree with the definition on random sizes, tokens and scores"""
    B, H, S = (data.draw(st.integers(1, 5), label=n) for n in ("B", "H", "S"))
    pad_id = data.draw(st.integers(0, 9), label="pad_id")
    seed = data.draw(st.integers(0, 99), label="seed")
    ids = tokens(seed, B, S, pad_id)
    lab.agrees(padding_case("h", f"pad_id={pad_id}", f"pad_id={pad_id}", ids, pad_id=pad_id))
    lab.agrees(causal_case("h", S))
    keys, past = (ids != pad_id)[:, None, None, :], torch.ones(S, S).tril().bool()
    words = f"masks with B = {B}, S = {S}", f"B = {B}、S = {S} 的掩码"
    lab.agrees(combining("h", *words, keys, past))
    lab.agrees(_apply(f"scores {(B, H, S, S)}", seed, (B, H, S, S), keys & past))


# -- edges ------------------------------------------------------------------------------------------


def test_combine_integer_masks(lab: Lab) -> None:
    """combine_masks gives a boolean result for 0/1 integer masks too"""
    for dtype in (torch.int64, torch.uint8):
        name = str(dtype).removeprefix("torch.")
        words = f"masks of dtype {name}", f"dtype 为 {name} 的掩码"
        lab.agrees(combining("i", *words, *pair(210, 3, 4, dtype)))
    mixed = pair(211, 2, 5)[0], pair(211, 2, 5, torch.int64)[1]
    lab.agrees(combining("i", "a boolean and an integer mask", "一个布尔掩码和一个整数掩码", *mixed))


def test_half_precision(lab: Lab) -> None:
    """apply_mask works in float16 and bfloat16 and keeps the dtype"""
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        words = f"{name} scores", f"{name} 分数"
        given = scores(220, *HEADS, dtype=dtype)
        lab.agrees(applying("h", *words, given, keep_mask(221, 2, 1, 4, 5)))


def test_stays_on_device(lab: Lab) -> None:
    """padding_mask, combine_masks and apply_mask make nothing on the CPU when the input is elsewhere"""
    (keys, past), given = pair(230, 3, 7), scores(231, 3, 2, 7, 7)
    for target, args in (
        ("padding_mask", (tokens(232, 3, 7),)),
        ("combine_masks", (keys, past)),
        ("apply_mask", (given, past)),
        ("apply_mask", (given, keys)),
    ):
        title = Text(f"{target} on another device", f"在其他设备上调用 {target}")
        seen = lab.client.call(target, args, elsewhere=True)
        stays_on_device(lab, target, seen, title, "device-hard-coded")


def _apply(words: str, seed: int, shape: tuple[int, ...], mask: Tensor) -> Probe:
    return applying("a", words, words.replace("scores", "分数"), scores(seed, *shape), mask)
