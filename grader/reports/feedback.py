"""What a student reads of a mark, beside the report; and the feedback as Markdown."""

from __future__ import annotations

from dataclasses import replace

from grader.course.records import Mark, Part
from grader.exercises.registry import exercise
from grader.marking.records import Report
from grader.reports.markdown import as_markdown, escape
from grader.reports.words import counted, points
from grader.text import Text

__all__ = ["feedback_markdown", "mark_lines", "who"]


def who(mark: Mark) -> str:
    """``Ada Lovelace (12345)``, or the id alone."""
    row = mark.row
    return f"{row.name} ({row.student})" if row.name and row.name != row.student else row.student


def mark_lines(mark: Mark) -> list[Text]:
    """How the mark comes about, where it is not plainly the sum of the points."""
    lines = []
    if mark.problem is not None:
        if mark.status == "not graded":
            lines.append(
                Text(
                    "Your submission could not be graded. You have no mark yet, and no points are lost; ask "
                    "your instructor.",
                    "你的提交未能评分。目前还没有分数，也没有扣分；请询问老师。",
                )
            )
        lines.append(_sentence(mark.problem))
    lines += [_sentence(note) for note in mark.notes]
    if mark.total is not None and any(_other_points(part) for part in mark.parts):
        worth = ", ".join(f"{p.exercise} {points(p.points)}/{points(p.max_points)}" for p in mark.parts)
        lines.append(Text(f"By the rules of the course: {worth}.", f"按课程规则计分：{worth}。"))
    if mark.total is not None and mark.final is not None and mark.penalty:
        late = counted(mark.days_late or 0, "{n} day late", "{n} days late", "迟交 {n} 天")
        lines.append(
            Text(
                f"{points(mark.total)} of {points(mark.max_total)} points before lateness; {late.en}: "
                f"{points(mark.penalty)} taken off.",
                f"迟交扣分前为 {points(mark.total)} / {points(mark.max_total)} 分；{late.zh}，"
                f"扣 {points(mark.penalty)} 分。",
            )
        )
    return lines


def feedback_markdown(mark: Mark, report: Report | None, language: str) -> str:
    """The mark, and the report under it."""
    head = [f"# {escape(who(mark))}"]
    if mark.final is not None:
        words = Text("Mark", "成绩").in_(language)
        colon = "：" if language == "zh" else ": "
        head.append(f"**{words}{colon}{points(mark.final)} / {points(mark.max_total)}**")
    head += [escape(line.in_(language)) for line in mark_lines(mark)]
    if report is None:
        return "\n\n".join(head) + "\n"
    rest = as_markdown(replace(report, submission="-"), language).split("\n\n", 1)[1]
    return "\n\n".join(head) + "\n\n" + rest


def _other_points(part: Part) -> bool:
    """The course gives an exercise other points than the report shows."""
    return abs(part.max_points - exercise(part.exercise).max_score) > 1e-6


def _sentence(text: Text) -> Text:
    """With a capital and a full stop, as a paragraph of its own."""
    return Text(text.en[:1].upper() + text.en[1:].rstrip(".") + ".", text.zh.rstrip("。") + "。")
