"""The hidden suite of exercise 9.  The first line of each docstring is what the learner reads."""

from __future__ import annotations

from functools import cache

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.devices import stays_on_device
from grader.exercises.properties import tried
from grader.exercises.training.drawing import (
    DECODED,
    GENTLE,
    costing,
    decoding,
    logits,
    stepping,
    targeting,
    tokens,
    toy,
    wanted,
)
from grader.exercises.training.judging import decodes, observed, returns_floats, steps_agree
from grader.exercises.training.probes import batches, chatty, prompt
from grader.marking.lab import Lab
from grader.text import Text

F32, F64 = torch.float32, torch.float64


@cache
def one_of_each() -> tuple[Probe, ...]:
    """A call of each function that several checks look at; it is made once."""
    given, targets = logits(431, 2, 4, 5), wanted(431, 2, 4, V=5)
    return (
        targeting("b", "next_token_targets", "next_token_targets", tokens(430, 3, 6)),
        costing("b", "sequence_loss", "sequence_loss", given, targets),
        stepping("b", "train_step", "train_step", toy(432), batches(432, 2, 2, 4)),
        decoding("b", "greedy_decode", "greedy_decode", chatty(25), prompt(25, 3, 3), 6, eos_id=2),
    )


# -- next_token_targets -----------------------------------------------------------------------------


def test_targets_are_shifted(lab: Lab) -> None:
    """next_token_targets holds token t + 1 at position t, and ignore_index at the last position"""
    for B, S in ((2, 5), (4, 4), (1, 6), (3, 1)):
        ids = tokens(100 + S, B, S, share=0.0)
        lab.agrees(targeting("t", f"token ids ({B}, {S})", f"词元 ({B}, {S})", ids))


def test_targets_leave_out_padding(lab: Lab) -> None:
    """next_token_targets leaves out padding as a target, wherever it stands"""
    ids = torch.tensor([[5, 7, 2, 0, 0], [0, 0, 3, 6, 1], [4, 0, 8, 0, 9], [0, 0, 0, 0, 0]])
    lab.agrees(targeting("t", "padding at every place", "填充出现在各种位置", ids))
    lab.agrees(targeting("t", "token ids (3, 8)", "词元 (3, 8)", tokens(111, 3, 8)))


def test_targets_use_settings(lab: Lab) -> None:
    """next_token_targets takes pad_id and ignore_index as they are given"""
    for pad_id, ignore_index in ((3, -100), (8, -1), (0, 50), (-1, -2)):
        words = f"pad_id={pad_id}, ignore_index={ignore_index}"
        ids = tokens(120 + pad_id, 3, 7, pad_id=pad_id)
        settings = {"pad_id": pad_id, "ignore_index": ignore_index}
        lab.agrees(targeting("t", words, words.replace(", ", "、"), ids, **settings))
    lab.agrees(targeting("t", "pad_id 4, ignore_index -7", "pad_id 为 4、ignore_index 为 -7",
                         tokens(130, 2, 6, pad_id=4), 4, -7))  # fmt: skip


def test_targets_are_int64(lab: Lab) -> None:
    """next_token_targets returns int64, also of int32 token ids"""
    for dtype in (torch.int64, torch.int32):
        name = str(dtype).removeprefix("torch.")
        lab.agrees(targeting("t", f"{name} token ids", f"{name} 词元", tokens(140, 2, 5).to(dtype)))


# -- sequence_loss ----------------------------------------------------------------------------------


def test_loss_is_cross_entropy(lab: Lab) -> None:
    """sequence_loss is the mean cross-entropy of raw logits, with the classes on the last axis"""
    for B, S, V in ((2, 4, 7), (3, 5, 5), (4, 4, 4), (1, 1, 6), (2, 6, 3)):
        words = f"logits ({B}, {S}, {V})"
        targets = wanted(200 + V, B, S, V=V, counts=[S] * B)
        probe = costing("l", words, words, logits(200 + S, B, S, V), targets)
        if type(lab.glimpse(probe).value) in (float, int):
            lab.fail(
                f"{words}: sequence_loss returned a Python number, not a tensor",
                f"{words}：sequence_loss 返回的是 Python 数字，而不是张量",
                fault="loss-is-a-number",
            )
        lab.agrees(probe)


def test_loss_leaves_out_ignored(lab: Lab) -> None:
    """sequence_loss leaves out the targets that are ignore_index, whatever number that is"""
    given = logits(210, 3, 5, 6)
    lab.agrees(costing("l", "some targets ignored", "部分目标被忽略", given, wanted(211, 3, 5, V=6)))
    for number in (-1, 0, 3, 99):
        words = f"ignore_index={number}"
        targets = wanted(212, 3, 5, V=6, ignore_index=number)
        lab.agrees(costing("l", words, words, given, targets, ignore_index=number))


def test_loss_weighs_targets_alike(lab: Lab) -> None:
    """In sequence_loss every target that counts weighs the same, however many are in its row"""
    for counts in ((1, 6, 3), (6, 0, 2)):
        words = f"rows of {counts} targets that count", f"各行计入的目标数为 {counts}"
        lab.agrees(costing("l", *words, logits(220, 3, 6, 5), wanted(221, 3, 6, V=5, counts=counts)))


def test_loss_of_nothing(lab: Lab) -> None:
    """When no target counts, sequence_loss is 0 and can still be differentiated"""
    for number, dtype in ((-100, F64), (4, F32)):
        targets = torch.full((2, 3), number)
        words = "targets none of which counts", "没有任何目标计入"
        lab.agrees(costing("l", *words, logits(230, 2, 3, 5, dtype=dtype), targets, number, grad=True))


def test_loss_gradients(lab: Lab) -> None:
    """Gradients pass through sequence_loss to the logits"""
    words = "the gradient of the logits", "logits 的梯度"
    lab.agrees(costing("l", *words, logits(240, 3, 4, 6), wanted(241, 3, 4, V=6), grad=True))


def test_loss_keeps_dtype(lab: Lab) -> None:
    """sequence_loss keeps the dtype of the logits, and is as accurate"""
    targets = torch.tensor([[0, 2, 1, -100], [1, -100, 2, 0]])
    sure = torch.nn.functional.one_hot(targets.clamp(min=0), 3)
    for dtype in (F32, F64):
        name = str(dtype).removeprefix("torch.")
        given = (logits(250, 2, 4, 3, dtype=F64, spread=0.3) + sure).to(dtype)
        words = f"{name} logits", f"{name} logits"
        lab.agrees(costing("l", *words, given, targets, condition=GENTLE if dtype is F64 else 20.0))


# -- train_step -------------------------------------------------------------------------------------


def test_step_learns_from_the_loss(lab: Lab) -> None:
    """train_step moves the parameters by the optimizer, along the gradient of the loss that it returns"""
    steps_agree(lab, stepping("s", "one step", "一步", toy(300, train=True), batches(300, 1, 3, 5)))
    words = "three steps with momentum", "带动量的三步"
    steps_agree(lab, stepping("s", *words, toy(301, train=True), batches(301, 3, 2, 4), momentum=0.8))


def test_step_clears_gradients(lab: Lab) -> None:
    """train_step does not add to the gradients of earlier steps, or to those that are left from before"""
    words = "gradients left from before", "此前留下的梯度"
    model = toy(310, train=True, stale=0.6)
    steps_agree(lab, stepping("s", *words, model, batches(310, 2, 3, 4), momentum=0.0))


def test_step_in_training_mode(lab: Lab) -> None:
    """train_step runs the model in training mode, whatever mode it is in before"""
    for mode, en, zh in ((False, "eval", "评估"), (True, "training", "训练")):
        words = f"a model in {en} mode", f"处于{zh}模式的模型"
        steps_agree(lab, stepping("s", *words, toy(320, train=mode), batches(320, 2, 2, 5), momentum=0.0))


def test_step_clips(lab: Lab) -> None:
    """With max_grad_norm, train_step clips the norm of all gradients taken together, before it steps"""
    for norm, spread, frozen in ((0.3, 1.0, 0.0), (0.8, 1.3, 0.0), (1.2, 1.6, 1.0)):
        en = zh = f"max_grad_norm={norm}"
        if frozen:  # it has no gradient
            en, zh = f"{en}, a model with a frozen parameter", f"{zh}，模型有一个冻结的参数"
        model = toy(330, dtype=F32, spread=spread, frozen=frozen)
        rounds = batches(330, 2, 3, 4)
        steps_agree(lab, stepping("s", en, zh, model, rounds, max_grad_norm=norm, momentum=0.0))


def test_step_clips_only_then(lab: Lab) -> None:
    """train_step leaves the gradients alone without max_grad_norm, and where they are smaller"""
    words = "no max_grad_norm", "不给 max_grad_norm"
    steps_agree(lab, stepping("s", *words, toy(340, spread=1.6), batches(340, 1, 3, 4), lr=0.05))
    words = "max_grad_norm=None", "max_grad_norm=None"
    model = toy(341, spread=1.6)
    steps_agree(lab, stepping("s", *words, model, batches(341, 1, 3, 4), lr=0.05, max_grad_norm=None))
    words = "max_grad_norm=100", "max_grad_norm=100"
    steps_agree(lab, stepping("s", *words, toy(342, dtype=F32), batches(342, 2, 2, 4), 100.0))


def test_step_without_targets(lab: Lab) -> None:
    """train_step survives a batch in which no target counts"""
    rounds = batches(350, 3, 2, 4)
    rounds[1] = rounds[1][0], torch.full_like(rounds[1][1], -100)
    words = "a step in which no target counts", "其中一步没有目标计入"
    steps_agree(lab, stepping("s", *words, toy(350, train=True), rounds, momentum=0.0))


def test_step_returns_a_float(lab: Lab) -> None:
    """train_step returns a Python float, and keeps no graph alive"""
    probe = stepping("s", "two steps", "两步", toy(360, train=True), batches(360, 2, 2, 4))
    returns_floats(lab, probe)
    *_, graph = observed(lab, probe).value
    if graph is True:
        lab.fail(
            "after train_step has returned, the graph of its forward pass is still in memory",
            "train_step 返回之后，其前向传播的计算图仍留在内存中",
        )


# -- greedy_decode ----------------------------------------------------------------------------------


def test_decode_appends_likeliest(lab: Lab) -> None:
    """greedy_decode appends, to each row, the likeliest token after all that stands there so far"""
    for seed, B, P, most in ((5, 3, 4, 6), (118, 2, 3, 7), (25, 1, 5, 5)):
        words = f"a prompt ({B}, {P}), max_new_tokens={most}", f"提示 ({B}, {P})、max_new_tokens={most}"
        decodes(lab, decoding("d", *words, chatty(seed, train=False), prompt(seed, B, P), most))


def test_decode_any_model(lab: Lab) -> None:
    """greedy_decode takes the logits of the last position, also of a model that looks both ways"""
    words = "a model that looks both ways", "双向的模型"
    decodes(lab, decoding("d", *words, chatty(24, train=False, lean=0.4), prompt(24, 3, 3), 6))


def test_decode_lengths(lab: Lab) -> None:
    """greedy_decode returns the prompt and max_new_tokens more, also where that is 0 or 1"""
    for most in (0, 1, 4):
        words = f"max_new_tokens={most}"
        decodes(lab, decoding("d", words, words, chatty(30, train=False), prompt(30, 2, 3), most))


def test_decode_ends(lab: Lab) -> None:
    """greedy_decode keeps eos_id and ends when every row has generated it"""
    for seed, end in ((25, 2), (151, 4), (131, 4), (30, 4)):
        words = f"eos_id={end}"
        decodes(
            lab, decoding("d", words, words, chatty(seed, train=False), prompt(seed, 3, 3), 7, eos_id=end)
        )


def test_decode_end_is_a_token(lab: Lab) -> None:
    """eos_id=0 is a valid end, and an end inside the prompt does not count"""
    for seed in (81, 243):
        model = chatty(seed, train=False)
        decodes(lab, decoding("d", "eos_id=0", "eos_id=0", model, prompt(seed, 3, 3), 7, eos_id=0))
    words = "a prompt that contains eos_id", "提示中含有 eos_id"
    decodes(lab, decoding("d", *words, chatty(251, train=False), prompt(251, 3, 3), 7, eos_id=3))


def test_decode_in_eval_mode(lab: Lab) -> None:
    """greedy_decode runs the model in eval mode"""
    for seed in (5, 131):
        words = "a model in training mode", "处于训练模式的模型"
        decodes(lab, decoding("d", *words, chatty(seed), prompt(seed, 2, 3), 6))


def test_decode_restores_the_mode(lab: Lab) -> None:
    """After greedy_decode the model is in the mode in which it was before"""
    for train, en, zh in ((True, "training", "训练"), (False, "eval", "评估")):
        words = f"a model in {en} mode", f"处于{zh}模式的模型"
        for most in (2, 7):
            probe = decoding("d", *words, chatty(25, train=train), prompt(25, 3, 3), most, eos_id=2)
            mode = observed(lab, probe).value[1]
            if mode != (train, train):
                now = Text("eval", "评估") if train else Text("training", "训练")
                lab.fail(
                    f"{probe.title.en} is in {now.en} mode afterwards",
                    f"{probe.title.zh}，调用之后处于{now.zh}模式",
                )


def test_decode_without_gradients(lab: Lab) -> None:
    """greedy_decode builds no graph"""
    probe = decoding("d", "a prompt (2, 3)", "提示 (2, 3)", chatty(5), prompt(5, 2, 3), 3)
    if observed(lab, probe).value[2] is True:
        lab.fail(
            "while greedy_decode runs the model, PyTorch records everything for a backward pass",
            "greedy_decode 运行模型时，PyTorch 仍在为反向传播记录每一步计算",
        )


# -- all of them ------------------------------------------------------------------------------------


def test_learns_together(lab: Lab) -> None:
    """With your targets and your steps a model learns to count, and your decoding counts on"""
    V = 6
    counting = (torch.arange(4)[:, None] + torch.arange(5)[None, :]) % V  # 0 1 2 3 4, 1 2 3 4 5, ...
    title = Text("counting up to 5 and on from 0", "数到 5 后再从 0 数起")
    found = observed(lab, targeting("c", title.en, title.zh, counting, pad_id=-1)).value
    if not isinstance(found, Tensor) or found.shape != counting.shape or found.dtype is not torch.int64:
        lab.fail(f"{title.en}: there are no targets to learn from", f"{title.zh}：没有可供学习的目标")
    model = toy(400, V=V, d=8, mix=0.0, looks=("embedding", "output", "bias"))
    model.settings["keep"].fill_(1.0)
    rounds = [(counting, found)] * 40
    taught = observed(lab, stepping("c", title.en, title.zh, model, rounds, lr=1.0, momentum=0.5)).value
    learned = toy(400, V=V, d=8, mix=0.0, looks=DECODED)
    for name, values in zip(model.looks, taught[1:]):
        if not isinstance(values, Tensor) or values.shape != (len(rounds), *learned.settings[name].shape):
            lab.fail(f"{title.en}: there is no model left", f"{title.zh}：模型已不可用")
        learned.settings[name].copy_(values[-1])
    start = torch.tensor([[1, 2], [4, 5]])
    seen = observed(lab, decoding("c", title.en, title.zh, learned, start, 4)).value[0]
    right = torch.tensor([[1, 2, 3, 4, 5, 0], [4, 5, 0, 1, 2, 3]])
    if not isinstance(seen, Tensor) or not torch.equal(seen, right):
        shown = seen.tolist() if isinstance(seen, Tensor) and seen.numel() <= 12 else "no such tokens"
        lab.fail(
            f"{title.en}: after 40 steps, decoding from {start.tolist()} gives {shown}, "
            f"expected {right.tolist()}",
            f"{title.zh}：训练 40 步后，从 {start.tolist()} 解码得到 {shown}，应为 {right.tolist()}",
        )


def test_inputs_unchanged(lab: Lab) -> None:
    """No function changes its arguments in place"""
    padding = targeting("u", "pad_id=2", "pad_id=2", tokens(411, 3, 6, pad_id=2), pad_id=2)
    for probe in (*one_of_each(), padding):
        changed = observed(lab, probe).changed
        if changed:
            which = ", ".join(changed)
            lab.target = probe.target
            lab.fail(
                f"{probe.target}: the call changed {which} in place",
                f"{probe.target}：调用就地修改了 {which}",
            )


def test_non_contiguous(lab: Lab) -> None:
    """Transposed, sliced and expanded inputs work"""
    lab.agrees(targeting("n", "transposed token ids", "转置得到的词元", tokens(420, 6, 3).t()))
    spread = tokens(421, 1, 5).expand(3, 5)
    lab.agrees(targeting("n", "expanded token ids", "扩展得到的词元", spread))
    turned = logits(422, 5, 3, 4).transpose(0, 1)
    lab.agrees(costing("n", "transposed logits", "转置得到的 logits", turned, wanted(422, 3, 5, V=4)))
    flipped = logits(423, 3, 4, 5).transpose(1, 2)
    lab.agrees(costing("n", "logits kept as (B, V, S)", "按 (B, V, S) 存放的 logits", flipped,
                       wanted(423, 3, 5, V=4)))  # fmt: skip
    sliced = wanted(424, 3, 6, V=4)[:, 1:]
    lab.agrees(costing("n", "sliced targets", "切片得到的目标", logits(424, 3, 5, 4), sliced))
    few = tokens(425, 3, 8, V=6, share=0.0)[:, ::2]
    words = "a sliced prompt", "切片得到的提示"
    decodes(lab, decoding("n", *words, chatty(5, train=False), few, 3))


def test_behaves(lab: Lab) -> None:
    """Two identical calls agree, and no global setting is changed"""
    for probe in one_of_each():
        lab.behaves(probe, alone=probe.target != "train_step")  # which needs gradients


@tried(
    {"B": 1, "S": 2, "V": 2, "pad_id": 0, "seed": 4, "eos_id": None},
    {"B": 4, "S": 6, "V": 7, "pad_id": 8, "seed": 13, "eos_id": 0},
    {"B": 3, "S": 3, "V": 3, "pad_id": 1, "seed": 16, "eos_id": 3},
    {"B": 2, "S": 5, "V": 4, "pad_id": 3, "seed": 71, "eos_id": None},
)
@given(data=st.data())
def test_any_inputs(lab: Lab, data: st.DataObject) -> None:
    """All four functions agree with the definition on random sizes, tokens and logits"""
    B, S = data.draw(st.integers(1, 4), label="B"), data.draw(st.integers(2, 6), label="S")
    V = data.draw(st.integers(2, 7), label="V")
    pad_id = data.draw(st.integers(0, 8), label="pad_id")
    seed = data.draw(st.integers(0, 99), label="seed")
    words = f"pad_id={pad_id}"
    lab.agrees(targeting("h", words, words, tokens(seed, B, S, pad_id=pad_id), pad_id=pad_id))
    words = f"logits ({B}, {S}, {V})"
    lab.agrees(costing("h", words, words, logits(seed, B, S, V), wanted(seed, B, S, V=V)))
    one = f"a step on ({B}, {S})", f"在 ({B}, {S}) 上的一步"
    model = toy(seed, V=V, stale=0.2, train=seed % 2 == 0)
    steps_agree(lab, stepping("h", *one, model, batches(seed, 1, B, S, V)))
    more = f"a prompt ({B}, {S})", f"提示 ({B}, {S})"
    end = data.draw(st.one_of(st.none(), st.integers(0, 5)), label="eos_id")
    decodes(lab, decoding("h", *more, chatty(seed), prompt(seed, B, S), 4, eos_id=end))


# -- edges ------------------------------------------------------------------------------------------


def test_loss_of_large_logits(lab: Lab) -> None:
    """sequence_loss stays finite for logits of magnitude up to 1000"""
    for seed, size in ((500, 60.0), (501, 400.0)):
        given = logits(seed, 2, 3, 5) * size
        words = f"logits of magnitude {int(given.abs().max())}"
        zh = f"绝对值达 {int(given.abs().max())} 的 logits"
        lab.agrees(costing("e", words, zh, given, wanted(seed, 2, 3, V=5), condition=1000.0))
        best = given.argmax(dim=-1)
        lab.agrees(costing("e", f"{words} at the targets", f"目标处{zh}", given, best, condition=1000.0))


def test_half_precision(lab: Lab) -> None:
    """sequence_loss works in float16 and bfloat16 and keeps the dtype"""
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        words = f"{name} logits", f"{name} logits"
        given = logits(510, 2, 4, 5, dtype=dtype, spread=1.0)
        lab.agrees(costing("e", *words, given, wanted(510, 2, 4, V=5), condition=4.0))


def test_stays_on_device(lab: Lab) -> None:
    """No function makes a tensor on the CPU when its input is elsewhere"""
    model = chatty(25, train=False)
    step = stepping("e", "train_step", "train_step", toy(520), batches(520, 1, 2, 4), max_grad_norm=0.5)
    for target, args in (
        ("next_token_targets", (tokens(521, 3, 6),)),
        ("sequence_loss", (logits(522, 2, 4, 5), wanted(522, 2, 4, V=5))),
        ("train_step", step.args or ()),
        ("greedy_decode", (model, prompt(25, 3, 3), 6, 2)),
    ):
        title = Text(f"{target} on another device", f"在其他设备上调用 {target}")
        seen = lab.client.call(target, args, elsewhere=True)
        stays_on_device(lab, target, seen, title, "device-hard-coded")
