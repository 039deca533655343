"""The hidden suite of exercise 7.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from grader.diagnosis.model import Probe
from grader.exercises.again import follows_weights, keeps_nothing
from grader.exercises.dropping import dropped_in_eval
from grader.exercises.encoder.probes import OPEN_EPS, OPEN_EPS_32, ORDERS, VOCAB, case, padded, tokens
from grader.exercises.encoder_block.parts import EPS
from grader.exercises.encoder_block.probes import random_mask
from grader.exercises.in_training import learns_in_training, same_by_chance, same_by_default
from grader.exercises.properties import tried
from grader.marking.lab import Lab
from grader.text import Text

# -- calls that several checks look at: each is made once ---------------------------------------------


@cache
def plain(norm_first: bool) -> Probe:
    words = f"{_order(norm_first)} in eval mode", f"eval 模式的 {_order(norm_first)}"
    return case("b", *words, tokens(175), norm_first=norm_first, condition=OPEN_EPS)


@cache
def mixed_padding(norm_first: bool) -> Probe:
    """At the end of the first row, before the real tokens of the second, between and after in the third."""
    ids = tokens(131, 3)
    ids[0, 4:] = ids[1, 0] = ids[2, 3] = ids[2, 5] = 0
    order = _order(norm_first)
    words = (
        f"{order}, padding after, before and between real tokens",
        f"{order}，填充在真实词元之后、之前和之间",
    )
    return case("p", *words, ids, norm_first=norm_first, condition=OPEN_EPS)


@cache
def padding_after(norm_first: bool) -> Probe:
    """In pre-LN a single row, in post-LN as many as in `mixed_padding`."""
    order = _order(norm_first)
    if norm_first:
        ids = padded(tokens(134, 1), 0, least=2)
        words = f"{order}, one row with padding", f"{order}，只有一行，带填充"
    else:
        ids = padded(tokens(130, 3), 0)
        words = f"{order}, padding of different length in each row", f"{order}，每行填充长度不同"
    return case("p", *words, ids, norm_first=norm_first, condition=OPEN_EPS)


@cache
def of_pad_id(norm_first: bool) -> Probe:
    order, pad_id = _order(norm_first), _pad_id(norm_first)
    ids = padded(tokens(140, 3, pad_id=pad_id), pad_id)
    words = f"{order}, pad_id={pad_id}", f"{order}，pad_id={pad_id}"
    return case("i", *words, ids, pad_id=pad_id, layers=3, norm_first=norm_first, condition=OPEN_EPS)


@cache
def masked(norm_first: bool) -> tuple[Probe, ...]:
    """Masks of every form; the first two have the same in both orders.

    In pre-LN the first comes with as many sequences as tokens: (L, S) might be read as (B, S) then.
    """
    order = _order(norm_first)
    options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
    causal, words = torch.ones(6, 6).tril().bool(), (f"{order}, a causal mask", f"{order}，因果掩码")
    found = [case("m", *words, tokens(160, 6 if norm_first else 2), mask=causal, **options)]
    ids = padded(tokens(161), 0)
    more: tuple[tuple[int, ...], ...] = ((6, 6),) if norm_first else ((2, 1, 6), (2, 1, 1, 6))
    for shape in ((2, 6, 6), *more):
        words = (
            f"{order}, a mask of shape {shape}, and padding",
            f"{order}，形状为 {shape} 的掩码，输入带填充",
        )
        found.append(case("m", *words, ids, mask=random_mask(5, *shape), **options))
    numbers = random_mask(6, 2, 1, 6, 6)
    numbers = numbers.double() if norm_first else numbers.long()
    en, zh = ("float", "浮点") if norm_first else ("integer", "整数")
    words = f"{order}, a 0/1 {en} mask", f"{order}，0/1 {zh}掩码"
    found.append(case("m", *words, tokens(162), mask=numbers, **options))
    return tuple(found)


@cache
def training(norm_first: bool) -> Probe:
    rate = 0.5 if norm_first else 0.1  # the default, at which the other is compared with it
    order = _order(norm_first)
    words = f"{order}, training with dropout={rate}", f"{order}，训练模式、dropout={rate}"
    options: dict[str, Any] = {"norm_first": norm_first, "train": True, "grad": True, "condition": OPEN_EPS}
    return case("v", *words, tokens(175), dropout=rate, **options)


def _order(norm_first: bool) -> str:
    return ORDERS[norm_first][2]


def _pad_id(norm_first: bool) -> int:
    return VOCAB - 1 if norm_first else 3


# -- the checks ---------------------------------------------------------------------------------------


def test_submodules(lab: Lab) -> None:
    """The state dict holds the parameters of the named submodules, a block for each layer, and no others"""
    for norm_first, _, en, zh in ORDERS:
        sizes: dict[str, Any] = {
            "vocab_size": VOCAB,
            "d_model": 8,
            "num_heads": 2,
            "d_ff": 12,
            "num_layers": 3,
            "max_len": 12,
        }
        title = Text(f"a {en} encoder of three layers", f"三层的 {zh} 编码器")
        probe = Probe("s", "TransformerEncoder", title, init={**sizes, "norm_first": norm_first})
        wanted, seen = lab.right(probe).seen.value, lab.observe(probe)
        lab.must_work(seen, title)
        found = seen.value if isinstance(seen.value, dict) else {}
        for name in sorted(wanted.keys() | found.keys()):
            if found.get(name) != wanted.get(name):
                words = _entry_words(title, name, found.get(name), wanted.get(name))
                lab.fail(*words, fault=_entry_fault(found, wanted))

    _by_position(lab)


def _by_position(lab: Lab) -> None:
    """The constructor takes its parameters in the order of the exercise."""
    args = (VOCAB, 8, 2, 12, 3, 0.0, 12)
    title = Text.same(f"TransformerEncoder({', '.join(map(str, args))})")
    seen = lab.client.construct("TransformerEncoder", args, {}, state=None, train=False, dtype=None, seed=0)
    entries = seen.value.get("state", {}) if isinstance(seen.value, dict) else {}
    weight = entries.get("layers.2.feed_forward.linear1.weight", {})
    other = bool(weight) and list(weight.get("shape", ())) != [12, 8]
    if not seen.ok or other or any(name.startswith("layers.4.") for name in entries):
        order = "vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len, pad_id, norm_first"
        lab.fail(
            f"{title.en}: the parameters do not stand in the order {order}",
            f"{title.zh}：参数的顺序不是 {order}",
            fault="wrong-signature",
        )


def _entry_fault(found: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
    """The name of what is wrong with a state dict, where the probes do not tell it themselves."""
    missing, extra = wanted.keys() - found.keys(), found.keys() - wanted.keys()
    width = found.get("layers.0.feed_forward.linear1.bias", "")
    if not missing and not extra and width not in ("", wanted["layers.0.feed_forward.linear1.bias"]):
        return "d-ff-ignored"
    told = ("layers.", "norm.", "positional_encoding.embedding", "positional_encoding.pe")  # by a model
    others = {n for n in missing | extra if not n.startswith(told)}
    return "parameter-names" if others else None


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


def test_no_layers(lab: Lab) -> None:
    """Without layers it is the scaled embedding plus the positions"""
    for seed, d_model, max_len in ((100, 8, 5000), (101, 16, 12)):
        words = f"num_layers=0, d_model={d_model}", f"num_layers=0、d_model={d_model}"
        probe = case(
            "z",
            *words,
            tokens(seed),
            layers=0,
            d_model=d_model,
            norm_first=False,
            max_len=max_len,
            condition=OPEN_EPS,
        )
        _loop_returns(lab, probe)
        lab.agrees(probe)
        if max_len == 5000:
            same_by_default(lab, probe, max_len=max_len)


def _loop_returns(lab: Lab, probe: Probe) -> None:
    """Nothing without layers, and a tensor with them: the `return` is in the loop."""
    seen = lab.glimpse(probe)
    if seen.ok and seen.value is None:
        deep = case("z", "", "", tokens(102), layers=2, norm_first=False)
        if isinstance(lab.observe(deep).value, Tensor):
            lab.fail(
                f"{probe.title.en}: None is returned, though with two layers there is a result",
                f"{probe.title.zh}：返回了 None，而有两层时是有结果的",
                fault="layers-skipped",
            )


def test_post_ln(lab: Lab) -> None:
    """With norm_first=False it is right for one layer and for several, and has no final norm"""
    deep = _stack(lab, norm_first=False, name="post-LN")
    same_by_default(lab, deep, title=Text("an encoder", "一个编码器"), norm_first=False)


def test_pre_ln(lab: Lab) -> None:
    """With norm_first=True it is right for one layer and for several, and ends with a norm"""
    _stack(lab, norm_first=True, name="pre-LN")


def _stack(lab: Lab, *, norm_first: bool, name: str) -> Probe:
    """The last of the calls: of several layers."""
    for layers, S in ((1, 6), (3, 1)):
        words = f"{name}, {layers} layers, {S} tokens", f"{name}，{layers} 层，{S} 个词元"
        options: dict[str, Any] = {"layers": layers, "norm_first": norm_first, "condition": OPEN_EPS}
        probe = case("o", *words, tokens(110 + layers, 2, S), **options)
        lab.agrees(probe)
    return probe


def test_equal_sizes(lab: Lab) -> None:
    """It is right when all sizes are equal"""
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, all sizes equal to 4", f"{zh}，各维大小都是 4"
        sizes: dict[str, Any] = {"d_model": 4, "heads": 4, "d_ff": 4, "layers": 4, "max_len": 4, "seed": 1}
        lab.agrees(case("q", *words, tokens(120, 4, 4), norm_first=norm_first, condition=OPEN_EPS, **sizes))


def test_padding_masked(lab: Lab) -> None:
    """Without a mask, padding gets no attention"""
    for norm_first, _, _, _ in ORDERS:
        lab.agrees(mixed_padding(norm_first))
        lab.agrees(padding_after(norm_first))
    _mask_of_this_call(lab)


def _mask_of_this_call(lab: Lab) -> None:
    """A second call is masked by its own padding, or by its own mask."""
    before, mask = masked(False)[:2]
    kept = "mask-kept-between-calls"
    made = keeps_nothing(
        lab, before, mask, padding_after(False), mixed_padding(False), faults=(None, kept, kept)
    )
    follows_weights(lab, made, mixed_padding(False))


def test_pad_id(lab: Lab) -> None:
    """The padding is where pad_id stands, whatever its value"""
    for norm_first, _, _, _ in ORDERS:
        lab.agrees(of_pad_id(norm_first))
    words = Text("an encoder, padding in its input", "输入带填充的编码器")
    same_by_default(lab, mixed_padding(False), title=words, pad_id=0)


def test_padding_does_not_matter(lab: Lab) -> None:
    """What it returns at real tokens does not depend on how much padding follows"""
    for norm_first, _, en, zh in ORDERS:
        ids, more = tokens(150, 2, 5), 1 if norm_first else 4
        longer = torch.cat([ids, torch.zeros(2, more, dtype=ids.dtype)], dim=1)
        words = f"{en}, {more} positions of padding", f"{zh}，{more} 个填充位置"
        lab.agrees(case("d", *words, longer, norm_first=norm_first, condition=OPEN_EPS))


def test_given_mask(lab: Lab) -> None:
    """A given mask, of any form, replaces the padding mask"""
    for norm_first, _, _, _ in ORDERS:
        *booleans, numbers = masked(norm_first)
        for probe in booleans:
            lab.agrees(probe)
        _not_turned(lab, numbers)
        lab.agrees(numbers)


def _not_turned(lab: Lab, probe: Probe) -> None:
    """The check fails, and says so, when a mask of numbers is read the other way round."""
    mask = probe.kwargs["mask"]
    seen = lab.glimpse(probe).value
    wrong = lab.right(probe.but(kwargs={"mask": mask == 0})).seen.value
    if isinstance(seen, Tensor) and seen.is_floating_point() and lab.close(seen, wrong, OPEN_EPS):
        lab.fail(
            f"{probe.title.en}: what it forbids may be attended, and what it allows may not",
            f"{probe.title.zh}：掩码禁止的可以关注，允许的反而不能",
            fault="mask-inverted",
        )


def test_dropout(lab: Lab) -> None:
    """Dropout acts in training only, at the rate given"""
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, eval mode with dropout=0.5", f"{zh}，eval 模式、dropout=0.5"
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        quiet = case("v", *words, tokens(170), dropout=0.5, **options)
        dropped_in_eval(lab, quiet)
        words = f"{en}, training with dropout=0.0", f"{zh}，训练模式、dropout=0.0"
        probe = plain(norm_first).but(train=True, title=Text(*words))
        seen, right = lab.observe(probe), lab.right(probe).seen.value
        lab.must_work(seen, probe.title)
        own = lab.glimpse(plain(norm_first)).value  # right or wrong
        both = isinstance(seen.value, Tensor) and isinstance(own, Tensor)
        if both and seen.value.shape == own.shape and not lab.close(seen.value, own, OPEN_EPS):
            same_by_chance(lab, probe, seen)
            lab.fail(
                f"{probe.title.en}: something is dropped all the same",
                f"{probe.title.zh}：仍有内容被丢弃",
                fault="dropout-not-passed",
            )
        lab.agrees(quiet)
        lab.near("result", seen.value, right, condition=OPEN_EPS, title=probe.title)
        active = training(norm_first)
        seen = lab.glimpse(active, gradients=False)
        lab.must_work(seen, active.title)
        if isinstance(seen.value, Tensor) and not _differs(
            lab, active.but(train=False, grad=False), seen.value
        ):
            lab.fail(
                f"{active.title.en}: nothing is dropped",
                f"{active.title.zh}：什么也没有丢弃",
                fault="dropout-not-passed",
            )
        _blocks_drop(lab, norm_first, en, zh)
    by_default = Text("an encoder in training", "训练模式的编码器")
    same_by_default(lab, training(False), title=by_default, dropout=0.1)


def _blocks_drop(lab: Lab, norm_first: bool, en: str, zh: str) -> None:
    """With a rate of one no sublayer gives anything; whether positions are dropped too is open."""
    if lab.carried:
        return
    words = (
        f"{en}, training with dropout=1.0 and embeddings of zero",
        f"{zh}，训练模式、dropout=1.0，嵌入全为零",
    )
    active = case(
        "v", *words, tokens(174), dropout=1.0, train=True, norm_first=norm_first, condition=OPEN_EPS
    )
    state = {
        name: torch.zeros_like(value) if name.startswith("embedding.") else value
        for name, value in (active.state or {}).items()
    }
    silent = {
        name: torch.zeros_like(value) if ".W_o." in name or ".linear2." in name else value
        for name, value in state.items()
    }
    active = active.but(state=state)
    seen = lab.observe(active)
    lab.must_work(seen, active.title)
    right = lab.right(active.but(state=silent, train=False)).seen.value
    nothing = _only_norms(torch.zeros_like(right), state, norm_first)
    if not isinstance(seen.value, Tensor) or seen.value.shape != right.shape:
        lab.near("result", seen.value, right, condition=OPEN_EPS, title=active.title)
        return
    if lab.close(seen.value, nothing, OPEN_EPS):
        return
    quiet = active.but(train=False)
    if any(not _differs(lab, probe, seen.value) for probe in (quiet, _cancelling(quiet))):
        lab.fail(
            f"{active.title.en}: the blocks drop nothing",
            f"{active.title.zh}：各个块什么也没有丢弃",
            fault="dropout-not-passed",
        )
    lab.near("result", seen.value, right, condition=OPEN_EPS, title=active.title)


def _cancelling(probe: Probe) -> Probe:
    """The same with embeddings that cancel the positions: zeros enter the first block."""
    state = dict(probe.state or {})
    embedding, table = state["embedding.weight"].clone(), state["positional_encoding.pe"][0]
    places = torch.arange(1, 7)  # the real ids
    embedding[places] = -table[:6] / embedding.shape[-1] ** 0.5
    return probe.but(state={**state, "embedding.weight": embedding}, args=(places.expand(2, 6),))


def _only_norms(x: Tensor, state: dict[str, Tensor], norm_first: bool) -> Tensor:
    """What is left of x (B, S, d_model) when every sublayer gives zero."""
    norms = [f"layers.{n}.norm{m}" for n in range(9) for m in (1, 2)] if not norm_first else ["norm"]
    for name in norms:
        if f"{name}.weight" in state:
            x = nn.functional.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], EPS)
    return x


def _differs(lab: Lab, probe: Probe, found: Tensor) -> bool:
    return not lab.close(found, lab.right(probe).seen.value, OPEN_EPS)


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    for norm_first, _, _, _ in ORDERS:
        lab.behaves(plain(norm_first))


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    for norm_first, _, en, zh in ORDERS:
        for probe in (of_pad_id(norm_first), masked(norm_first)[1]):
            seen = lab.glimpse(probe)
            if lab.carries(probe, seen) or not (seen.ok or probe.kwargs):
                continue  # that padding works is another check's matter
            lab.must_work(seen, probe.title)
            if seen.changed:
                which = ", ".join("token_ids" if name == "0" else name for name in seen.changed)
                lab.fail(
                    f"{en}: the call changed {which} in place",
                    f"{zh}：调用就地修改了 {which}",
                    fault="input-modified",
                )


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the embedding and to every parameter of every layer"""
    for norm_first, _, en, zh in ORDERS:
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        pad_id = _pad_id(norm_first)
        words = f"{en}, 0 as a real token, pad_id={pad_id}", f"{zh}，0 是真实词元，pad_id={pad_id}"
        ids = tokens(191, 2, 5, pad_id=pad_id)
        lab.agrees(case("g", *words, ids, pad_id=pad_id, layers=3, grad=True, **options))
        learns_in_training(lab, training(norm_first))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the module"""
    for norm_first, _, en, zh in ORDERS:
        words = f"{en}, converted to float32", f"{zh}，转换为 float32"
        options: dict[str, Any] = {"norm_first": norm_first, "dtype": torch.float32}
        lab.agrees(case("t", *words, tokens(200), condition=OPEN_EPS_32, **options))
        lab.agrees(plain(norm_first))  # float64


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded token ids work"""
    turned = padded(tokens(210), 0).t().contiguous().t()
    sliced = tokens(211, 2, 12)[:, ::2]
    wide = tokens(212, 1).expand(3, -1)
    for norm_first, en, zh, ids in (
        (False, "transposed ids", "转置得到的 id", turned),
        (True, "sliced ids", "切片得到的 id", sliced),
        (False, "expanded ids", "扩展得到的 id", wide),
    ):
        order = _order(norm_first)
        words = f"{order}, {en}", f"{order}，{zh}"
        lab.agrees(case("n", *words, ids, norm_first=norm_first, condition=OPEN_EPS))


@tried(
    {"B": 1, "S": 2, "num_heads, d_k": (1, 4), "d_ff": 1, "num_layers": 1, "norm_first": True, "pad_id": 0}
    | {"seed": 3, "padding": 0},
    {"B": 3, "S": 7, "num_heads, d_k": (3, 4), "d_ff": 20, "num_layers": 3, "norm_first": False, "pad_id": 4}
    | {"seed": 17, "padding": [0, 6, 2]},
    {"B": 2, "S": 4, "num_heads, d_k": (2, 4), "d_ff": 8, "num_layers": 0, "norm_first": True, "pad_id": 0}
    | {"seed": 40, "padding": [1, 3]},
    {"B": 1, "S": 6, "num_heads, d_k": (1, 4), "d_ff": 5, "num_layers": 2, "norm_first": False, "pad_id": 0}
    | {"seed": 71, "padding": 2},
    {"B": 3, "S": 3, "num_heads, d_k": (3, 4), "d_ff": 3, "num_layers": 2, "norm_first": True, "pad_id": 4}
    | {"seed": 98, "padding": [0, 1, 2]},
)
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random sizes, padding and depths"""
    B, S = (data.draw(st.integers(1, n), label=label) for n, label in ((3, "B"), (7, "S")))
    heads, d_k = data.draw(st.sampled_from([(2, 4), (3, 4), (1, 4)]), label="num_heads, d_k")
    d_model = heads * d_k
    layers, d_ff = (
        data.draw(st.integers(0, 3), label="num_layers"),
        data.draw(st.integers(1, 20), label="d_ff"),
    )
    norm_first = data.draw(st.booleans(), label="norm_first")
    pad_id = data.draw(st.sampled_from([0, 4]), label="pad_id")
    seed = data.draw(st.integers(0, 99), label="seed")
    ids = tokens(seed, B, S, pad_id)
    for row in range(B):
        ids[row, S - data.draw(st.integers(0, S - 1), label="padding") :] = pad_id if S > 1 else ids[row, 0]
    words = (
        f"B={B}, S={S}, d_model={d_model}, num_heads={heads}, num_layers={layers}, norm_first={norm_first}"
    )
    sizes: dict[str, Any] = {
        "d_model": d_model,
        "heads": heads,
        "d_ff": d_ff,
        "layers": layers,
        "pad_id": pad_id,
        "seed": seed,
    }
    probe = case("h", words, words, ids, norm_first=norm_first, condition=OPEN_EPS, **sizes)
    _loop_returns(lab, probe)
    lab.agrees(probe)


# -- edges ------------------------------------------------------------------------------------------


def test_too_long(lab: Lab) -> None:
    """A sequence longer than max_len raises a ValueError that names both lengths"""
    probe = case(
        "l", "13 tokens with max_len=12", "max_len=12 时的 13 个词元", tokens(220, 2, 13), norm_first=False
    )
    if lab.carried:  # the learner's own positions decide
        lab.agrees(probe.but(condition=OPEN_EPS))
        return
    seen = lab.observe(probe)
    lab.not_stopped(seen, probe.title)
    if seen.error is None:
        lab.fail(f"{probe.title.en}: no error is raised", f"{probe.title.zh}：没有报错")
    elif "ValueError" not in (*seen.error.bases, seen.error.type):
        lab.fail(
            f"{probe.title.en}: {seen.error.type} instead of ValueError",
            f"{probe.title.zh}：报的是 {seen.error.type}，不是 ValueError",
        )
    elif not ("13" in seen.error.message and "12" in seen.error.message):
        lab.fail(
            f"{probe.title.en}: the message does not name both lengths",
            f"{probe.title.zh}：错误信息没有写出两个长度",
        )


def test_fully_masked_row(lab: Lab) -> None:
    """A row of padding alone, or a position that may attend to nothing, gives no NaN elsewhere"""
    for norm_first, _, en, zh in ORDERS:
        options: dict[str, Any] = {"norm_first": norm_first, "condition": OPEN_EPS}
        if norm_first:
            ids = tokens(230, 3)
            ids[1] = 0
            lab.agrees(case("f", f"{en}, a row of padding alone", f"{zh}，有一行全是填充", ids, **options))
        mask = random_mask(6, 3, 6, 6)
        mask[0, 2] = mask[2, 5] = False
        words = f"{en}, a mask with an empty row", f"{zh}，掩码有一行全为假"
        lab.agrees(case("f", *words, tokens(231, 3), mask=mask, grad=True, **options))


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with padding and keep their dtype"""
    for norm_first, dtype in ((False, torch.float16), (True, torch.bfloat16)):
        order, name = _order(norm_first), str(dtype).removeprefix("torch.")
        words = f"{order}, converted to {name}", f"{order}，转换为 {name}"
        ids = padded(tokens(240), 0)
        lab.agrees(case("x", *words, ids, norm_first=norm_first, dtype=dtype, condition=10.0))
