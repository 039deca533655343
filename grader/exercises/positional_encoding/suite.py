"""The hidden suite of exercise 3.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

import re

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.diagnosis.model import Probe
from grader.exercises.positional_encoding.probes import (
    FIXED,
    LEARNED,
    TABLE,
    made,
    module_case,
    numbers,
    table_case,
)
from grader.exercises.properties import quick
from grader.marking.compare import number
from grader.marking.lab import CheckFailed, Lab
from grader.submission.observation import Observation, Outcome
from grader.text import Text

BOTH = (FIXED, LEARNED)
RATE = 0.25  # not one half, which is the default of nn.Dropout and its own complement
SIGMAS = 0.14  # seven standard deviations of 512 draws
FAR = 260.0  # the condition at which float32 numbers may differ by the contract's 5e-4


def _table(lab: Lab, max_len: int, d_model: int) -> torch.Tensor:
    """The submission's table, after checking that it is a float32 tensor of the right shape."""
    probe = table_case("t", max_len, d_model)
    seen = lab.observe(probe)
    lab.must_work(seen, probe.title)
    found = lab.unpacked(seen, TABLE, probe.title)[0]
    right = torch.zeros(max_len, d_model)
    if not isinstance(found, torch.Tensor) or found.shape != right.shape or found.dtype != right.dtype:
        lab.near("table", found, right, title=probe.title)
    assert isinstance(found, torch.Tensor)
    return found


def test_first_row(lab: Lab) -> None:
    """Positions start at 0: the first row is 0, 1, 0, 1, ..."""
    for max_len, d_model in ((1, 4), (7, 8)):
        found = _table(lab, max_len, d_model)
        title = Text.same(f"sinusoidal_table({max_len}, {d_model})")
        lab.near("table[0]", found[0], torch.tensor([0.0, 1.0] * (d_model // 2)), title=title)


def test_pairs_share_a_frequency(lab: Lab) -> None:
    """The two columns of a pair are the sine and cosine of one angle"""
    found = _table(lab, 12, 8)
    squares = found[:, 0::2] ** 2 + found[:, 1::2] ** 2  # (12, 4)
    title = Text("sine squared plus cosine squared", "正弦的平方加余弦的平方")
    lab.near("table[:, 0::2]**2 + table[:, 1::2]**2", squares, torch.ones_like(squares), title=title)


def test_table_values(lab: Lab) -> None:
    """The sines, the cosines and their frequencies are those of the formula"""
    for max_len, d_model in ((12, 8), (6, 6), (9, 2), (1, 10), (20, 64)):
        lab.agrees(table_case("t", max_len, d_model))


def test_far_positions(lab: Lab) -> None:
    """Every entry is right to 5e-4, up to position 5000"""
    probe = table_case("f", 5001, 8, condition=FAR)
    found = _table(lab, 5001, 8)
    right = lab.right(probe).seen.value
    near = lab.close(found[:8], right[:8])
    try:
        lab.near("table", found, right, condition=FAR, title=probe.title)
    except CheckFailed as failed:
        # right at first and worse and worse: the formula is right, the arithmetic is not
        if near and not lab.close(found[:-1], right[:-1], FAR):
            raise CheckFailed(failed.text, fault="table-low-precision") from None
        raise


def test_adds_positions(lab: Lab) -> None:
    """Row t of the table is added to token t of every sequence"""
    _adds(lab, FIXED)
    _again(lab, FIXED)


def test_own_table(lab: Lab) -> None:
    """The sinusoidal encoding adds its own table, and that one is right"""
    for seed, size, max_len in ((50, (3, 5, 4), 9), (51, (2, 8, 6), 8), (52, (1, 11, 8), 30)):
        words = f"x of shape {size}, max_len={max_len}", f"x 的形状为 {size}，max_len={max_len}"
        x = numbers(seed, *size, dtype=torch.float32)
        lab.agrees(module_case(FIXED, "o", *words, x, max_len=max_len, own=False, dtype=None))


def test_table_is_a_buffer(lab: Lab) -> None:
    """`pe` is a buffer of shape (1, max_len, d_model): saved, and never trained"""
    for d_model, max_len in ((6, 11), (8, 8), (4, None)):
        _state_agrees(lab, FIXED, d_model, max_len)
    _by_position(lab, FIXED)


def test_learned_adds_positions(lab: Lab) -> None:
    """Row t of the embedding is added to token t of every sequence"""
    _adds(lab, LEARNED)
    _again(lab, LEARNED)


def test_learned_state(lab: Lab) -> None:
    """The learned table is a submodule `embedding` with exactly max_len rows"""
    for d_model, max_len in ((6, 11), (8, 8), (4, None)):
        _state_agrees(lab, LEARNED, d_model, max_len)
    _by_position(lab, LEARNED)


def test_dropout_on_the_sum(lab: Lab) -> None:
    """Dropout acts on the sum, in training only"""
    for target in BOTH:
        words = f"{target} with dropout={RATE} in eval mode", f"{target}，dropout={RATE}，eval 模式"
        x = numbers(60, 4, 8, 16)
        probe = module_case(target, "d", *words, x, max_len=10, dropout=RATE)
        _no_chance(lab, probe)
        lab.agrees(probe)
        _drops(lab, probe)
        words = f"{target} with dropout=0.0 in training mode", f"{target}，dropout=0.0，训练模式"
        probe = module_case(target, "d", *words, x, max_len=10, train=True)
        seen, right = lab.observe(probe), lab.right(probe).seen.value
        lab.must_work(seen, probe.title)
        if isinstance(seen.value, torch.Tensor) and _lost(lab, seen.value, right):
            lab.fail(
                f"{probe.title.en}: something is dropped all the same",
                f"{probe.title.zh}：仍有内容被丢弃",
                fault="dropout-rate-wrong",
            )
        lab.agrees(probe)


def test_inputs_unchanged(lab: Lab) -> None:
    """The input is not changed in place"""
    for target in BOTH:
        probe = module_case(target, "u", f"a call of {target}", f"调用 {target}", numbers(65, 2, 5, 4))
        seen = lab.observe(probe)
        lab.must_work(seen, probe.title)
        if seen.changed:
            lab.fail(f"{target} changed x in place", f"{target} 就地修改了 x")


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the input, and to the learned table"""
    for target in BOTH:
        for seed, size in ((70, (3, 5, 4)), (71, (1, 6, 8))):
            words = f"{target}, x of shape {size}", f"{target}，x 的形状为 {size}"
            lab.agrees(module_case(target, "g", *words, numbers(seed, *size), grad=True))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    for target in BOTH:
        for dtype in (torch.float32, torch.float64):
            name = str(dtype).removeprefix("torch.")
            words = f"{target} with {name} input", f"{target}，{name} 输入"
            x = numbers(80, 2, 5, 4, dtype=dtype)
            lab.agrees(module_case(target, "t", *words, x, dtype=name))


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    inputs = (
        ("transposed input", "转置得到的输入", numbers(90, 5, 3, 4).transpose(0, 1)),
        ("sliced input", "切片得到的输入", numbers(91, 2, 6, 8)[..., ::2]),
        ("expanded input", "扩展得到的输入", numbers(92, 1, 5, 4).expand(3, -1, -1)),
    )
    for target in BOTH:
        for en, zh, x in inputs:
            lab.agrees(module_case(target, "n", f"{target}, {en}", f"{target}，{zh}", x))


@quick
@given(data=st.data())
def test_any_sizes(lab: Lab, data: st.DataObject) -> None:
    """It agrees with the definition on random sizes and values"""
    max_len = data.draw(st.integers(1, 24), label="max_len")
    width = 2 * data.draw(st.integers(1, 8), label="half of d_model")
    lab.agrees(table_case("h", max_len, width))
    target = data.draw(st.sampled_from(BOTH), label="class")
    size = (
        data.draw(st.integers(1, 6), label="B"),
        data.draw(st.integers(1, max_len), label="S"),
        width,
    )
    en = f"{target}, x of shape {size}, max_len={max_len}"
    zh = f"{target}，x 的形状为 {size}，max_len={max_len}"
    x = numbers(data.draw(st.integers(0, 99), label="seed"), *size)
    lab.agrees(module_case(target, "h", en, zh, x, max_len=max_len))


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    lab.behaves(table_case("b", 9, 6))
    for target in BOTH:
        words = f"a call of {target} in eval mode", f"在 eval 模式下调用 {target}"
        probe = module_case(target, "b", *words, numbers(95, 3, 5, 6), own=False, dropout=0.5)
        _no_chance(lab, probe)  # chance that comes from dropout has a name of its own
        lab.behaves(probe)


# -- edges ------------------------------------------------------------------------------------------


def test_odd_width(lab: Lab) -> None:
    """An odd d_model works: the last column is a sine"""
    for max_len, d_model in ((6, 5), (9, 9), (4, 1)):
        lab.agrees(table_case("w", max_len, d_model))
    for target in BOTH:
        words = f"{target} with d_model=7", f"{target}，d_model=7"
        x = numbers(97, 2, 4, 7, dtype=torch.float32)
        lab.agrees(module_case(target, "w", *words, x, own=False))


def test_too_long(lab: Lab) -> None:
    """A sequence longer than max_len raises a ValueError that names both lengths"""
    for target in BOTH:
        words = f"{target} with max_len=11", f"{target}，max_len=11"
        fits = module_case(target, "l", *words, numbers(98, 2, 7, 4), max_len=11)
        lab.must_work(lab.observe(fits), fits.title)
        for length in (13, 12):  # one token more is too long already
            probe = module_case(target, "l", *words, numbers(99, 2, length, 4), max_len=11)
            seen = lab.observe(probe)
            lab.not_stopped(seen, probe.title)
            _refused(lab, target, probe, seen, length)


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work and keep their dtype"""
    for target in BOTH:
        for dtype in (torch.float16, torch.bfloat16):
            name = str(dtype).removeprefix("torch.")
            x = numbers(100, 2, 5, 4, dtype=dtype)
            lab.agrees(module_case(target, "p", f"{target} in {name}", f"{name} 的 {target}", x))


# -- what several checks share ----------------------------------------------------------------------


def _adds(lab: Lab, target: str) -> None:
    """The sum is right for batches that are smaller than, equal to and larger than the sequence."""
    sizes = ((3, 5, 4), (5, 3, 4), (4, 4, 4), (1, 6, 8), (6, 1, 8), (2, 9, 6))
    for seed, size in enumerate(sizes):
        words = f"x of shape {size}", f"x 的形状为 {size}"
        lab.agrees(module_case(target, "a", *words, numbers(40 + seed, *size)))


def _state_agrees(lab: Lab, target: str, d_model: int, max_len: int | None) -> None:
    """The state dict holds what it should, under the right name, of the right shape and kind."""
    probe = made(target, "s", d_model, max_len)
    seen = lab.observe(probe)
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
        fault="embedding-missing" if target == LEARNED and "embedding.weight" not in found else None,
    )


def _listed(state: dict[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in state.items())


def _again(lab: Lab, target: str) -> None:
    """One module is called with a short sequence, with a long one, and with the short one again."""
    short = module_case(target, "r", "a first call", "第一次调用", numbers(46, 2, 3, 4))
    lab.agrees(short)
    made = lab.make(target, init=dict(short.init or {}), state=dict(short.state or {}), dtype="float64")
    for size in (3, 8, 3):
        x = numbers(46 + size, 2, size, 4)
        title = Text(
            f"{target}: one module, called with 3, 8 and again 3 tokens; here {size}",
            f"{target}：同一个模块先后接收 3、8、3 个词元；这里是 {size} 个",
        )
        seen = made(x)
        lab.not_stopped(seen, title)
        right = lab.right(short.but(args=(x,))).seen.value
        if not seen.ok or not isinstance(seen.value, torch.Tensor) or not lab.close(seen.value, right):
            # every one of these calls is right on a module of its own, or else another check says so
            lab.agrees(short.but(args=(x,)))
            lab.fail(
                f"{title.en}: it is not what a new module gives",
                f"{title.zh}：与一个新建的模块给出的不同",
                fault="table-overwritten",
            )


def _by_position(lab: Lab, target: str) -> None:
    """The constructor takes d_model, max_len and dropout in this order."""
    title = Text.same(f"{target}(6, 11, 0.0)")
    seen = lab.client.construct(target, (6, 11, 0.0), {}, state=None, train=False, dtype=None, seed=0)
    named = lab.observe(made(target, "s", 6, 11))
    table = "pe" if target == FIXED else "embedding.weight"
    entry = seen.value.get("state", {}).get(table, {}) if isinstance(seen.value, dict) else {}
    if named.ok and (not seen.ok or entry.get("shape") not in ([1, 11, 6], [11, 6], (1, 11, 6), (11, 6))):
        lab.fail(
            f"{title.en}: the parameters do not stand in the order d_model, max_len, dropout",
            f"{title.zh}：参数的顺序不是 d_model、max_len、dropout",
            fault="wrong-signature",
        )


def _no_chance(lab: Lab, probe: Probe) -> None:
    """In eval mode chance that is not there without a rate is dropout."""
    seen = [lab.observe(probe, seed=s) for s in (1, 2)]
    quiet = [lab.observe(probe.but(init={**(probe.init or {}), "dropout": 0.0}), seed=s) for s in (1, 2)]
    values = [o.value if o.ok and isinstance(o.value, torch.Tensor) else None for o in (*seen, *quiet)]
    a, b, c, d = values
    if a is None or b is None or c is None or d is None:
        return
    if a.shape == b.shape and not torch.equal(a, b) and c.shape == d.shape and torch.equal(c, d):
        lab.fail(
            f"{probe.title.en}: numbers are dropped in eval mode",
            f"{probe.title.zh}：在 eval 模式下仍有数被丢弃",
            fault="dropout-in-eval",
        )


def _lost(lab: Lab, found: torch.Tensor, right: torch.Tensor) -> bool:
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


def _drops(lab: Lab, probe: Probe) -> None:
    """With dropout in training every number is 0 or scaled up, and both occur."""
    title = Text(
        f"{probe.target} with dropout={RATE} in training mode", f"{probe.target}，dropout={RATE}，训练模式"
    )
    full = lab.right(probe).seen.value
    seen = lab.observe(probe.but(train=True, title=title))
    lab.must_work(seen, title)
    found = lab.unpacked(seen, probe.target, title)[0]
    if not isinstance(found, torch.Tensor) or found.shape != full.shape:
        lab.near("result", found, full, title=title)
        return
    kept = found != 0
    share, factor = float(kept.double().mean()), _factor(found, full)
    if factor is not None and not bool(kept.all()) and lab.close(found, full * kept * factor):
        _rate_is_right(lab, title, share, factor, kept)
    if not 0.75 - SIGMAS < share < 0.75 + SIGMAS:
        lab.fail(
            f"{title.en}: {share:.0%} of the numbers are not zero, expected about {1 - RATE:.0%}",
            f"{title.zh}：{share:.0%} 的数不为零，应约为 {1 - RATE:.0%}",
        )
    lab.near("result", found, full * kept / (1 - RATE), title=title)


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
    rows, columns = kept.flatten(0, 1), kept.flatten(0, 1).T
    for lines in (rows, columns):
        if bool((lines.all(dim=1) | ~lines.any(dim=1)).all()):
            lab.fail(
                f"{title.en}: whole positions or features are dropped, not single numbers",
                f"{title.zh}：丢弃的是整个位置或整个特征，而不是单个的数",
                fault="dropout-whole-positions",
            )


def _refused(lab: Lab, target: str, probe: Probe, seen: Observation, length: int) -> None:
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
