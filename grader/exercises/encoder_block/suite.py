"""The hidden suite of exercise 6.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from grader.diagnosis.model import Probe
from grader.exercises.again import keeps_nothing
from grader.exercises.dropping import (
    called_in_training,
    drawn_anew,
    dropped_in_eval,
    dropped_together,
    kept_of,
)
from grader.exercises.encoder_block.hidden import hidden_values_dropped
from grader.exercises.encoder_block.parts import EPS, block_shapes, random_state
from grader.exercises.encoder_block.probes import (
    CONSTANT,
    OPEN_EPS,
    OPEN_EPS_32,
    ORDERS,
    block_case,
    feed_case,
    inputs,
    random_mask,
)
from grader.exercises.in_training import learns_in_training, same_by_default
from grader.exercises.properties import tried
from grader.marking.lab import Lab
from grader.text import Text

RATE = 0.25  # not one half, the default of nn.Dropout
SMALL_DRAW = 1208  # a seed of which the first number in [0, 1) is 0.006
SIGMAS = 0.14  # seven standard deviations of 512 draws


# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def plain(norm_first: bool) -> Probe:
    order = _order(norm_first)
    words = f"{order}, input (2, 5, 8)", f"{order}，输入 (2, 5, 8)"
    return block_case("o", *words, inputs(110), norm_first=norm_first, condition=OPEN_EPS)


@cache
def causal(norm_first: bool) -> Probe:
    order, mask = _order(norm_first), torch.ones(5, 5).tril().bool()
    words = f"{order}, a causal mask", f"{order}，因果掩码"
    return block_case("m", *words, inputs(130), mask=mask, norm_first=norm_first, condition=OPEN_EPS)


@cache
def masked(norm_first: bool) -> tuple[Probe, ...]:
    """The first is like that of the other order, and has gradients."""
    order = _order(norm_first)
    options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
    found: list[Probe] = []
    more = ((2, 1, 1, 5), (1, 1, 5, 5)) if norm_first else ((2, 1, 5), (2, 2, 5, 5))
    for shape in ((2, 5, 5), *more):
        words = f"{order}, a mask of shape {shape}", f"{order}，形状为 {shape} 的掩码"
        x, grad = inputs(132 if found else 258), not found
        found.append(block_case("w", *words, x, mask=random_mask(3, *shape), grad=grad, **options))
    # an (L, S) mask where the batch is as large as a sequence is long is no padding mask all the same
    shape, B = ((5, 5), 5) if norm_first else ((2, 1, 5, 5), 2)
    kind, zh_kind = ("an integer", "整数") if norm_first else ("a 0/1 float", "0/1 浮点")
    words = f"{order}, {kind} mask of shape {shape}", f"{order}，形状为 {shape} 的{zh_kind}掩码"
    mask = random_mask(3, *shape).to(torch.int64 if norm_first else torch.float64)
    found.append(block_case("w", *words, inputs(133, B), mask=mask, **options))
    return tuple(found)


@cache
def training() -> Probe:
    words = "post-LN, training with dropout=0.1", "post-LN，训练模式、dropout=0.1"
    options: dict[str, Any] = {"norm_first": False, "dropout": 0.1, "train": True, "grad": True}
    return block_case("k", *words, inputs(258), condition=OPEN_EPS, **options)


@cache
def feed() -> Probe:
    return feed_case("f", "the FFN, d_ff=12", "FFN，d_ff=12", inputs(161), grad=True, condition=100)


def _order(norm_first: bool) -> str:
    return ORDERS[norm_first][2]


# -- the checks ---------------------------------------------------------------------------------------


def test_submodules(lab: Lab) -> None:
    """The state dict holds the parameters of the named submodules, and no others"""
    for target, sizes in (("FeedForward", {}), ("EncoderBlock", {"num_heads": 2})):
        init: dict[str, Any] = {"d_model": 8, "d_ff": 12, **sizes}
        title = Text(f"{target} with d_model=8, d_ff=12", f"d_model=8、d_ff=12 的 {target}")
        probe = Probe("s", target, title, init=init)
        wanted, seen = lab.right(probe).seen.value, lab.observe(probe)
        lab.must_work(seen, title)
        found = seen.value if isinstance(seen.value, dict) else {}
        for name in sorted(wanted.keys() | found.keys()):
            if found.get(name) != wanted.get(name):
                words = _entry_words(title, name, found.get(name), wanted.get(name))
                lab.fail(*words, fault=_entry_fault(found, wanted))

    _by_position(lab, "FeedForward", (8, 12), "d_model, d_ff, dropout")
    _by_position(lab, "EncoderBlock", (8, 2, 12), "d_model, num_heads, d_ff, dropout, norm_first")


def _by_position(lab: Lab, target: str, args: tuple[int, ...], order: str) -> None:
    """The constructor takes its parameters in the order of the exercise."""
    title = Text.same(f"{target}({', '.join(map(str, args))})")
    seen = lab.client.construct(target, args, {}, state=None, train=False, dtype=None, seed=0)
    entries = seen.value.get("state", {}) if isinstance(seen.value, dict) else {}
    name = next((n for n in entries if n.endswith("linear1.weight")), "")
    if not seen.ok or list(entries.get(name, {}).get("shape", ())) != [12, 8]:
        lab.fail(
            f"{title.en}: the parameters do not stand in the order {order}",
            f"{title.zh}：参数的顺序不是 {order}",
            fault="wrong-signature",
        )


def _entry_fault(found: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
    """The name of what is wrong with a state dict."""
    weight = found.get("linear1.weight") or found.get("feed_forward.linear1.weight") or ""
    bias = found.get("linear1.bias") or found.get("feed_forward.linear1.bias") or ""
    width = bias.removeprefix("parameter [").removesuffix("]")
    if found.keys() == wanted.keys() and weight == "parameter [8, 12]":
        return None  # a model tells that the sizes are exchanged
    other = width not in ("", "12") and weight == f"parameter [{width}, 8]"
    return "d-ff-ignored" if found.keys() == wanted.keys() and other else "parameter-names"


def _entry_words(title: Text, name: str, found: str | None, wanted: str | None) -> tuple[str, str]:
    if found is None:
        return f"{title.en}: the state dict lacks {name}", f"{title.zh}：state dict 中缺少 {name}"
    if wanted is None:
        return (
            f"{title.en}: the state dict has {name}, which is not asked for",
            f"{title.zh}：state dict 中有多余的 {name}",
        )
    return (
        f"{title.en}: {name} is a {found}, expected {wanted}",
        f"{title.zh}：{name} 是 {found}，应为 {wanted}",
    )


def test_feed_forward(lab: Lab) -> None:
    """The FFN is two linear maps with a ReLU in between"""
    lab.agrees(feed(), gradients=False)
    lab.agrees(feed_case("f", "d_ff smaller than d_model", "d_ff 小于 d_model", inputs(101), d_ff=3))


def test_feed_forward_equal_sizes(lab: Lab) -> None:
    """The FFN is right when all sizes are equal, and works at each position alone"""
    x = inputs(102, 4, 4, 4)
    lab.agrees(feed_case("e", "all sizes equal to 4", "各维大小都是 4", x, d_ff=4))
    lab.agrees(feed_case("e", "one position", "只有一个位置", x[:1, :1], d_ff=4))


def test_post_ln(lab: Lab) -> None:
    """With norm_first=False each norm follows its sum"""
    lab.agrees(plain(False))
    _sizes(lab, 1, 1, 12, 3, 7, norm_first=False)
    same_by_default(lab, plain(False), title=Text("a block", "一个块"), norm_first=False)


def test_pre_ln(lab: Lab) -> None:
    """With norm_first=True each norm stands before its sublayer"""
    lab.agrees(plain(True))
    _sizes(lab, 3, 4, 18, 2, 18, norm_first=True)


def _sizes(lab: Lab, B: int, S: int, d_model: int, heads: int, d_ff: int, *, norm_first: bool) -> None:
    order, x = _order(norm_first), inputs(111, B, S, d_model)
    words = f"{order}, input ({B}, {S}, {d_model})", f"{order}，输入 ({B}, {S}, {d_model})"
    options: dict[str, Any] = {"heads": heads, "d_ff": d_ff, "condition": OPEN_EPS}
    lab.agrees(block_case("o", *words, x, norm_first=norm_first, **options))


def test_equal_sizes(lab: Lab) -> None:
    """The block is right when all sizes are equal"""
    for norm_first, _, en, zh in ORDERS:
        x = inputs(120, 4, 4, 4)
        words = f"{en}, all sizes equal to 4", f"{zh}，各维大小都是 4"
        options: dict[str, Any] = {"heads": 4, "d_ff": 4, "condition": OPEN_EPS}
        lab.agrees(block_case("q", *words, x, norm_first=norm_first, **options))


def test_mask(lab: Lab) -> None:
    """The mask reaches the attention"""
    for norm_first, _, _, _ in ORDERS:
        lab.agrees(causal(norm_first))
    words = "post-LN, a padding mask of shape (2, 1, 1, 5)", "post-LN，形状为 (2, 1, 1, 5) 的填充掩码"
    options: dict[str, Any] = {"positional": True, "norm_first": False, "condition": OPEN_EPS}
    lab.agrees(block_case("m", *words, inputs(131), mask=random_mask(2, 2, 1, 1, 5), **options))


def test_mask_forms(lab: Lab) -> None:
    """The mask may have every form that MultiHeadAttention takes"""
    for norm_first, _, _, _ in ORDERS:
        for probe in masked(norm_first):
            lab.agrees(probe, gradients=False)


def test_dropout_on_sublayers(lab: Lab) -> None:
    """In training, dropout acts on each sublayer's output before it is added"""
    _hidden_layer_dropped(lab)
    hidden_values_dropped(lab, RATE, SIGMAS)
    same_by_default(lab, training(), title=Text("a block in training", "训练模式的块"), dropout=0.1)
    for norm_first, _, en, zh in ORDERS:
        words = f"{en} in training with dropout=1.0", f"训练模式、dropout=1.0 的 {zh}"
        options: dict[str, Any] = {"norm_first": norm_first, "dropout": 1.0, "condition": OPEN_EPS}
        lab.agrees(block_case("k", *words, inputs(144), train=True, **options))
    if lab.carried:  # what is dropped by chance can be read only through a right norm
        return
    g = torch.Generator().manual_seed(7)
    pattern = torch.tensor([-4.0, -1.0, 2.0, 5.0], dtype=torch.float64)  # rows of large variance
    x = pattern + 0.3 * torch.randn(16, 16, 4, generator=g, dtype=torch.float64)
    for norm_first, _, en, zh in ORDERS:
        state = random_state(block_shapes(4, 6), 3000)
        for name in state:
            if name.endswith(CONSTANT):
                state[name] = torch.zeros_like(state[name])
        title = Text(f"{en} in training with dropout={RATE}", f"训练模式、dropout={RATE} 的 {zh}")
        init = {"d_model": 4, "num_heads": 2, "d_ff": 6, "dropout": RATE, "norm_first": norm_first}
        settings: dict[str, Any] = {"init": init, "state": state, "dtype": "float64", "condition": OPEN_EPS}
        probe = Probe("k", "EncoderBlock", title, (x,), train=True, **settings)
        made, seen = called_in_training(lab, probe)
        lab.must_work(seen, title)
        if not isinstance(seen.value, Tensor) or seen.value.shape != x.shape or seen.value.dtype != x.dtype:
            lab.near("result", seen.value, x, title=title)
        nearest, attention, network = _decoded(x, seen.value, state, norm_first, RATE)
        if not lab.close(seen.value, nearest, OPEN_EPS):
            for rate in (0.1, 0.5, 1 - RATE):
                if lab.close(seen.value, _decoded(x, seen.value, state, norm_first, rate)[0], OPEN_EPS):
                    lab.fail(
                        f"{title.en}: a rate of {rate} is used",
                        f"{title.zh}：实际使用的丢弃率是 {rate}",
                        fault="dropout-rate-ignored",
                    )
            twice = _decoded(x, seen.value, state, norm_first, 1 - (1 - RATE) ** 2)[0]
            if lab.close(seen.value, twice, OPEN_EPS):
                lab.fail(
                    f"{title.en}: the sublayers' outputs are scaled up twice, so dropout acts twice",
                    f"{title.zh}：子层的输出被放大了两次，说明 dropout 作用了两次",
                    fault="dropout-twice",
                )
        lab.near("result", seen.value, nearest, condition=OPEN_EPS, title=title)
        if torch.equal(attention, network) and not bool(attention.all()) and bool(attention.any()):
            lab.fail(
                f"{title.en}: the same numbers are dropped from both sublayers' outputs",
                f"{title.zh}：两个子层的输出丢弃的是同样的数",
            )
        drawn = attention, network
        if not all(_some_kept(kept) for kept in drawn):  # throws that are shared may all fall alike
            drawn = _decoded(x, made(x, train=True, seed=1).value, state, norm_first, RATE)[1:]
        for part, zh_part, kept, again in (
            ("attention", "注意力", attention, drawn[0]),
            ("FFN", "FFN", network, drawn[1]),
        ):
            share = 1 - float(kept.mean())
            together = dropped_together(again.bool())
            if together is not None and _some_kept(again):
                lab.fail(
                    f"{title.en}: of the {part}'s output, {together.en}",
                    f"{title.zh}：{zh_part}的输出中，{together.zh}",
                    fault="dropout-whole-positions",
                )
            if not RATE - SIGMAS < share < RATE + SIGMAS:
                lab.fail(
                    f"{title.en}: {share:.0%} of the {part}'s output is dropped",
                    f"{title.zh}：{zh_part}的输出被丢弃了 {share:.0%}",
                )
        drawn_anew(lab, probe, made, seen)


def _some_kept(kept: Tensor) -> bool:
    return 0 < float(kept.mean()) < 1


def _hidden_layer_dropped(lab: Lab) -> None:
    """With a rate of one the FFN gives its last bias; without any dropout in it (open) it is as in eval."""
    title = Text("the FFN in training with dropout=1.0", "训练模式、dropout=1.0 的 FFN")
    probe = feed_case("x", title.en, title.zh, inputs(143), dropout=1.0)
    seen = lab.observe(probe.but(train=True))
    lab.must_work(seen, title)
    bias = (probe.state or {})["linear2.bias"]
    plain = lab.right(probe).seen.value
    if not isinstance(seen.value, Tensor) or seen.value.shape != plain.shape:
        lab.near("result", seen.value, plain, title=title)
        return
    if not any(lab.close(seen.value, right, 100) for right in (bias.expand_as(plain), plain)):
        evaluated = lab.observe(probe).value
        right = isinstance(evaluated, Tensor) and lab.close(evaluated, plain, 100)
        lab.fail(
            f"{title.en}: the hidden layer is what dropout acts on, so linear2.bias should be left",
            f"{title.zh}：dropout 应作用于隐藏层，结果应只剩 linear2.bias",
            fault="ffn-dropout-misplaced" if right else None,
        )


def _decoded(
    x: Tensor, found: Tensor, state: dict[str, Tensor], norm_first: bool, rate: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The possible result nearest to what was found, and what each sublayer kept of each number.

    A sublayer's output is its bias; each of the four features is kept or dropped: 16 x 16 cases a row.
    """
    cases = kept_of(4)  # (16, 4)
    b, c = (cases * state[name] / (1 - rate) for name in ("self_attn.W_o.bias", "feed_forward.linear2.bias"))
    rows, wanted = x.reshape(-1, 1, 4), found.reshape(-1, 1, 4).double()
    first = rows + b  # (N, 16, 4)
    if not norm_first:
        first = nn.functional.layer_norm(first, (4,), state["norm1.weight"], state["norm1.bias"], EPS)
    second = first.unsqueeze(2) + c  # (N, 16, 16, 4)
    if not norm_first:
        second = nn.functional.layer_norm(second, (4,), state["norm2.weight"], state["norm2.bias"], EPS)
    options = second.flatten(1, 2)  # (N, 256, 4)
    distance = (options - wanted).abs().amax(dim=-1).nan_to_num(nan=torch.inf)
    best = distance.argmin(dim=-1)  # (N,)
    nearest = options[torch.arange(len(best)), best].view_as(x)
    return nearest, cases[best // 16].view_as(x), cases[best % 16].view_as(x)


def test_no_dropout_in_eval(lab: Lab) -> None:
    """Nothing is dropped in eval mode, nor in training with dropout=0.0"""
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, eval mode with dropout=0.5", f"{zh}，eval 模式、dropout=0.5"
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        probe = block_case("v", *words, inputs(140), dropout=0.5, **options)
        dropped_in_eval(lab, probe)
        lab.agrees(probe)
        _nothing_dropped_in_training(lab, norm_first)
    words = "the FFN in eval mode with dropout=0.5", "eval 模式、dropout=0.5 的 FFN"
    lab.agrees(feed_case("v", *words, inputs(142), dropout=0.5))
    words = "the FFN in training", "训练模式的 FFN"
    same_by_default(lab, feed_case("v", *words, inputs(147), train=True), dropout=0.0)


def _nothing_dropped_in_training(lab: Lab, norm_first: bool) -> None:
    """With dropout=0.0 training is as eval mode, also where the first number drawn is next to nothing."""
    _, _, en, zh = ORDERS[norm_first]
    words = f"{en}, training with dropout=0.0", f"{zh}，训练模式、dropout=0.0"
    x = inputs(141, 1 if norm_first else 2)
    probe = block_case("v", *words, x, norm_first=norm_first, train=True, condition=OPEN_EPS)
    seen, right = lab.observe(probe, seed=SMALL_DRAW), lab.right(probe).seen.value
    there = seen.value
    if isinstance(there, Tensor) and isinstance(right, Tensor) and there.shape == right.shape:
        if there.dtype is right.dtype and lab.close(there, right, OPEN_EPS):
            return
        if torch.equal(there, x):
            lab.fail(
                f"{probe.title.en}: x comes back as it was, both sublayers are left out",
                f"{probe.title.zh}：返回的就是 x，两个子层都被跳过了",
            )
        evaluated, again = lab.observe(probe.but(train=False)).value, lab.observe(probe, seed=1).value
        chance = isinstance(again, Tensor) and not torch.equal(there, again)
        if chance and isinstance(evaluated, Tensor) and lab.close(evaluated, right, OPEN_EPS):
            lab.fail(
                f"{probe.title.en}: something is dropped all the same",
                f"{probe.title.zh}：仍有内容被丢弃",
                fault="dropout-rate-ignored",
            )
    lab.agrees(probe)
    lab.near("result", there, right, condition=OPEN_EPS, title=probe.title)


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    for norm_first, _, _, _ in ORDERS:
        lab.behaves(plain(norm_first))
        probe = masked(norm_first)[0]
        # in one order the mask of the call before is not to be used by a call without one
        shape, after = ((2, 5, 5), probe) if norm_first else ((5, 5), plain(norm_first))
        before = probe.but(args=(inputs(146),), kwargs={"mask": random_mask(146, *shape)})
        keeps_nothing(lab, before, after)


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    for norm_first, _, en, zh in ORDERS:
        probe = masked(norm_first)[0]
        seen = lab.glimpse(probe, gradients=False)
        if lab.carries(probe, seen):
            continue
        lab.must_work(seen, probe.title)
        if seen.changed:
            which = ", ".join("x" if name == "0" else name for name in seen.changed)
            lab.fail(f"{en}: the call changed {which} in place", f"{zh}：调用就地修改了 {which}")


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the input and to every parameter"""
    for norm_first, _, en, zh in ORDERS:
        lab.agrees(masked(norm_first)[0])
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        probe = block_case("g", en, zh, inputs(258), **options) if norm_first else training()
        learns_in_training(lab, probe)
    lab.agrees(feed())
    learns_in_training(lab, feed_case("g", "the FFN", "FFN", inputs(161)))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, float32 input", f"{zh}，float32 输入"
        lab.agrees(
            block_case(
                "t", *words, inputs(170, dtype=torch.float32), norm_first=norm_first, condition=OPEN_EPS_32
            )
        )
    quiet = ("norm1.weight", "norm2.weight")  # norms that answer their bias: no eps, so float64 counts
    words = "pre-LN, float64 input, gains of zero", "pre-LN，float64 输入，归一化增益为零"
    lab.agrees(block_case("t", *words, inputs(171), norm_first=True, zero=quiet, condition=50))


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    transposed, sliced = inputs(180, 5, 2).transpose(0, 1), inputs(181, 2, 5, 16)[..., ::2]
    expanded = inputs(182, 1).expand(3, -1, -1)
    for norm_first, en, zh, x in (
        (False, "transposed input", "转置得到的输入", transposed),
        (True, "transposed input", "转置得到的输入", transposed),
        (False, "expanded input", "扩展得到的输入", expanded),
        (True, "sliced input", "切片得到的输入", sliced),
    ):
        order = _order(norm_first)
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        lab.agrees(block_case("n", f"{order}, {en}", f"{order}，{zh}", x, **options))


@tried(
    {"B": 1, "S": 1, "num_heads, d_k": (1, 9), "d_ff": 1, "norm_first": True, "seed": 3, "masked": False},
    {"B": 3, "S": 6, "num_heads, d_k": (3, 4), "d_ff": 20, "norm_first": False, "seed": 17, "masked": True},
    {"B": 2, "S": 2, "num_heads, d_k": (2, 9), "d_ff": 5, "norm_first": True, "seed": 40, "masked": True},
    {"B": 1, "S": 4, "num_heads, d_k": (1, 9), "d_ff": 9, "norm_first": False, "seed": 71, "masked": True},
    {"B": 3, "S": 3, "num_heads, d_k": (3, 4), "d_ff": 3, "norm_first": True, "seed": 98, "masked": False},
)
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random shapes, masks and values"""
    B, S = (data.draw(st.integers(1, n), label=label) for n, label in ((3, "B"), (6, "S")))
    heads, d_k = data.draw(st.sampled_from([(2, 4), (3, 4), (1, 9), (2, 9)]), label="num_heads, d_k")
    d_ff = data.draw(st.integers(1, 20), label="d_ff")
    norm_first = data.draw(st.booleans(), label="norm_first")
    seed = data.draw(st.integers(0, 99), label="seed")
    mask = None
    if data.draw(st.booleans(), label="masked"):
        mask = torch.rand(B, S, S, generator=torch.Generator().manual_seed(seed)) < 0.6
        mask[..., 0] = True
    x = inputs(seed, B, S, heads * d_k)
    shapes = f"x {tuple(x.shape)}, num_heads={heads}, d_ff={d_ff}, norm_first={norm_first}"
    words = (shapes + ", with a mask", shapes + "，带掩码") if mask is not None else (shapes, shapes)
    options: dict[str, Any] = {"heads": heads, "d_ff": d_ff, "seed": seed, "condition": OPEN_EPS}
    lab.agrees(block_case("h", *words, x, norm_first=norm_first, mask=mask, **options))


# -- edges ------------------------------------------------------------------------------------------


def test_leading_dimensions(lab: Lab) -> None:
    """The FFN takes two-dimensional and four-dimensional input too"""
    x = inputs(103, 6).view(2, 3, 5, 8)
    for part in (x[0, 0], x):
        shape = tuple(part.shape)
        lab.agrees(feed_case("l", f"the FFN on input {shape}", f"FFN，输入 {shape}", part, d_ff=3))


def test_fully_masked_row(lab: Lab) -> None:
    """A position that may attend to nothing gets W_o's bias from the attention, and no NaN gradients"""
    mask = random_mask(6, 2, 5, 5)
    mask[0, 2] = False
    mask[1, 4] = False
    for norm_first, _, en, zh in ORDERS:
        options: dict[str, Any] = {"norm_first": norm_first, "grad": True, "condition": OPEN_EPS}
        words = f"{en}, a fully masked row", f"{zh}，整行被屏蔽"
        lab.agrees(block_case("f", *words, inputs(191), mask=mask, **options))


def test_constant_rows(lab: Lab) -> None:
    """A position whose features are all equal gives no NaN"""
    x = inputs(195)
    x[0, 1], x[1, 3] = 2.0, -0.5
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, rows of one value", f"{zh}，整行取同一个值"
        lab.agrees(block_case("c", *words, x, norm_first=norm_first, condition=OPEN_EPS))


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with a mask and keep their dtype"""
    for norm_first, dtype in ((False, torch.float16), (True, torch.bfloat16)):
        order, name = _order(norm_first), str(dtype).removeprefix("torch.")
        words = f"{order}, {name} input with a mask", f"{order}，带掩码的 {name} 输入"
        x = inputs(200, dtype=dtype, spread=1.0)
        mask = random_mask(7, 2, 5, 5)
        lab.agrees(block_case("p", *words, x, norm_first=norm_first, mask=mask, condition=6.0))
