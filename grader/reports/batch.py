"""What `grade batch` prints at the end: how many, which marks, which mistakes, and where everything is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text as Styled

from grader.course.records import ClassStatistics
from grader.reports.cleaning import clean_line
from grader.reports.course_words import FLAGS
from grader.reports.paper import Paper
from grader.reports.words import counted, points
from grader.text import Text

__all__ = ["batch_lines"]

SHOWN_FAULTS = 5
SHOWN_NAMES = 5


def batch_lines(
    stats: ClassStatistics, new: int, ignored: Sequence[str], place: str, paper: Paper
) -> Iterator[Styled]:
    """new: how many were graded in this run; ignored: entries that are no submissions; place: OUT/."""
    everyone = sum(stats.counts.values())
    head = counted(everyone, "{n} submission", "{n} submissions", "{n} 份提交")
    graded = Text(f", {new} graded now", f"，本次评了 {new} 份")
    yield from paper.lines(Styled(paper.say(head + graded), "bold"))
    if stats.spread is not None:
        yield from paper.lines(paper.say(_marks(stats)), "  ")
    for text in _to_look_at(stats, ignored):
        yield from paper.lines(Styled(paper.line(text), "yellow"), f"  {paper.glyphs.trouble} ", "    ")
    faults = [f for f in stats.faults if not f.technical][:SHOWN_FAULTS]
    if faults:
        yield Styled()
        yield from paper.lines(Styled(paper.say(Text("Most frequent mistakes", "最常见的错误")), "bold"))
        for fault in faults:
            count = f"{fault.students:>4}  "
            yield from paper.lines(paper.line(fault.title), count, " " * len(count))
    yield Styled()
    where = Text(
        f"The marks are in {place}/marks.csv, the class report is {place}/class.html, and each student's "
        f"feedback is in {place}/feedback.",
        f"成绩在 {place}/marks.csv，班级报告是 {place}/class.html，每个学生的反馈在 {place}/feedback。",
    )
    yield from paper.lines(paper.say(where))


def _marks(stats: ClassStatistics) -> Text:
    spread = stats.spread
    assert spread is not None
    top, low, high = points(stats.max_total), points(spread.low), points(spread.high)
    return Text(
        f"Marks: median {points(spread.median)}, mean {points(spread.mean)}, from {low} to {high}, "
        f"out of {top}.",
        f"分数：中位数 {points(spread.median)}，平均 {points(spread.mean)}，从 {low} 到 {high}，满分 {top}。",
    )


def _to_look_at(stats: ClassStatistics, ignored: Sequence[str]) -> Iterator[Text]:
    counts = stats.counts
    if counts.get("not graded"):
        yield counted(
            counts["not graded"],
            "{n} has no mark: its remark in marks.csv says whether you have to decide, or the same command "
            "tries again",
            "{n} have no mark: their remarks in marks.csv say where you have to decide; the same command "
            "tries the others again",
            "{n} 份没有分数：marks.csv 的备注说明哪些需要你来决定；其余的再次运行同一命令会重试",
        )
    if counts.get("unreadable"):
        yield counted(
            counts["unreadable"],
            "{n} holds nothing that can be graded and has 0 points: see marks.csv",
            "{n} hold nothing that can be graded and have 0 points: see marks.csv",
            "{n} 份没有可评分的内容，计 0 分：见 marks.csv",
        )
    for flag, number in stats.flags.items():
        yield Text(f"{number}: {FLAGS[flag].en}", f"{number} 份：{FLAGS[flag].zh}")
    nobody = [c for c in stats.checks if c.nobody and c.tier == "core"]
    if nobody and sum(stats.counts.values()) > 1:
        yield counted(
            len(nobody),
            "{n} core check is passed by nobody: is the exercise unclear?",
            "{n} core checks are passed by nobody: are the exercises unclear?",
            "{n} 项核心检查无人通过：题目是否不够清楚？",
        )
    if stats.run is not None and stats.run.weak:
        yield Text(
            "submitted code was not confined well on this machine: marks could be forged",
            "本机对提交代码的隔离不足：分数可能被伪造",
        )
    if ignored:
        names = ", ".join(clean_line(name, 60) for name in ignored[:SHOWN_NAMES])
        more = "" if len(ignored) <= SHOWN_NAMES else f" (+{len(ignored) - SHOWN_NAMES})"
        yield Text(f"left aside, as no submissions: {names}{more}", f"以下不是提交，已忽略：{names}{more}")
