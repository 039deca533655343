"""Reports made by hand, and the comparison with stored text."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault, Report
from grader.text import Text

SNAPSHOTS = Path(__file__).parents[1] / "snapshots" / "reports"


@pytest.fixture
def same_as_stored() -> Callable[[str, str], None]:
    """Compares with ``tests/snapshots/reports/NAME.txt``; ``GRADE_UPDATE_SNAPSHOTS=1`` rewrites it."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / f"{name}.txt"
        if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return compare


def check(
    name: str, en: str, zh: str, points: float, *, ok: bool = False, tier: str = "core", **more: object
) -> CheckResult:
    outcome = str(more.pop("outcome", "passed" if ok else "failed"))
    return CheckResult(
        name,
        Text(en, zh),
        tier,
        outcome,
        points if ok else 0.0,
        points,
        **more,  # type: ignore[arg-type]
    )


def a_report(*exercises: ExerciseResult, submission: str = "homework/ada") -> Report:
    return Report(
        "0.1.0", "2.13.0", "3.12.1", "landlock", submission, exercises, ("limits", "landlock", "seccomp"), 2.5
    )


MISSING_SCALE = NamedFault(
    "missing-scale",
    Text("The scores are not divided by √d_k", "分数没有除以 √d_k"),
    Text(
        "You take the softmax of `query @ key.transpose(-2, -1)` as it is. The wider the keys, the larger "
        "these sums, and the softmax turns into a choice of one key whose gradient is almost zero. "
        "With three-dimensional input, weights[1, 1, 2] is 0.9217 in yours and should be 0.5315.",
        "你直接对 `query @ key.transpose(-2, -1)` 做 softmax。键越宽，这些和就越大，softmax 会变成"
        "只选一个键，梯度几乎为零。在“三维输入”中，你的 weights[1, 1, 2] 是 0.9217，应为 0.5315。",
    ),
    (
        Text(
            "How large is a sum of d_k products of numbers around one?",
            "d_k 个大约为一的数之积相加，会有多大？",
        ),
        Text("Section 3.2.1 of the paper, footnote 4.", "论文 3.2.1 节的脚注 4。"),
    ),
    "attention.py",
    13,
)
INVERTED = NamedFault(
    "mask-inverted",
    Text("The mask is the wrong way round", "掩码用反了"),
    Text("True means that a key may be attended.", "True 表示可以关注该键。"),
    (Text("What does True mean here?", "这里的 True 是什么意思？"),),
    "attention.py",
    15,
)
EMPTY_ROW = NamedFault(
    "fully-masked-row-nan",
    Text("A query without any allowed key gives NaN", "没有可关注的键的查询给出 NaN"),
    Text("The softmax of a row of -inf is 0/0.", "整行 -inf 的 softmax 是 0/0。"),
    (Text("What is the softmax of a row of -inf?", "整行 -inf 的 softmax 是多少？"),),
    "attention.py",
    16,
)
CERTAIN = Text(
    "reproduces 14 of 14 observations, largest difference 2e-07", "重现了 14 个观测中的 14 个，最大差异 2e-07"
)
TITLE = Text("Scaled dot-product attention", "缩放点积注意力")
SCALES = check(
    "scales_by_sqrt_d_k",
    "The scores are divided by the square root of the key's width",
    "分数除以键宽度的平方根",
    2,
    message=Text(
        "d_k = 4: weights[0, 0, 0] is 0.0002971, expected 0.01196 (40 of 40 values differ, by up to 0.2711)",
        "d_k = 4：weights[0, 0, 0] 是 0.0002971，应为 0.01196（40 个值中有 40 个不同，最大相差 0.2711）",
    ),
)
MASKS = check(
    "mask_forbids",
    "A forbidden key gets weight exactly zero, and the rest still sum to one",
    "被屏蔽的键权重恰为零，其余权重之和仍为一",
    2,
    message=Text(
        "a boolean mask: output[0, 0] is -2.516, expected 0.06506",
        "布尔掩码：output[0, 0] 是 -2.516，应为 0.06506",
    ),
)
SUMS = check("weights_sum_to_one", "Each query's weights sum to one", "每个查询的权重之和为一", 1, ok=True)
LEADING = check(
    "any_leading_dimensions",
    "Any number of leading dimensions works",
    "任意多个前导维度都可用",
    1,
    message=Text("leading dimensions (): output[0, 0] is 0.2604", "前导维度 ()：output[0, 0] 是 0.2604"),
)
ROWS = check(
    "fully_masked_row",
    "A query that may attend to nothing gets zero weights and a zero output",
    "没有可关注的键的查询，权重和输出都是零",
    1,
    tier="edge",
    message=Text(
        "a fully masked row: output[0, 0, 2, 0] is NaN, expected 0",
        "整行被屏蔽：output[0, 0, 2, 0] 是 NaN，应为 0",
    ),
)
UNWRITTEN = NamedFault(
    "not-implemented", Text("Not written yet", "尚未完成"), Text("", ""), (), "masks.py", 21
)


def attention(status: str = "failed", **more: object) -> ExerciseResult:
    values: dict[str, object] = {
        "checks": (LEADING, SCALES, SUMS, MASKS, ROWS),
        "diagnoses": (Diagnosis((MISSING_SCALE,), "core", "confirmed", CERTAIN),),
        "score": 1.0,
    }
    values |= more
    score = values.pop("score")
    return ExerciseResult("attention", TITLE, status, score, 7.0, 0.234, **values)  # type: ignore[arg-type]


@pytest.fixture
def reports() -> dict[str, Report]:
    """One report for each thing that a report must say."""
    perfect = (SUMS, check("scales_by_sqrt_d_k", "Scaled", "已缩放", 6, ok=True))
    passed = attention("passed", score=7.0, checks=perfect, diagnoses=())
    not_run = (check("a", "A", "甲", 12, outcome="skipped"),)
    unwritten = ExerciseResult(
        "masks",
        Text("Attention masks", "注意力掩码"),
        "incomplete",
        0.0,
        12.0,
        0.0,
        not_run,
        (Diagnosis((UNWRITTEN,), "core", "confirmed", Text("same", "同")),),
        Text("not written yet: the TODO at masks.py:21", "尚未完成：masks.py:21 处的 TODO"),
    )
    blocked = ExerciseResult(
        "multi_head_attention",
        Text("Multi-head attention", "多头注意力"),
        "blocked",
        0.0,
        20.0,
        0.0,
        not_run,
        note=Text(
            "needs masks.py, whose TODO is still open; write that exercise first",
            "需要 masks.py，但其中的 TODO 尚未完成；请先完成那个练习",
        ),
    )
    syntax = Text(
        "syntax error at layer_norm.py:10: '(' was never closed",
        "layer_norm.py:10 处有语法错误：'(' was never closed",
    )
    broken = ExerciseResult(
        "layer_norm",
        Text("Layer normalisation", "层归一化"),
        "error",
        0.0,
        14.0,
        0.0,
        not_run,
        (
            Diagnosis(
                (
                    NamedFault(
                        "syntax-error",
                        Text("Python cannot read the file", "Python 无法读取该文件"),
                        Text("Nothing could be run.", "什么都无法运行。"),
                        (Text("Look at the line above, too.", "也看看上一行。"),),
                        "layer_norm.py",
                        10,
                    ),
                ),
                "core",
                "confirmed",
                syntax,
            ),
        ),
        syntax,
    )
    loop = Text(
        "a boolean mask: stopped after 10 s: is there a loop that does not end?",
        "布尔掩码：运行 10 秒后被停止：是否有不会结束的循环？",
    )
    stopped = attention(
        "stopped",
        checks=(
            check("mask_forbids", "A mask forbids", "掩码起作用", 2, message=loop, fault="timeout"),
            check("mask_broadcasts", "A mask broadcasts", "掩码可广播", 1, message=loop, fault="timeout"),
            SUMS,
            check("gradients", "Gradients flow", "梯度可传", 1, outcome="skipped"),
        ),
        diagnoses=(
            Diagnosis(
                (
                    NamedFault(
                        "timeout", Text("It does not end", "没有结束"), Text("", ""), (), "attention.py", 9
                    ),
                ),
                "core",
                "confirmed",
                loop,
            ),
        ),
        note=loop,
        printed="scores 1\nscores 2\n\n[bold]3[/bold]\n4\n5\n6\n7\n",
    )
    carried = attention(
        carried_forward_from=("masks",),
        diagnoses=(
            Diagnosis(
                (),
                "core",
                "unrecognised",
                Text(
                    "attention.py:10 gives the right `scaled`; the next value is not found.",
                    "attention.py:10 的 `scaled` 正确；之后的值没有找到。",
                ),
            ),
        ),
    )
    two = attention(
        diagnoses=(
            Diagnosis((MISSING_SCALE, INVERTED), "core", "confirmed", CERTAIN),
            Diagnosis((EMPTY_ROW,), "edge", "confirmed", Text("reproduces what happens", "重现了结果")),
        ),
    )
    edge = attention(
        "passed",
        score=6.0,
        checks=(SUMS, ROWS),
        diagnoses=(
            Diagnosis((EMPTY_ROW,), "edge", "confirmed", Text("reproduces what happens", "重现了结果")),
        ),
    )
    likely = attention(
        diagnoses=(
            Diagnosis(
                (MISSING_SCALE,),
                "core",
                "likely",
                Text("reproduces 9 of 14 observations", "重现了 14 个观测中的 9 个"),
            ),
        )
    )
    return {
        "perfect": a_report(passed),
        "one_mistake": a_report(attention()),
        "two_mistakes": a_report(two),
        "likely": a_report(likely),
        "unrecognised": a_report(carried),
        "edge_only": a_report(edge),
        "stopped": a_report(stopped),
        "workspace": a_report(attention(), unwritten, blocked, broken),
    }


@pytest.fixture
def hostile() -> Report:
    """Everything a learner controls, full of what must not reach a terminal."""
    bad = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://x\x1b\\"
    bad += "[red]\x9b31m\u202eevil\u2069\x00\x08\ud800 [/red]:smile:\r"
    both = Text.same(bad)
    fault = NamedFault("raises-exception", both, both, (both,), f"{bad}.py", 3)
    broken = ExerciseResult(
        "attention",
        both,
        "failed",
        0.0,
        1.0,
        0.1,
        (CheckResult("c", both, "core", "failed", 0.0, 1.0, both),),
        (Diagnosis((fault,), "core", "likely", both),),
        both,
        bad * 50,
    )
    return a_report(broken, submission=bad)
