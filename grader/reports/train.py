"""What was learnt, on the page: verdict, curve, what the model says, and how it learns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text as Styled

from grader.learning.records import Answers, Finding, Learning, TaskResult
from grader.reports.cleaning import clean_line, excerpt
from grader.reports.numbers import exact
from grader.reports.paper import Paper
from grader.reports.plotting import curve
from grader.text import Text

__all__ = ["STATUS", "figures", "pointers", "render_learning", "said"]

STATUS = {
    "learnt": Text("learnt", "学会了"),
    "not learnt": Text("not learnt", "没有学会"),
    "stopped": Text("stopped", "被终止"),
}
STYLE = {"learnt": "green", "not learnt": "red", "stopped": "yellow"}
INDENT = "  "
MOST_PRINTED = 5
WIDEST, HEIGHT = 64, 6


def render_learning(learning: Learning, paper: Paper) -> list[Styled]:
    """All tasks, and a summary where there is more than one."""
    lines: list[Styled] = []
    for note in learning.notes:
        lines += [*paper.lines(Styled(paper.line(note), "dim")), Styled()]
    for result in learning.results:
        lines += [*_task(result, paper), Styled()]
    return lines[:-1] if len(learning.results) == 1 else [*lines, *_summary(learning, paper)]


def _task(result: TaskResult, paper: Paper) -> Iterator[Styled]:
    style = STYLE[result.status]
    head = Styled.assemble(
        (_sign(result, paper), f"bold {style}"),
        " ",
        (result.task.id, "bold"),
        (f"  {paper.line(result.task.title)}", "dim"),
        (f"  {paper.line(STATUS[result.status])}", style),
    )
    yield from paper.lines(head, "", INDENT)
    yield Styled()
    yield from _drawn(result, paper)
    if result.exam is not None and result.curve.losses:
        yield Styled()
    for words in figures(result):
        yield from paper.lines(paper.line(words), INDENT)
    if result.exam is not None and result.exam.examples:
        yield Styled()
        for answers in result.exam.examples:
            yield from _example(answers, paper)
    for finding in result.findings:
        yield Styled()
        yield from _finding(finding, paper)
    shown, left = excerpt(result.printed, MOST_PRINTED)
    if any(shown):
        yield Styled()
        yield from paper.lines(Styled(paper.line(Text("It printed:", "输出：")), "dim"), INDENT)
        for line in shown:
            yield from paper.lines(Styled(line, "dim"), INDENT * 2)
        if left:
            words = Text(f"and {left} more lines", f"另有 {left} 行")
            yield from paper.lines(Styled(paper.line(words), "dim"), INDENT * 2)


def _sign(result: TaskResult, paper: Paper) -> str:
    signs = {"learnt": paper.glyphs.passed, "not learnt": paper.glyphs.failed}
    return signs.get(result.status, paper.glyphs.trouble)


def _drawn(result: TaskResult, paper: Paper) -> Iterator[Styled]:
    """The reported loss over the steps."""
    losses = result.curve.losses
    if len(losses) < 2:
        return
    blind = result.task.blind
    finite = [loss for loss in losses if abs(loss) < float("inf")]
    top = max([*finite, blind])
    labels = [exact(round(top, 2)), "0"]
    margin = max(map(len, labels))
    width = max(16, min(WIDEST, paper.measure - margin - 6))
    shown = curve(losses, paper, width, HEIGHT, blind)
    for number, line in enumerate(shown):
        label = labels[0] if number == 0 else labels[1] if number == len(shown) - 1 else ""
        yield Styled.assemble(INDENT, (f"{label:>{margin}} {paper.glyphs.margin} ", "dim"), line)
    words = Text(
        f"loss by step, 1 to {len(losses)}; dashes: one who only guesses the symbols ({blind:.2f})",
        f"各步的损失，第 1 到 {len(losses)} 步；虚线：只会猜符号的水平（{blind:.2f}）",
    )
    yield from paper.lines(Styled(paper.line(words), "dim"), INDENT + " " * (margin + 3))


def figures(result: TaskResult) -> Iterator[Text]:
    """What came of it, in one or two sentences."""
    exam, task, steps = result.exam, result.task, len(result.curve.losses)
    if exam is None:
        return
    count = round(exam.accuracy * task.exam)
    yield Text(
        f"{count} of {task.exam} held-out sequences right from the first token to the last "
        f"({exam.accuracy:.0%}; "
        f"learnt is {task.pass_at:.0%} or more), after {steps} steps.",
        f"{task.exam} 个留出序列中有 {count} 个从头到尾完全正确（{exam.accuracy:.0%}；达到 "
        f"{task.pass_at:.0%} 算学会），"
        f"共训练 {steps} 步。",
    )


def _example(answers: Answers, paper: Paper) -> Iterator[Styled]:
    right = answers.said == answers.wanted
    sign = paper.glyphs.passed if right else paper.glyphs.failed
    line = Styled.assemble(
        (f"{sign} ", "green" if right else "red"),
        (said(answers.prompt), "dim"),
        f"  {said(answers.said)}",
    )
    if not right:
        line.append(f"  {paper.line(Text('should be', '应为'))}  ", "dim")
        line.append(said(answers.wanted))
    yield from paper.lines(line, INDENT, INDENT * 2)


def said(tokens: tuple[str, ...]) -> str:
    """Tokens in a row: letters together, numbers apart."""
    apart = any(len(t) > 1 or t.isdigit() for t in tokens)
    return clean_line((" " if apart else "").join(tokens), 80)


def _finding(finding: Finding, paper: Paper) -> Iterator[Styled]:
    sign = paper.glyphs.failed if finding.heavy else paper.glyphs.trouble
    title = Styled.assemble(
        (f"{sign} ", "red" if finding.heavy else "yellow"), (paper.line(finding.title), "bold")
    )
    yield from paper.lines(title, INDENT, INDENT * 2)
    yield from paper.lines(paper.prose(clean_line(finding.text.in_(paper.language), 1200)), INDENT * 2)
    for words in pointers(finding):
        yield from paper.lines(paper.prose(paper.line(words), "dim"), INDENT * 2)


def pointers(finding: Finding) -> Iterator[Text]:
    """Where to read on."""
    names = " ".join(finding.exercises)
    words = Text(f"Where it is: `grade run {names}`", f"定位：`grade run {names}`")
    if finding.faults:
        listed = Text.join([Text.same(f"`grade explain {fault}`") for fault in finding.faults])
        words += Text("; faults that do this: ", "；会造成这种情况的错误：") + listed
    yield words


def _summary(learning: Learning, paper: Paper) -> Iterator[Styled]:
    done = sum(r.learnt for r in learning.results)
    words = Text(
        f"{done} of {len(learning.results)} tasks learnt:",
        f"{len(learning.results)} 个任务中学会了 {done} 个：",
    )
    yield from paper.lines(Styled(paper.line(words), "bold"))
    width = max(len(r.task.id) for r in learning.results)
    for result in learning.results:
        exam = result.exam
        share = f"{exam.accuracy:>4.0%}" if exam is not None else "   -"
        yield Styled.assemble(
            INDENT,
            (f"{_sign(result, paper)} ", STYLE[result.status]),
            f"{result.task.id:<{width}}  {share}  ",
            (paper.line(Text(f"{len(result.curve.losses)} steps", f"{len(result.curve.losses)} 步")), "dim"),
        )
