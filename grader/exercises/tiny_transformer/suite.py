"""The hidden suite of exercise 8.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.again import follows_weights
from grader.exercises.devices import mismatched, stays_on_device
from grader.exercises.in_training import learns_in_training, same_by_default
from grader.exercises.properties import tried
from grader.exercises.tiny_transformer.model import EXTRA_NORMS
from grader.exercises.tiny_transformer.probes import (
    OPEN_EPS,
    OPEN_EPS_32,
    TARGET,
    VOCAB,
    case,
    padded,
    scattered,
    tokens,
)
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.submission.observation import Observation
from grader.text import Text

ORDERS = ((True, "pre-LN"), (False, "post-LN"))
SIZES: dict[str, Any] = {"vocab_size": VOCAB, "d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2}
# what a model of the diagnosis tells by itself
TOLD = (
    "encoder.layers.",
    "encoder.norm.",
    "encoder.positional_encoding.pe",
    "output_projection.bias",
    *(f"{name}." for name in EXTRA_NORMS),
)


@cache
def plain(causal: bool) -> Probe:
    """A call that several checks look at; it is made once."""
    words = f"pre-LN, causal={causal}", f"pre-LN，causal={causal}"
    options: dict[str, Any] = {"norm_first": True, "causal": causal, "layers": 2, "condition": OPEN_EPS}
    return case("b", *words, tokens(130), **options)


@cache
def of_pad_id(causal: bool, pad_id: int) -> Probe:
    words = f"causal={causal}, pad_id={pad_id}", f"causal={causal}，pad_id={pad_id}"
    ids = padded(tokens(150, 3, pad_id=pad_id), pad_id).t().contiguous().t()  # not contiguous
    return case("i", *words, ids, pad_id=pad_id, causal=causal, condition=OPEN_EPS)


def test_submodules(lab: Lab) -> None:
    """The state dict holds the parameters of the encoder and of the projection; all settings are passed on"""
    for norm_first, name in ORDERS:
        probe = Probe("s", TARGET, Text.same(name), init={**SIZES, "max_len": 11, "norm_first": norm_first})
        wanted, seen = lab.right(probe).seen.value, lab.observe(probe)
        lab.must_work(seen, probe.title)
        found = seen.value if isinstance(seen.value, dict) else {}
        for entry in sorted(wanted.keys() | found.keys()):
            if found.get(entry) != wanted.get(entry):
                words = _entry_words(name, entry, found.get(entry), wanted.get(entry))
                lab.fail(*words, fault="parameter-names" if _misnamed(found, wanted) else None)
    _by_position(lab)


def _misnamed(found: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Whether entries go by other names; one that is merely not there may have been tied to another."""
    gone = wanted.keys() - found.keys() - {"output_projection.weight"}
    return any(not name.startswith(TOLD) for name in gone | (found.keys() - wanted.keys()))


def _by_position(lab: Lab) -> None:
    """The constructor takes its parameters in the order of the exercise."""
    args = (VOCAB, 8, 2, 12, 3, 11, 0.0, True, 0, False)
    title = Text.same(f"TinyTransformer({', '.join(map(str, args))})")
    settings = {**dict(zip(SIZES, args)), "max_len": 11, "norm_first": False}
    options: dict[str, Any] = {"state": None, "train": False, "dtype": None, "seed": 0}
    by_name = lab.client.construct(TARGET, (), settings, **options)
    seen = lab.client.construct(TARGET, args, {}, **options)
    entries, wanted = (
        one.value.get("state", {}) if isinstance(one.value, dict) else {} for one in (seen, by_name)
    )
    if by_name.ok and (not seen.ok or entries != wanted):
        order = (
            "vocab_size, d_model, num_heads, d_ff, num_layers, max_len, dropout, causal, pad_id, norm_first"
        )
        lab.fail(
            f"{title.en}: the parameters do not stand in the order {order}",
            f"{title.zh}：参数的顺序不是 {order}",
            fault="wrong-signature",
        )


def _entry_words(title: str, name: str, found: str | None, wanted: str | None) -> tuple[str, str]:
    if found is None:
        return f"{title}: the state dict lacks {name}", f"{title}：state dict 中缺少 {name}"
    if wanted is None:
        return (
            f"{title}: the state dict has {name}, which is not asked for",
            f"{title}：state dict 中有多余的 {name}",
        )
    return (
        f"{title}: {name} is a {found}, expected {wanted}",
        f"{title}：{name} 是 {found}，应为 {wanted}",
    )


def test_no_layers(lab: Lab) -> None:
    """Without layers the logits are the projection of what the encoder gives, raw, with a bias"""
    for norm_first, name in ORDERS:
        words = f"{name}, num_layers=0", f"{name}、num_layers=0"
        lab.agrees(case("z", *words, tokens(100), layers=0, norm_first=norm_first, condition=OPEN_EPS))


def test_causal(lab: Lab) -> None:
    """With causal=True each position sees itself and what stands before it, and nothing else"""
    for norm_first, name in ORDERS:
        for seed, layers, B, S in ((110, 1, 2, 5), (111, 2, 1, 4)):
            words = f"{name}, {layers} layers, {B} x {S} tokens", f"{name}，{layers} 层，{B} x {S} 个词元"
            options: dict[str, Any] = {"layers": layers, "norm_first": norm_first, "condition": OPEN_EPS}
            lab.agrees(case("c", *words, tokens(seed, B, S), **options))
    lab.agrees(case("c", "one token", "一个词元", tokens(112, 2, 1), condition=OPEN_EPS))
    _mask_of_this_call(lab)


def _mask_of_this_call(lab: Lab) -> None:
    """Later calls, with padding elsewhere and of another length, are masked by themselves."""
    plain = case("m", "a first call", "第一次调用", padded(tokens(113), 0), condition=OPEN_EPS)
    options: dict[str, Any] = {"init": plain.init, "state": plain.state, "dtype": plain.dtype, "train": False}
    made = lab.make(TARGET, **options)
    lab.must_work(made(plain.args[0] if plain.args else None), plain.title)
    for ids, en, zh in (
        (scattered(tokens(114)), "a second call with padding elsewhere", "第二次调用，填充的位置不同"),
        (tokens(115, 2, 7), "a later call with longer sequences", "之后用更长的序列调用"),
    ):
        last = plain.but(args=(ids,), where=None, title=Text(en, zh))
        fresh, again = lab.glimpse(last), made(ids)
        lab.must_work(fresh, Text(en, zh))
        if not _alike(lab, fresh, again, ids != 0):
            lab.fail(
                f"{en}: the result is not that of a first call with the same ids",
                f"{zh}：结果与首次用同样的 id 调用时不同",
                fault="mask-kept-between-calls",
            )
    follows_weights(lab, made, last)


def _alike(lab: Lab, fresh: Observation, again: Observation, real: Tensor) -> bool:
    """Whether two results agree at real tokens."""
    one, other = fresh.value, again.value
    if not (isinstance(one, Tensor) and one.is_floating_point() and one.shape[:2] == real.shape):
        return True  # another check's matter
    if not isinstance(other, Tensor) or other.shape != one.shape:
        return False
    return lab.close(other[real].nan_to_num(), one[real].nan_to_num())


def test_future_unseen(lab: Lab) -> None:
    """With causal=True, changing later tokens changes no earlier logit"""
    for norm_first, name in ORDERS:
        places = (1, 2, 3, 5)
        ids = tokens(120, 1, 6).repeat(1 + len(places), 1)
        for row, place in enumerate(places, 1):  # another real token in one place
            ids[row, place] = ids[row, place] % (VOCAB - 1) + 1
        probe = case("f", name, name, ids, norm_first=norm_first, layers=2, condition=OPEN_EPS)
        if lab.carried:  # the learner's own masks decide who sees whom
            lab.agrees(probe)
            continue
        seen = lab.observe(probe)
        lab.must_work(seen, probe.title)
        (found,) = lab.unpacked(seen, TARGET, probe.title)
        if not isinstance(found, Tensor) or found.dim() < 2 or found.shape[:2] != ids.shape:
            lab.agrees(probe)
            continue
        for row, place in enumerate(places, 1):
            for t in range(place):
                one, other = found[0, t].nan_to_num().double(), found[row, t].nan_to_num().double()
                if not lab.close(other, one):
                    by = f"{float((other - one).abs().max()):.4g}"
                    lab.fail(
                        f"{name}: changing the token at position {place} changes the logits at position "
                        f"{t}, by up to {by}",
                        f"{name}：改动位置 {place} 的词元后，位置 {t} 的 logits 随之改变，最多相差 {by}",
                    )


def test_both_sides(lab: Lab) -> None:
    """With causal=False each position sees all tokens, later ones too"""
    lab.agrees(plain(False))
    words = "post-LN, causal=False", "post-LN，causal=False"
    options: dict[str, Any] = {"norm_first": False, "causal": False, "condition": OPEN_EPS}
    lab.agrees(case("b", *words, tokens(130), layers=2, **options))


PLACES = (
    ("at the end, of different length in each row", "在末尾，每行长度不同"),
    ("before and between real tokens", "在真实词元之前和之间"),
)


def _with_padding(lab: Lab, causal: bool) -> None:
    for (norm_first, name), (en, zh) in zip((*ORDERS, *ORDERS[::-1]), (*PLACES, *PLACES)):
        ids = padded(tokens(140, 3, 6), 0, 0) if en == PLACES[0][0] else scattered(tokens(141, 3, 6))
        words = f"{name}, causal={causal}, padding {en}", f"{name}，causal={causal}，填充{zh}"
        options: dict[str, Any] = {"norm_first": norm_first, "causal": causal, "condition": OPEN_EPS}
        lab.agrees(case("p", *words, ids, layers=2, **options))


def test_causal_with_padding(lab: Lab) -> None:
    """With causal=True padding is unseen as well, wherever it stands"""
    _with_padding(lab, causal=True)
    words = "causal=True, one row with padding at its end", "causal=True，单独一行，末尾有填充"
    lab.agrees(case("p", *words, padded(tokens(142, 1), 0), condition=OPEN_EPS))


def test_both_sides_with_padding(lab: Lab) -> None:
    """With causal=False padding is unseen, wherever it stands"""
    _with_padding(lab, causal=False)


def test_pad_id(lab: Lab) -> None:
    """The padding is where pad_id stands, whatever its value"""
    for causal in (True, False):
        for pad_id in (3, VOCAB - 1):
            lab.agrees(of_pad_id(causal, pad_id))


def test_equal_sizes(lab: Lab) -> None:
    """It is right when all sizes are equal"""
    for causal in (True, False):
        words = f"causal={causal}, all sizes equal to 4", f"causal={causal}，各维大小都是 4"
        sizes: dict[str, Any] = {"vocab": 4, "d_model": 4, "heads": 4, "d_ff": 4, "layers": 4, "max_len": 4}
        ids = padded(tokens(160, 4, 4, vocab=4), 0, 0)
        lab.agrees(case("q", *words, ids, causal=causal, condition=OPEN_EPS, **sizes))


def test_training(lab: Lab) -> None:
    """The masks are the same in training, and dropout acts in training only, at the rate given"""
    options: dict[str, Any] = {"condition": OPEN_EPS}
    ids = padded(tokens(170), 0)
    quiet = case("v", "eval mode with dropout=0.5", "eval 模式、dropout=0.5", ids, dropout=0.5, **options)
    without = quiet.but(init={**(quiet.init or {}), "dropout": 0.0})
    if _by_chance(lab, quiet) and not _by_chance(lab, without):
        lab.fail(
            f"{quiet.title.en}: numbers are dropped in eval mode",
            f"{quiet.title.zh}：在 eval 模式下仍有数被丢弃",
            fault="dropout-in-eval",
        )
    active = case(
        "v", "training with dropout=0.5", "训练模式、dropout=0.5", ids, dropout=0.5, train=True, **options
    )
    seen = lab.observe(active, seed=1)
    lab.must_work(seen, active.title)
    other = lab.observe(active, seed=2)
    if isinstance(seen.value, Tensor) and not _differ(seen, other):
        lab.fail(
            f"{active.title.en}: nothing is dropped",
            f"{active.title.zh}：什么也没有丢弃",
            fault="dropout-not-passed",
        )
    for causal in (True, False):
        words = f"training with dropout=0.0, causal={causal}", f"训练模式、dropout=0.0、causal={causal}"
        probe = case("v", *words, ids, causal=causal, train=True, **options)
        try:
            lab.agrees(probe)
        except CheckFailed:
            if _by_chance(lab, probe) and not _by_chance(lab, probe.but(train=False)):
                lab.fail(
                    f"{probe.title.en}: something is dropped all the same",
                    f"{probe.title.zh}：仍有内容被丢弃",
                    fault="dropout-not-passed",
                )
            raise


def _by_chance(lab: Lab, probe: Probe) -> bool:
    """Whether two calls with other seeds differ."""
    return _differ(*(lab.observe(probe, seed=seed) for seed in (1, 2)))


def _differ(first: Observation, second: Observation) -> bool:
    one, other = first.value, second.value
    if not (isinstance(one, Tensor) and isinstance(other, Tensor)) or one.shape != other.shape:
        return False
    return not torch.equal(one.nan_to_num(), other.nan_to_num())


def test_defaults(lab: Lab) -> None:
    """Settings that are left out have the values of the exercise"""
    title = Text("max_len not given", "不传 max_len")
    plain = Probe("d", TARGET, title, init=SIZES)
    seen, stated = lab.observe(plain), lab.observe(plain.but(init={**SIZES, "max_len": 512}))
    lab.must_work(seen, title)
    if stated.ok and seen.value != stated.value:
        lab.fail(
            f"{title.en}: the state dict is not that of max_len=512, the default of the exercise",
            f"{title.zh}：state dict 与题目的默认值 max_len=512 不一致",
            fault="default-wrong",
        )
    ids = padded(tokens(180), 0)
    probe = case("d", "in training, with padding", "训练模式，带填充", ids, train=True)
    settings: dict[str, Any] = {"dropout": 0.0, "causal": True, "pad_id": 0, "norm_first": True}
    try:
        same_by_default(lab, probe, **settings)
    except CheckFailed:
        for name, value in settings.items():  # which of them is it?
            same_by_default(lab, probe, **{name: value})
        raise


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    for causal in (True, False):
        lab.behaves(plain(causal))


def test_inputs_unchanged(lab: Lab) -> None:
    """The arguments are not changed in place"""
    for causal in (True, False):
        probe = of_pad_id(causal, 3)
        seen = lab.glimpse(probe)
        if lab.carries(probe, seen):
            continue
        lab.must_work(seen, probe.title)
        if seen.changed:
            lab.fail(
                f"{probe.title.en}: the call changed token_ids in place",
                f"{probe.title.zh}：调用就地修改了 token_ids",
                fault="input-modified",
            )


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the embedding, to every layer, and to the projection"""
    for norm_first, name in ORDERS:
        causal = norm_first
        words = f"{name}, causal={causal}", f"{name}，causal={causal}"
        options: dict[str, Any] = {"norm_first": norm_first, "causal": causal, "condition": OPEN_EPS}
        lab.agrees(case("g", *words, tokens(210, pad_id=3), pad_id=3, grad=True, **options))
    learns_in_training(lab, case("g", "a tiny Transformer", "微型 Transformer", tokens(211)))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the module"""
    for dtype, condition in ((torch.float32, OPEN_EPS_32), (torch.float64, OPEN_EPS)):
        name = str(dtype).removeprefix("torch.")
        words = f"converted to {name}", f"转换为 {name}"
        ids = padded(tokens(220), 0)
        lab.agrees(case("t", *words, ids, norm_first=False, dtype=dtype, condition=condition))


def test_stays_on_device(lab: Lab) -> None:
    """Nothing is made on the CPU when the module and its input are on another device"""
    if lab.carried:  # where the learner's own parts make their tensors is their matter
        return
    for causal in (True, False):
        title = Text(f"on another device, causal={causal}", f"在其他设备上，causal={causal}")
        init, ids = {**SIZES, "num_layers": 1, "causal": causal}, padded(tokens(230), 0)
        module = lab.make(TARGET, init=init)
        if causal:  # what a call on the CPU leaves behind is no good there
            title += Text(", after a call on the CPU", "，此前在 CPU 上调用过一次")
            lab.must_work(module(ids), title)
        seen = module(ids, elsewhere=True)
        fault = "device-hard-coded"
        if causal and mismatched(seen) and not mismatched(lab.make(TARGET, init=init)(ids, elsewhere=True)):
            fault = "mask-kept-between-calls"
        try:
            stays_on_device(lab, TARGET, seen, title, fault)
        except CheckFailed as failed:  # where an earlier file meets the tensor, the line that made it is here
            if fault != "device-hard-coded":
                lab.fail(failed.text.en, failed.text.zh, fault=fault)
            own = seen.error.within(f"{lab.client.module}.py") if seen.error is not None else None
            failed.line = own.line if own is not None else None
            raise


@tried(
    {"B": 2, "S": 2, "num_heads, d_k": (1, 4), "num_layers": 1, "d_ff": 1, "norm_first": True}
    | {"causal": True, "pad_id": 0, "vocab_size": VOCAB, "seed": 3, "first padding": 0, "paddings": 0},
    {"B": 3, "S": 6, "num_heads, d_k": (2, 4), "num_layers": 2, "d_ff": 12, "norm_first": False}
    | {"causal": False, "pad_id": 4, "vocab_size": 2 * VOCAB, "seed": 17}
    | {"first padding": [1, 4, 5], "paddings": [2, 2, 0]},
    {"B": 2, "S": 3, "num_heads, d_k": (4, 1), "num_layers": 0, "d_ff": 5, "norm_first": True}
    | {"causal": False, "pad_id": 0, "vocab_size": VOCAB, "seed": 40}
    | {"first padding": [0, 2], "paddings": [1, 1]},
    {"B": 3, "S": 4, "num_heads, d_k": (2, 4), "num_layers": 1, "d_ff": 8, "norm_first": True}
    | {"causal": True, "pad_id": 4, "vocab_size": VOCAB, "seed": 71}
    | {"first padding": [0, 3, 2], "paddings": [2, 1, 1]},
    {"B": 1, "S": 5, "num_heads, d_k": (1, 4), "num_layers": 2, "d_ff": 4, "norm_first": False}
    | {"causal": True, "pad_id": 0, "vocab_size": 2 * VOCAB, "seed": 98, "first padding": 3, "paddings": 2},
)
@given(data=st.data())
def test_any_shapes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random sizes, padding and settings"""
    B, S = (data.draw(st.integers(1, n), label=label) for n, label in ((3, "B"), (6, "S")))
    heads, d_k = data.draw(st.sampled_from([(2, 4), (1, 4), (4, 1)]), label="num_heads, d_k")
    layers, d_ff = (
        data.draw(st.integers(0, 2), label="num_layers"),
        data.draw(st.integers(1, 12), label="d_ff"),
    )
    norm_first = data.draw(st.booleans(), label="norm_first")
    causal = data.draw(st.booleans(), label="causal")
    pad_id = data.draw(st.sampled_from([0, 4]), label="pad_id")
    vocab = data.draw(st.sampled_from([VOCAB, 2 * VOCAB]), label="vocab_size")
    ids = tokens(data.draw(st.integers(0, 99), label="seed"), B, S, pad_id, vocab)
    for row in range(B):
        first = data.draw(st.integers(0, S - 1), label="first padding")
        if S > 1:
            ids[row, first : first + data.draw(st.integers(0, S - 1), label="paddings")] = pad_id
        if bool((ids[row] == pad_id).all()):
            ids[row, 0] = (pad_id + 1) % vocab
    words = (
        f"B={B}, S={S}, d_model={heads * d_k}, num_heads={heads}, num_layers={layers}, causal={causal}, "
        f"norm_first={norm_first}"
    )
    sizes: dict[str, Any] = {
        "vocab": vocab,
        "d_model": heads * d_k,
        "heads": heads,
        "d_ff": d_ff,
        "layers": layers,
        "pad_id": pad_id,
        "norm_first": norm_first,
        "causal": causal,
    }
    lab.agrees(case("h", words, words, ids, condition=OPEN_EPS, **sizes))


# -- edges ------------------------------------------------------------------------------------------


def test_padding_row(lab: Lab) -> None:
    """A row of padding alone gives no NaN elsewhere"""
    for causal in (True, False):
        words = f"causal={causal}, a row of padding alone", f"causal={causal}，有一行全是填充"
        ids = tokens(240, 3)
        ids[1] = 0
        lab.agrees(case("r", *words, ids, causal=causal, layers=2, condition=OPEN_EPS))


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work with padding and keep their dtype"""
    for causal, dtype in ((True, torch.float16), (False, torch.float16), (True, torch.bfloat16)):
        name = str(dtype).removeprefix("torch.")
        words = f"causal={causal}, converted to {name}", f"causal={causal}，转换为 {name}"
        lab.agrees(case("x", *words, padded(tokens(250), 0), causal=causal, dtype=dtype, condition=10.0))
