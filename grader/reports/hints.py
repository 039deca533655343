"""What `grade hint` prints, and the watch below its verdict."""

from __future__ import annotations

from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.text import Text
from grader.workspace.hints import Answer, Ladder

__all__ = ["again_lines", "hint_lines"]

UNWRITTEN = "not-implemented"


def hint_lines(found: Answer, paper: Paper, *, keys: bool = False, titled: bool = True) -> list[Styled]:
    """The next rung, or what there is instead; keys: the way on is a key of the watch, not a command;
    titled: the mistake that it is about is named."""
    if found.kind == "hint" and found.ladder is not None and found.text is not None:
        title = _title(found, found.ladder, paper) if titled else []
        return title + _hint(found, found.ladder, found.text, paper, keys)
    name = found.exercise
    if found.kind == "passed":
        words = Text(f"{name} is passed; there is nothing to hint at.", f"{name} 已通过，不需要提示。")
        return paper.lines(paper.say(words))
    if found.kind == "exhausted" and found.ladder is not None:
        return _exhausted(found, found.ladder, paper)
    if found.kind == "unrecognised" and found.evidence is not None:
        return _unrecognised(found.evidence, name, paper)
    note = paper.lines(paper.line(found.note)) if found.note is not None else []
    words = Text(
        f"There is no hint for this. `grade run {name}` shows what happened.",
        f"这里没有提示。`grade run {name}` 会显示发生了什么。",
    )
    return note + paper.lines(paper.say(words))


def again_lines(found: Answer, paper: Paper) -> list[Styled]:
    """The hints that were given already for what is wrong now."""
    if not found.given:
        words = Text(
            f"No hint was given yet for {found.exercise} as it is now.",
            f"对于 {found.exercise} 目前的代码还没有给过提示。",
        )
        return paper.lines(paper.say(words))
    lines: list[Styled] = []
    for ladder, count in found.given:
        lines += _title(found, ladder, paper)
        for number, rung in enumerate(ladder.rungs[:count], 1):
            lines += paper.lines(paper.say(rung), f"  {number}. ", "     ")
    return lines


def _hint(found: Answer, ladder: Ladder, text: Text, paper: Paper, keys: bool) -> list[Styled]:
    lines: list[Styled] = []
    if found.edge:
        words = Text("Passed; this is about the points still missing.", "已通过；这关系到还差的分数。")
        lines += paper.lines(paper.say(words), "  ", style="dim")
    if ladder.fault == UNWRITTEN and found.rung == 1:
        words = Text("Where to start: the skeleton asks", "从这里开始，骨架中的提问：")
        lines += paper.lines(paper.say(words), "  ", style="dim")
    count = len(ladder.rungs)
    label = Text(f"Hint {found.rung} of {count}:", f"提示 {found.rung}/{count}：")
    space = "" if paper.language == "zh" else " "
    words_ = Styled.assemble((paper.say(label), "bold green"), space, paper.prose(paper.say(text)))
    lines += paper.lines(words_, "  ", "  ")
    if found.rung < count and not keys:
        more = Text(
            f"`grade hint {found.exercise}` gives the next one.",
            f"再次运行 `grade hint {found.exercise}` 可得到下一条。",
        )
        lines += [Styled(), *paper.lines(paper.say(more), style="dim")]
    return lines


def _title(found: Answer, ladder: Ladder, paper: Paper) -> list[Styled]:
    where = paper.in_brackets(paper.spot(ladder.file, ladder.line))
    title = paper.prose(paper.line(ladder.title).rstrip(".。"), "bold")
    return paper.lines(Styled.assemble((found.exercise, "bold"), _colon(paper), title, where), "", "  ")


def _exhausted(found: Answer, ladder: Ladder, paper: Paper) -> list[Styled]:
    name = found.exercise
    words = Text("All hints for this were given already:", "这里的提示都已给出：")
    lines = [*paper.lines(paper.say(words), style="dim"), *again_lines(found, paper)]
    if ladder.fault == UNWRITTEN:
        more = Text(
            f"Write a first version, however rough: `grade run {name}` then says what is right about it.",
            f"先写出一个版本，粗糙也无妨：`grade run {name}` 会告诉你哪些地方是对的。",
        )
    else:
        more = Text(
            f"`grade explain {ladder.fault}` tells the background, `grade repro {name}` shows the smallest "
            "input on which it is wrong.",
            f"`grade explain {ladder.fault}` 讲解其原理，`grade repro {name}` 给出出错的最小输入。",
        )
    return [*lines, Styled(), *paper.lines(paper.say(more))]


def _unrecognised(evidence: Text, name: str, paper: Paper) -> list[Styled]:
    words = Text(
        "None of the known mistakes explains this, so there is no ladder of hints. But this is known:",
        "已知的错误都不能解释这个结果，所以没有逐级的提示。但可以确定：",
    )
    head = Styled.assemble((name, "bold"), _colon(paper), paper.prose(paper.say(words)))
    lines = paper.lines(head, "", "  ")
    for en, zh in zip(evidence.en.splitlines(), evidence.zh.splitlines()):
        lines += paper.lines(paper.line(Text(en, zh)), "  ", "    ")
    more = Text(
        f"`grade repro {name}` shows the smallest input on which it is wrong: compute that one by hand.",
        f"`grade repro {name}` 给出出错的最小输入：请用手算一遍。",
    )
    return [*lines, Styled(), *paper.lines(paper.say(more))]


def _colon(paper: Paper) -> str:
    return "：" if paper.language == "zh" else ": "
