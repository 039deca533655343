"""The pages of an interview: its start, its clock, a verdict that gives nothing away, the post-mortem."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text as Styled

from grader.interview.postmortem import Made, PostMortem
from grader.interview.questions import Question
from grader.interview.state import Interview
from grader.marking.records import ExerciseResult
from grader.reports.cleaning import excerpt
from grader.reports.paper import Paper
from grader.reports.summary import STYLE, symbol
from grader.reports.words import STATUS, counted, points
from grader.text import Text

__all__ = ["answer_lines", "clock", "clock_line", "post_mortem_lines", "start_lines", "verdict_lines"]

SHOWN_LINES = 10


def clock(seconds: float) -> str:
    """``24:05``, rounded so that the last second is shown as one."""
    whole = int(seconds + 0.999)
    return f"{whole // 60:02d}:{whole % 60:02d}"


def _since(seconds: float) -> str:
    """``04:31`` from the start."""
    whole = int(seconds)
    return f"{whole // 60:02d}:{whole % 60:02d}"


def start_lines(
    interview: Interview, file: str, now: float, paper: Paper, *, resumed: bool, keys: bool
) -> list[Styled]:
    """What begins now, and what is different from other days."""
    left = clock(interview.left(now))
    minutes = f"{interview.minutes:g}"
    if resumed:
        head = Text(
            f"The interview goes on: {interview.exercise}, {left} left",
            f"面试继续：{interview.exercise}，剩余 {left}",
        )
    else:
        head = Text(
            f"Interview: {interview.exercise}, {minutes} minutes",
            f"面试：{interview.exercise}，{minutes} 分钟",
        )
    lines = paper.lines(Styled(paper.say(head), "bold"))
    task = Text(
        f"Write {file}. Until the end there are no hints and no diagnoses: a run says how many core checks "
        "pass, and nothing else.",
        f"请编写 {file}。结束之前没有提示和诊断：每次运行只说通过了几项核心检查。",
    )
    lines += paper.lines(paper.say(task))
    if keys:
        how = Text(
            "It is graded on each save. Keys: Enter grade, e end, q leave (the clock goes on).",
            "每次保存都会评分。按键：回车 评分，e 结束，q 离开（计时继续）。",
        )
    else:
        how = Text(
            "`grade run` grades it, `grade interview --status` shows the clock, and `grade interview --end` "
            "ends it.",
            "`grade run` 评分，`grade interview --status` 查看计时，`grade interview --end` 结束。",
        )
    return lines + paper.lines(paper.say(how), style="dim")


def clock_line(interview: Interview, runs: int, now: float, paper: Paper) -> str:
    """One line that fits any terminal."""
    left, sep = clock(interview.left(now)), paper.glyphs.sep
    count = counted(runs, "{n} run", "{n} runs", "运行 {n} 次")
    words = Text(
        f"{left} left {sep} {interview.exercise} {sep} {count.en}",
        f"剩余 {left} {sep} {interview.exercise} {sep} {count.zh}",
    )
    return paper.line(words)


def verdict_lines(result: ExerciseResult, paper: Paper) -> list[Styled]:
    """How many core checks pass; of code that cannot run, what Python itself would say."""
    core = [c for c in result.checks if c.tier == "core"]
    passed = sum(c.outcome == "passed" for c in core)
    if result.passed:
        words = Text(f"passed: all {len(core)} core checks", f"通过：全部 {len(core)} 项核心检查")
        if result.score < result.max_score:
            words += Text(
                f", {points(result.score)} of {points(result.max_score)} points with the edge cases",
                f"，含边界情况共 {points(result.score)} / {points(result.max_score)} 分",
            )
    elif result.status == "failed":
        words = Text(
            f"not yet: {passed} of {len(core)} core checks pass",
            f"尚未通过：{len(core)} 项核心检查中通过 {passed} 项",
        )
    else:
        words = STATUS.get(result.status, Text.same(result.status))
        if result.note is not None:
            words += Text(f": {result.note.en}", f"：{result.note.zh}")
    head = Styled.assemble(symbol(result.status, paper), " ", (result.id, "bold"), "  ", paper.say(words))
    lines = paper.lines(head, "", "  ")
    if result.printed.strip():
        shown, _ = excerpt(result.printed, SHOWN_LINES)
        for text in shown:
            line = Styled.assemble((f"  {paper.glyphs.margin} ", "dim"), text)
            line.truncate(paper.measure, overflow="crop")
            lines.append(line)
    return lines


def post_mortem_lines(found: PostMortem, paper: Paper) -> list[Styled]:
    """What happened when, and what would be asked next."""
    lines = paper.lines(Styled(paper.say(_headline(found)), "bold"))
    lines += [Styled(), *_course(found, paper), Styled(), *_mistakes(found, paper)]
    if found.questions:
        lines += [Styled(), *_questions(found.questions, paper)]
    return lines


def answer_lines(questions: Sequence[Question], paper: Paper) -> list[Styled]:
    """The same questions with answers to compare."""
    lines: list[Styled] = []
    for number, question in enumerate(questions, 1):
        lines += [Styled()] if lines else []
        lines += _question(number, question, paper)
        lines += paper.lines(paper.say(question.answer), "   ")
    return lines


# -- the post-mortem --------------------------------------------------------------------------------


def _headline(found: PostMortem) -> Text:
    name, took = found.interview.exercise, _since(found.seconds)
    if found.interview.reason == "time":
        return Text(f"Time is up: {name}, {took}", f"时间到：{name}，{took}")
    if found.passed is not None:
        return Text(f"The interview is over: {name} passed, {took}", f"面试结束：{name} 通过，{took}")
    return Text(f"The interview is over: {name}, {took}", f"面试结束：{name}，{took}")


def _course(found: PostMortem, paper: Paper) -> list[Styled]:
    rows: list[tuple[Text, Text]] = []
    if found.first_run is None:
        rows.append((Text("first run", "首次运行"), Text("never", "没有运行过")))
    else:
        rows.append((Text("first run", "首次运行"), Text.same(_since(found.first_run))))
        rows.append((Text("runs", "运行次数"), Text.same(str(found.runs))))
        if found.passed is not None:
            rows.append((Text("passed", "通过"), Text.same(_since(found.passed))))
        rows.append((Text("longest pause", "最长间隔"), Text.same(_since(found.pause))))
        status = STATUS.get(found.status or "", Text.same(found.status or ""))
        score = f"{points(found.score)}/{points(found.max_score)}"
        rows.append((Text("at the end", "结束时"), Text(f"{status.en}, {score}", f"{status.zh}，{score}")))
    width = max(cell_len(paper.say(label)) for label, _ in rows)
    lines = []
    for label, value in rows:
        words = paper.say(label)
        gap = " " * (width - cell_len(words) + 2)
        lines += paper.lines(Styled.assemble((words, "dim"), gap, paper.say(value)), "  ", "    ")
    return lines


def _mistakes(found: PostMortem, paper: Paper) -> list[Styled]:
    if not found.mistakes:
        words = Text("No known mistake was seen.", "没有出现已知的错误。")
        return paper.lines(paper.say(words))
    title = Text("Mistakes, in the order in which they were fixed", "错误，按改正的先后排列")
    lines = paper.lines(Styled(paper.say(title), "bold"))
    for made in found.mistakes:
        sign, style = (
            (paper.glyphs.passed, "passed") if made.fixed is not None else (paper.glyphs.failed, "failed")
        )
        head = Styled.assemble((sign, STYLE[style]), " ", paper.prose(paper.line(made.title).rstrip(".。")))
        lines += paper.lines(head, "  ", "    ")
        lines += paper.lines(paper.say(_when(made)), "    ", style="dim")
    return lines


def _when(made: Made) -> Text:
    if made.fixed is None:
        return Text(f"seen at {_since(made.seen)}, and still there", f"{_since(made.seen)} 出现，至今仍在")
    return Text(
        f"seen at {_since(made.seen)}, fixed at {_since(made.fixed)}",
        f"{_since(made.seen)} 出现，{_since(made.fixed)} 改正",
    )


def _questions(questions: Sequence[Question], paper: Paper) -> list[Styled]:
    title = Text("What an interviewer would ask next", "面试官接下来会问")
    lines = paper.lines(Styled(paper.say(title), "bold"))
    for number, question in enumerate(questions, 1):
        lines += _question(number, question, paper)
    words = Text(
        "Answer them aloud first; `grade interview --answers` has answers to compare.",
        "请先自己口头回答；`grade interview --answers` 有可供对照的答案。",
    )
    return [*lines, Styled(), *paper.lines(paper.say(words))]


def _question(number: int, question: Question, paper: Paper) -> list[Styled]:
    return paper.lines(Styled(paper.say(question.question), "cyan"), f"{number}. ", "   ")
