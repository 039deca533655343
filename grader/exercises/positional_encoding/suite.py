"""The hidden suite of exercise 3.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.exercises.devices import stays_on_device
from grader.exercises.dropping import dropped_in_eval
from grader.exercises.in_training import learns_in_training
from grader.exercises.positional_encoding.judging import (
    adds,
    again,
    by_position,
    drops,
    drops_by_default,
    in_eval,
    lost,
    positions_are_told_apart,
    refused,
    state_agrees,
    sums,
    table,
    table_of,
)
from grader.exercises.positional_encoding.numerics import far
from grader.exercises.positional_encoding.probes import (
    FIXED,
    LEARNED,
    module_case,
    numbers,
    table_case,
)
from grader.exercises.properties import tried
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.text import Text

BOTH = (FIXED, LEARNED)
FAR = 260.0  # the condition at which float32 numbers may differ by the contract's 5e-4


def test_first_row(lab: Lab) -> None:
    """Positions start at 0: the first row is 0, 1, 0, 1, ..."""
    for max_len, d_model in ((1, 10), (12, 8)):
        found = table_of(lab, max_len, d_model)
        title = Text.same(f"sinusoidal_table({max_len}, {d_model})")
        lab.near("table[0]", found[0], torch.tensor([0.0, 1.0] * (d_model // 2)), title=title)


def test_pairs_share_a_frequency(lab: Lab) -> None:
    """The two columns of a pair are the sine and cosine of one angle"""
    found = table_of(lab, 12, 8)
    squares = found[:, 0::2] ** 2 + found[:, 1::2] ** 2  # (12, 4)
    title = Text("sine squared plus cosine squared", "正弦的平方加余弦的平方")
    lab.near("table[:, 0::2]**2 + table[:, 1::2]**2", squares, torch.ones_like(squares), title=title)


def test_table_values(lab: Lab) -> None:
    """The sines, the cosines and their frequencies are those of the formula"""
    for max_len, d_model in ((12, 8), (6, 6), (9, 2), (1, 10), (20, 64)):
        lab.agrees(table(max_len, d_model))


def test_far_positions(lab: Lab) -> None:
    """Every entry is right to 5e-4, up to position 5000"""
    probe = table_case("f", 5001, 8, condition=FAR)
    found = table_of(lab, 5001, 8)
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
    adds(lab, FIXED)
    again(lab, FIXED)


def test_own_table(lab: Lab) -> None:
    """The sinusoidal encoding adds its own table, and that one is right"""
    for seed, size, max_len in ((51, (2, 8, 6), 8), (52, (1, 11, 8), 30)):
        words = f"x of shape {size}, max_len={max_len}", f"x 的形状为 {size}，max_len={max_len}"
        x = numbers(seed, *size, dtype=torch.float32)
        lab.agrees(module_case(FIXED, "o", *words, x, max_len=max_len, own=False, dtype=None))


def test_table_is_a_buffer(lab: Lab) -> None:
    """`pe` is a buffer of shape (1, max_len, d_model): saved, and never trained"""
    for d_model, max_len in ((6, 11), (4, None)):
        state_agrees(lab, FIXED, d_model, max_len)
    by_position(lab, FIXED)


def test_learned_adds_positions(lab: Lab) -> None:
    """Row t of the embedding is added to token t of every sequence"""
    adds(lab, LEARNED)
    again(lab, LEARNED)


def test_learned_state(lab: Lab) -> None:
    """The learned table is a submodule `embedding` with exactly max_len rows"""
    for d_model, max_len in ((6, 11), (4, None)):
        state_agrees(lab, LEARNED, d_model, max_len)
    by_position(lab, LEARNED)


def test_dropout_on_the_sum(lab: Lab) -> None:
    """Dropout acts on the sum, in training only"""
    for target in BOTH:
        probe = in_eval(target)
        dropped_in_eval(lab, probe)
        lab.agrees(probe)
        drops(lab, probe)
        words = f"{target} with dropout=0.0 in training mode", f"{target}，dropout=0.0，训练模式"
        x = numbers(60, 4, 8, 16)
        probe = module_case(target, "d", *words, x, max_len=10, train=True)
        seen, right = lab.glimpse(probe), lab.right(probe).seen.value
        lab.must_work(seen, probe.title)
        if isinstance(seen.value, torch.Tensor) and lost(lab, seen.value, right):
            lab.fail(
                f"{probe.title.en}: something is dropped all the same",
                f"{probe.title.zh}：仍有内容被丢弃",
                fault="dropout-rate-wrong",
            )
        lab.agrees(probe)
        drops_by_default(lab, target)


def test_inputs_unchanged(lab: Lab) -> None:
    """The input is not changed in place"""
    for target in BOTH:
        probe = sums(target)[0]
        seen = lab.glimpse(probe, gradients=False)
        lab.must_work(seen, Text(f"a call of {target}", f"调用 {target}"))
        if seen.changed:
            lab.fail(f"{target} changed x in place", f"{target} 就地修改了 x")


def test_gradients(lab: Lab) -> None:
    """Gradients flow to the input, and to the learned table"""
    for target in BOTH:
        for probe in sums(target):
            if probe.grad:
                lab.agrees(probe)
        learns_in_training(lab, module_case(target, "g", target, target, numbers(72, 4, 6, 8)))


def test_keeps_dtype(lab: Lab) -> None:
    """The result has the dtype of the input, and its accuracy"""
    for target in BOTH:
        words = f"{target} with float32 input", f"{target}，float32 输入"
        x = numbers(80, 2, 5, 4, dtype=torch.float32)
        lab.agrees(module_case(target, "t", *words, x, dtype="float32"))
        lab.agrees(sums(target)[0], gradients=False)  # float64


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    transposed, sliced, expanded = (
        ("transposed input", "转置得到的输入", numbers(90, 5, 3, 4).transpose(0, 1)),
        ("sliced input", "切片得到的输入", numbers(91, 2, 6, 8)[..., ::2]),
        ("expanded input", "扩展得到的输入", numbers(92, 1, 5, 4).expand(3, -1, -1)),
    )
    for target, inputs in ((FIXED, (transposed, sliced)), (LEARNED, (transposed, expanded))):
        for en, zh, x in inputs:
            lab.agrees(module_case(target, "n", f"{target}, {en}", f"{target}，{zh}", x))


@tried(
    {"max_len": 1, "half of d_model": 1, "class": FIXED, "B": 1, "S": 1, "seed": 3},
    {"max_len": 24, "half of d_model": 8, "class": LEARNED, "B": 3, "S": 24, "seed": 17},
    {"max_len": 9, "half of d_model": 3, "class": FIXED, "B": 4, "S": 5, "seed": 40},
    {"max_len": 13, "half of d_model": 5, "class": LEARNED, "B": 1, "S": 2, "seed": 71},
)
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
    lab.behaves(table(12, 8))
    words = f"a call of {FIXED} in eval mode", f"在 eval 模式下调用 {FIXED}"
    of_its_own = module_case(FIXED, "b", *words, numbers(95, 3, 5, 6), own=False, dropout=0.5)
    for probe in (of_its_own, in_eval(LEARNED)):
        dropped_in_eval(lab, probe)  # chance that comes from dropout has a name of its own
        lab.behaves(probe)


# -- edges ------------------------------------------------------------------------------------------


def test_odd_width(lab: Lab) -> None:
    """An odd d_model works: the last column is a sine"""
    for max_len, d_model in ((6, 5), (4, 1)):
        lab.agrees(table(max_len, d_model))
    for target in BOTH:
        words = f"{target} with d_model=7", f"{target}，d_model=7"
        x = numbers(97, 2, 4, 7, dtype=torch.float32)
        lab.agrees(module_case(target, "w", *words, x, own=False))


def test_too_long(lab: Lab) -> None:
    """A sequence longer than max_len raises a ValueError that names both lengths"""
    for target in BOTH:
        fits = sums(target)[0]
        lab.must_work(lab.glimpse(fits, gradients=False), fits.title)
        words = f"{target} with max_len=11", f"{target}，max_len=11"
        # one token more is too long already
        probe = module_case(target, "l", *words, numbers(99, 2, 12, 4), max_len=11)
        seen = lab.observe(probe)
        lab.not_stopped(seen, probe.title)
        refused(lab, target, probe, seen, 12)


def test_half_precision(lab: Lab) -> None:
    """float16 and bfloat16 work and keep their dtype"""
    for target in BOTH:
        x = numbers(100, 2, 5, 4, dtype=torch.float16)
        lab.agrees(module_case(target, "p", f"{target} in float16", f"float16 的 {target}", x))
        positions_are_told_apart(lab, far(target, torch.bfloat16))


def test_stays_on_device(lab: Lab) -> None:
    """Nothing is made on the CPU when the module and its input are on another device"""
    for target, fault in ((FIXED, "device-hard-coded"), (LEARNED, "learned-positions-on-cpu")):
        module = lab.make(target, init={"d_model": 6, "max_len": 14})
        if target == FIXED and "pe" in module.plain:
            continue  # another check says so: a plain tensor does not move along
        x = numbers(101, 3, 11, 6, dtype=torch.float32)
        if target == LEARNED:  # positions that a call keeps are left behind when the module moves
            module(x)
        seen = module(x, elsewhere=True)
        title = Text(f"{target} on another device", f"其他设备上的 {target}")
        stays_on_device(lab, target, seen, title, fault)
