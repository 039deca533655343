"""The hidden suite of exercise 4.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.again import keeps_nothing
from grader.exercises.dropping import called_in_training, drawn_anew, dropped_together
from grader.exercises.in_training import learns_in_training, same_by_default
from grader.exercises.multi_head_attention.model import linear, merge
from grader.exercises.multi_head_attention.probes import (
    TARGET,
    case,
    construct,
    empty_rows,
    key_mask,
    low_logits,
    random_mask,
    tensors,
)
from grader.exercises.properties import tried
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.text import Text

ALIKE = (  # what dropout does to weights (B, H, L, S) that share a throw, by axis
    Text("several sequences lose the same weights", "若干个序列丢弃的是同样的权重"),
    Text("several heads lose the same weights", "若干个头丢弃的是同样的权重"),
    Text("several queries lose the same keys", "若干个查询丢弃的是同样的键"),
    Text("several keys are always dropped together", "若干个键总是一起被丢弃"),
)


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def plain() -> Probe:
    return case("o", "three heads", "三个头", tensors(328), grad=True)


@cache
def batch_mask() -> Probe:
    words = "a mask of shape (2, 6, 5), 3 heads", "形状为 (2, 6, 5) 的掩码，3 个头"
    return case("b", *words, tensors(329), mask=random_mask(70, 2, 6, 5), grad=True)


@cache
def head_masks() -> tuple[Probe, ...]:
    found = []
    for shape in ((2, 1, 6, 5), (2, 3, 6, 5), (1, 3, 6, 5), (1, 1, 6, 5)):
        words = f"a mask of shape {shape}", f"形状为 {shape} 的掩码"
        found.append(case("f", *words, tensors(308), mask=random_mask(61, *shape)))
    words = "a mask of shape (2, 1, 1, 5)", "形状为 (2, 1, 1, 5) 的掩码"
    return *found, case("f", *words, tensors(309), mask=key_mask(0, 2, 5)[:, None])


@cache
def number_masks() -> tuple[Probe, ...]:
    of_keys, of_rows = random_mask(65, 2, 1, 6, 5), random_mask(66, 2, 6, 5)
    kinds = ((of_keys, torch.uint8), (of_rows, torch.float32))
    both = tuple((mask, dtype) for mask in (of_keys, of_rows) for dtype in (torch.int64, torch.float64))
    found = []
    for mask, dtype in kinds + both:
        name = str(dtype).removeprefix("torch.")
        words = f"a mask of dtype {name}", f"dtype 为 {name} 的掩码"
        found.append(case("i", *words, tensors(323), mask=mask.to(dtype)))
    return tuple(found)


@cache
def in_eval() -> Probe:
    words = "eval mode with dropout=0.5", "eval 模式，dropout=0.5"
    return case("v", *words, tensors(334), dropout=0.5, mask=random_mask(73, 2, 6, 5))


@cache
def empty_row() -> Probe:
    words = "a fully masked row", "整行被屏蔽"
    return case("f", *words, tensors(338), mask=empty_rows(75), grad=True)


# -- the checks ---------------------------------------------------------------------------------------


def test_parameters(lab: Lab) -> None:
    """The four projections are registered submodules, with and without bias"""
    for bias in (True, False):
        probe = construct("p", f"bias={bias}", f"bias={bias}", d_model=12, num_heads=3, bias=bias)
        seen = lab.observe(probe)
        lab.must_work(seen, probe.title)
        wanted = lab.right(probe).seen.value
        found = seen.value if isinstance(seen.value, dict) else {}
        wrong = [n for n in sorted({*wanted, *found}) if found.get(n) != wanted.get(n)]
        if wrong:
            name = wrong[0]
            have, want = found.get(name), wanted.get(name)
            lab.fail(
                f"bias={bias}: {name} should be {_entry(want)[0]} and is {_entry(have)[0]} in the state dict",
                f"bias={bias}：state dict 中的 {name} 应为{_entry(want)[1]}，实际为{_entry(have)[1]}",
                fault=_layout_fault(found, wanted),
            )
    _check_order(lab)


def _layout_fault(found: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
    """The mistake that the state dict alone shows."""
    weights = [n for n in wanted if n.endswith("weight")]
    if found.keys() <= wanted.keys() and any(n not in found for n in weights):
        return "parameters-not-registered"
    if not all(n in found for n in weights):
        return "parameter-names"
    wrong = {found[n] for n in weights if found[n] != wanted[n]}
    square = [size for size in wrong if len(set(size.partition("[")[2].rstrip("]").split(", "))) == 1]
    if wrong and len(square) == len(wrong) and found["W_o.weight"] == wanted["W_o.weight"]:
        return None  # a model tells that the heads share them
    return "projection-too-small" if wrong else None


def _entry(words: str | None) -> tuple[str, str]:
    if words is None:
        return "absent", "不存在"
    kind, _, shape = words.partition(" ")
    return f"a {kind} of shape {shape}", f"形状为 {shape} 的 {kind}"


def _check_order(lab: Lab) -> None:
    """The constructor takes the width first, then the number of heads."""
    seen = lab.client.construct(TARGET, (12, 3), {})
    title = Text("MultiHeadAttention(12, 3)", "MultiHeadAttention(12, 3)")
    if not seen.ok:
        lab.not_stopped(seen, title)
        lab.fail(
            "MultiHeadAttention(12, 3), d_model first, cannot be constructed; "
            "d_model=12, num_heads=3 by name can",
            "按位置 MultiHeadAttention(12, 3)（d_model 在前）无法构造，而按名字 d_model=12, num_heads=3 可以",
            fault="wrong-signature",
        )
    for names in seen.value.get("shared", []) if isinstance(seen.value, dict) else []:
        if len({name.partition(".")[0] for name in names}) > 1:
            lab.fail(
                f"{names[0]} and {names[1]} are one and the same tensor",
                f"{names[0]} 与 {names[1]} 是同一个张量",
                fault="projection-reused",
            )


def test_divisibility(lab: Lab) -> None:
    """A d_model that num_heads does not divide is refused on construction"""
    for d_model, heads in ((10, 4), (12, 5)):
        words = f"MultiHeadAttention(d_model={d_model}, num_heads={heads})"
        seen = lab.observe(construct("d", words, words, d_model=d_model, num_heads=heads))
        lab.not_stopped(seen, Text.same(words))
        if seen.ok:
            lab.fail(f"{words} raises no error", f"{words} 没有报错")
        assert seen.error is not None
        if not {"ValueError", "AssertionError"} & {seen.error.type, *seen.error.bases}:
            lab.must_work(seen, Text.same(words))


def test_output_and_weights(lab: Lab) -> None:
    """Output and weights of cross-attention are right when no two sizes are equal"""
    lab.agrees(plain(), gradients=False)
    words = "two heads of width 16, bias=False", "两个宽度为 16 的头，bias=False"
    lab.agrees(case("o", *words, tensors(302, 3, 4, 7, 32), 2, bias=False))
    many = tensors(303, 2, 1, 9)
    many[1][:, 3] = 0.0  # a key like any other: nothing is padding without a mask
    lab.agrees(case("o", "one query, many keys", "一个查询、多个键", many))
    lab.agrees(case("o", "a batch of one", "批次大小为 1", tensors(304, 1)))
    args = tensors(348, 2, 3, 4, 12, dtype=torch.float32)  # no square: as accurate as a root in float32
    lab.agrees(case("o", "heads of width 6", "每头宽度为 6", args, 2))
    lab.agrees(case("o", "a single head", "只有一个头", tensors(305, 2, 6, 5, 16), 1))


def test_equal_sizes(lab: Lab) -> None:
    """Output and weights are right when all sizes are equal"""
    four = tensors(306, 4, 4, 4, 16)
    lab.agrees(case("e", "all sizes 4", "各维大小都是 4", four, 4))
    mask = random_mask(60, 4, 4, 4, 4)
    lab.agrees(case("e", "all sizes 4, with a mask", "各维大小都是 4，带掩码", four, 4, mask=mask))


def test_self_attention(lab: Lab) -> None:
    """Self-attention, the same tensor three times, is right"""
    x = tensors(307, 3, 5, 5)[0]
    lab.agrees(case("x", "self-attention", "自注意力", (x, x, x)))
    causal = torch.ones(5, 5).tril().bool()
    lab.agrees(case("x", "causal self-attention", "因果自注意力", (x, x, x), mask=causal))
    y, other = (tensors(seed, 3, 5, 5)[0] for seed in (330, 331))
    lab.agrees(case("x", "key and value the same tensor", "键和值是同一个张量", (y, x, x)))
    lab.agrees(case("x", "query and key the same tensor", "查询和键是同一个张量", (x, x, other)))


def test_four_dimensional_masks(lab: Lab) -> None:
    """Four-dimensional masks work, for all heads alike or one for each head"""
    for probe in head_masks():
        lab.agrees(probe)


def test_two_dimensional_masks(lab: Lab) -> None:
    """A mask (L, S) holds for the whole batch and all heads"""
    lab.agrees(case("t", "a (6, 5) mask", "(6, 5) 掩码", tensors(310), mask=random_mask(62, 6, 5)))
    five = tensors(311, 5, 5, 5)  # five sequences as well: the mask's first axis is still that of the queries
    lab.agrees(case("t", "a (5, 5) mask", "(5, 5) 掩码", five, mask=random_mask(63, 5, 5)))


def test_batch_masks(lab: Lab) -> None:
    """Masks (B, L, S) and (B, 1, S) are one for each sample, also when B == H"""
    lab.agrees(batch_mask(), gradients=False)
    for B, L in ((3, 6), (3, 5), (1, 6)):
        words = f"a mask of shape ({B}, {L}, 5), 3 heads", f"形状为 ({B}, {L}, 5) 的掩码，3 个头"
        lab.agrees(case("b", *words, tensors(312 + B, B, L, 5), mask=random_mask(64, B, L, 5)))
    for B in (2, 3):
        words = f"a mask of shape ({B}, 1, 5), 3 heads", f"形状为 ({B}, 1, 5) 的掩码，3 个头"
        lab.agrees(case("b", *words, tensors(316 + B, B), mask=key_mask(1, B, 5)))


def test_mask_leaks_nothing(lab: Lab) -> None:
    """A forbidden key gets no weight even when allowed scores are very low"""
    args, mask, state = low_logits(321)
    words = "allowed scores near -200", "允许位置的分数接近 -200"
    lab.agrees(case("z", *words, args, 2, mask=mask, state=state, condition=250))


def test_integer_and_float_masks(lab: Lab) -> None:
    """A 0/1 mask of integers or floats means the same as a boolean one"""
    for probe in number_masks():
        lab.agrees(probe)


def test_dropout_on_weights(lab: Lab) -> None:
    """Dropout acts on the attention weights in training, and the weights used are returned"""
    words = "training mode with dropout=0.0", "训练模式，dropout=0.0"
    quiet = case("d", *words, tensors(324), dropout=0.0, train=True)
    _check_rate(lab, quiet)
    lab.agrees(quiet)
    same_by_default(lab, quiet, dropout=0.0)
    words = "training mode with dropout=1.0", "训练模式，dropout=1.0"
    lab.agrees(case("d", *words, tensors(324), dropout=1.0, train=True))
    words = "training mode with dropout=0.5", "训练模式，dropout=0.5"
    probe = case("d", *words, tensors(325, 4, 12, 15), dropout=0.5, train=True)
    _check_chance(lab, probe)


def _check_rate(lab: Lab, probe: Probe) -> None:
    """With dropout=0.0 no weight may vanish; where some do, the others tell the rate that is used."""
    seen = lab.glimpse(probe)
    weights = seen.value[1] if isinstance(seen.value, (tuple, list)) and len(seen.value) == 2 else None
    if not isinstance(weights, Tensor) or not bool((weights == 0).any()):
        return
    whole: Tensor = lab.model(TARGET).run(probe).dropped
    if weights.shape != whole.shape:
        return
    kept = weights != 0
    scale = float((weights[kept] / whole[kept]).median()) if bool(kept.any()) else 0.0
    if scale > 1 and lab.close(weights, torch.where(kept, whole * scale, torch.zeros_like(whole))):
        rate = 1 - 1 / scale
        lab.fail(
            f"{probe.title.en}: a rate of {rate:.3g} is used",
            f"{probe.title.zh}：实际使用的丢弃率是 {rate:.3g}",
            fault="dropout-rate-ignored",
        )


def _check_chance(lab: Lab, probe: Probe) -> None:
    """With p = 0.5 each weight is 0 or doubled, about half of them, and the output is their sum."""
    title = probe.title
    if lab.carried:  # chance is drawn as the learner's own attention draws it, from the same seed
        lab.agrees(probe)
        return
    made, seen = called_in_training(lab, probe)
    lab.must_work(seen, title)
    output, weights = lab.unpacked(seen, TARGET, title)
    state = lab.model(TARGET).run(probe.but(train=False))
    whole: Tensor = state.dropped
    for name, found, wanted in (("weights", weights, whole), ("output", output, state.projected)):
        if not isinstance(found, Tensor) or found.shape != wanted.shape:
            lab.near(name, found, wanted, title=title)
    zero = weights == 0
    plain = torch.where(zero, torch.zeros_like(whole), whole)
    if bool(zero.any()) and lab.close(weights, plain, probe.condition):
        lab.fail(
            f"{title.en}: weights are dropped, and the others are not divided by 1 - 0.5",
            f"{title.zh}：丢弃了一部分权重，其余的却没有除以 1 - 0.5",
            fault="dropout-not-scaled",
        )
    if bool(zero.any()) and lab.close(weights, plain * 4, probe.condition):
        lab.fail(
            f"{title.en}: the returned weights are divided by 1 - 0.5 twice, so they were dropped twice",
            f"{title.zh}：返回的权重除以了两次 1 - 0.5，说明它们被丢弃了两次",
            fault="dropout-drawn-twice",
        )
    lab.near("weights", weights, torch.where(zero, torch.zeros_like(whole), whole * 2), title=title)
    together = dropped_together(~zero, ALIKE, ALIKE)
    if together is not None:
        lab.fail(f"{title.en}: {together.en}", f"{title.zh}：{together.zh}")
    share = float(zero.double().mean())
    if not 0.4 < share < 0.6:  # 2160 weights: more than nine standard deviations
        lab.fail(
            f"{title.en}: {share:.0%} of the weights are dropped, expected about half",
            f"{title.zh}：被丢弃的权重占 {share:.0%}，应约为一半",
        )
    wanted = linear(state, "W_o", merge(state, weights.double() @ state.v_heads))
    if not lab.close(output, wanted, probe.condition):
        lab.fail(
            f"{title.en}: the output is not made of the weights that are returned",
            f"{title.zh}：输出不是由返回的权重得到的",
            fault=None if bool((output == 0).any()) else "dropout-drawn-twice",
        )
    drawn_anew(lab, probe, made, seen)


def test_dropout_off_in_eval(lab: Lab) -> None:
    """Dropout does nothing in eval mode"""
    probe = in_eval()
    try:
        lab.agrees(probe)
    except CheckFailed as failure:
        if lab.right_without(probe, dropout=0.0):  # right but for the rate: it drops in eval mode
            failure.fault = "dropout-in-eval"
        raise


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    title = Text("a call with a mask", "带掩码的调用")
    for probe in (head_masks()[0], batch_mask(), *number_masks(), empty_row()):
        seen = lab.glimpse(probe, gradients=False)
        if lab.carries(probe, seen):
            continue
        at_the_edge = probe is empty_row()  # which may go wrong: the edges ask for the rest
        if not at_the_edge:
            lab.must_work(seen, title)
        if seen.changed:
            names = ("query", "key", "value", "mask")
            which = ", ".join(names[int(c)] if c.isdigit() else c for c in seen.changed)
            fault = "mask-in-place" if at_the_edge else None
            lab.fail(f"the call changed {which} in place", f"调用就地修改了 {which}", fault=fault)


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the inputs and to the weights and biases of all four projections"""
    lab.agrees(plain())
    lab.agrees(batch_mask())
    learns_in_training(lab, case("g", "no mask", "没有掩码", tensors(332)))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    args = tensors(330, dtype=torch.float32)
    words = "float32 input, masked", "带掩码的 float32 输入"
    lab.agrees(case("t", *words, args, mask=random_mask(71, 2, 6, 5)))
    lab.agrees(plain(), gradients=False)  # float64
    lab.agrees(batch_mask(), gradients=False)


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    query, key, value = (t.transpose(0, 1).contiguous().transpose(0, 1) for t in tensors(331))
    lab.agrees(case("n", "transposed input", "转置得到的输入", (query, key, value)))
    query, key, value = (t[..., ::2] for t in tensors(332, d_model=24))
    lab.agrees(case("n", "sliced input", "切片得到的输入", (query, key, value)))
    query, key, value = (t.expand(3, -1, -1) for t in tensors(333, 1))
    mask = random_mask(72, 6, 5).expand(3, 6, 5)
    try:
        lab.agrees(
            case("n", "expanded input and mask", "扩展得到的输入和掩码", (query, key, value), mask=mask)
        )
    except CheckFailed as failure:
        error = failure.seen.error if failure.seen is not None else None
        if (
            error is not None and "single memory location" in error.message
        ):  # what torch says of writing there
            failure.fault = "mask-in-place"
        raise


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    lab.behaves(in_eval())
    words = "a mask (6, 5)", "(6, 5) 掩码"
    before = case("w", *words, tensors(342), mask=random_mask(77, 6, 5))
    kept = "mask-kept-between-calls"  # by the call without a mask
    keeps_nothing(lab, before, plain(), batch_mask(), faults=(kept, None))


@tried(
    {"B": 1, "L": 1, "S": 2, "H": 1, "d_k": 16, "bias": True, "seed": 3, "rank of the mask": 0},
    {"B": 3, "L": 6, "S": 6, "H": 4, "d_k": 16, "bias": False, "seed": 17, "rank of the mask": 2}
    | {"rows of the mask": 6, "mask": 1},
    {"B": 2, "L": 2, "S": 6, "H": 2, "d_k": 4, "bias": True, "seed": 40, "rank of the mask": 3}
    | {"rows of the mask": 2, "mask": 2},
    {"B": 3, "L": 5, "S": 5, "H": 3, "d_k": 4, "bias": True, "seed": 71, "rank of the mask": 4}
    | {"first axis of the mask": 1, "second axis of the mask": 3, "rows of the mask": 5, "mask": 3},
    {"B": 2, "L": 4, "S": 3, "H": 4, "d_k": 1, "bias": True, "seed": 98, "rank of the mask": 4}
    | {"first axis of the mask": 2, "second axis of the mask": 1, "rows of the mask": 1, "mask": 4},
)
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random shapes, masks and values"""
    B, L, S = (data.draw(st.integers(1, n), label=name) for n, name in ((3, "B"), (6, "L"), (6, "S")))
    H = data.draw(st.integers(1, 4), label="H")
    d_k = data.draw(st.sampled_from([1, 4, 16]), label="d_k")  # exact roots: see the contract
    bias = data.draw(st.booleans(), label="bias")
    args = tensors(data.draw(st.integers(0, 99), label="seed"), B, L, S, H * d_k)
    rank = data.draw(st.sampled_from([0, 2, 3, 4]), label="rank of the mask")
    mask = None
    if rank:
        lead: tuple[int, ...] = ()
        if rank == 3:
            lead = (B,)
        if rank == 4:
            lead = (
                data.draw(st.sampled_from([1, B]), label="first axis of the mask"),
                data.draw(st.sampled_from([1, H]), label="second axis of the mask"),
            )
        rows = L if rank == 2 else data.draw(st.sampled_from([1, L]), label="rows of the mask")
        seed = data.draw(st.integers(0, 99), label="mask")
        mask = random_mask(seed, *lead, rows, S, full=False)
        mask[..., -1] = True
    shown = f"{H} heads, query {tuple(args[0].shape)}, key {tuple(args[1].shape)}"
    shown_zh = f"{H} 个头，query {tuple(args[0].shape)}，key {tuple(args[1].shape)}"
    if mask is not None:
        shown += f", mask {tuple(mask.shape)}"
        shown_zh += f"，掩码 {tuple(mask.shape)}"
    lab.agrees(case("h", shown, shown_zh, args, H, mask=mask, bias=bias, condition=50))


# -- edges ------------------------------------------------------------------------------------------


def test_fully_masked_row(lab: Lab) -> None:
    """A query that may attend to nothing gets zero weights, and W_o's bias as output"""
    lab.agrees(empty_row(), gradients=False)
    words = "a sample without real tokens", "整个样本都是填充"
    mask = torch.tensor([[[True, True, True, False, False]], [[False] * 5]])
    lab.agrees(case("f", *words, tensors(337), mask=mask))


def test_fully_masked_row_gradient(lab: Lab) -> None:
    """A query that may attend to nothing gives no NaN gradients"""
    lab.agrees(empty_row())


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with a mask and keep their dtype"""
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        args = tensors(339, dtype=dtype, spread=0.7)
        words = f"{name} input with a mask", f"带掩码的 {name} 输入"
        lab.agrees(case("p", *words, args, mask=random_mask(76, 2, 6, 5), condition=3.0))


def test_large_scores(lab: Lab) -> None:
    """Scores of magnitude 1e4 give no NaN"""
    query, key, value = tensors(340)
    words = "scores near 1e4", "分数接近 1e4"
    lab.agrees(case("q", *words, (query * 80, key * 80, value), condition=2e4))
    args, mask, state = low_logits(341, 8.0)
    words = "allowed scores a thousand below the forbidden", "允许位置的分数比被屏蔽位置低一千"
    lab.agrees(case("q", *words, args, 2, mask=mask, state=state, condition=2000))
