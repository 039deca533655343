"""A trace on the page: the learner's own lines, and beside or under each what it computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Styled

from grader.reports.cleaning import clean, clean_line
from grader.reports.numbers import exact
from grader.reports.paper import Paper
from grader.reports.wrapping import wrap
from grader.text import Text
from grader.tracing.records import Given, Mark, Trace, TracedLine, TracedValue

__all__ = ["How", "print_trace", "render_trace", "shape_words"]

SIGNS = {Mark.RIGHT: "green", Mark.WRONG: "red", Mark.RAISED: "red"}
MOST_CODE = 64  # cells of source beside its values
MOST_SHOWN = 3  # shapes that one line had
LONGEST = 400
SEP = "  "


@dataclass(frozen=True)
class How:
    """strides: shown always, not only where a value does not lie in one piece; steps: each operation of a
    line, not only what it gave in the end."""

    strides: bool = False
    steps: bool = False


def print_trace(
    trace: Trace, console: Console, language: str, how: How | None = None, folder: Path | None = None
) -> None:
    """Prints a trace on a console made by `grader.reports.output.make_console`."""
    paper = Paper.on(console, language, folder)
    for line in render_trace(trace, paper, how or How()):
        console.print(line, overflow="fold")


def render_trace(trace: Trace, paper: Paper, how: How) -> list[Styled]:
    """The whole trace, from top to bottom."""
    return [*_head(trace, paper), *_source(trace, paper, how), Styled(), *_end(trace, paper)]


# -- the call ---------------------------------------------------------------------------------------


def _head(trace: Trace, paper: Paper) -> list[Styled]:
    words = ", ".join(g.name for g in trace.given)
    settings = ", ".join(f"{k}={v}" for k, v in trace.settings.items())
    call = f"{trace.call}({settings})({words})" if trace.settings else f"{trace.call}({words})"
    said = paper.say(trace.title)
    lines = paper.lines(Styled.assemble((trace.exercise, "bold"), "  ", (said, "dim")), "", "  ")
    lines += paper.lines(Styled(clean_line(call)), "  ", "    ")
    if trace.sizes:
        sizes = SEP.join(f"{name}={size}" for name, size in trace.sizes.items())
        lines += paper.lines(Styled(sizes, "cyan"), "  ", "    ")
    return [*lines, Styled(), *_table(trace.given, paper), Styled()]


def _table(given: Sequence[Given], paper: Paper) -> list[Styled]:
    """Arguments or results, one a line."""
    width = max((cell_len(g.name) for g in given), default=0)
    lines: list[Styled] = []
    for one in given:
        name = clean_line(one.name, 40)
        said = _value(one.value, paper, How()) if one.value is not None else Styled(clean_line(one.words, 80))
        head = f"  {name}{' ' * (width - cell_len(name))}  "
        lines += wrap(Styled.assemble((head, "bold"), said), paper.width, "", "      ")
    return lines


# -- the lines --------------------------------------------------------------------------------------


def _source(trace: Trace, paper: Paper, how: How) -> Iterator[Styled]:
    """The learner's lines; values stand beside them where all of both fits.

    The cells of a notebook number their lines each for itself: where another one begins, its name stands.
    """
    digits = max((len(str(n.line)) for n in trace.lines), default=1)
    texts = [_code(n.text) for n in trace.lines]
    indent = min((len(t) - len(t.lstrip()) for t in texts if t.strip()), default=0)
    values = [_values(n, paper, how) for n in trace.lines]
    codes = [cell_len(t[indent:]) for t, vs in zip(texts, values) if vs]
    room = min(max(codes, default=0), MOST_CODE)
    needed = max((v.cell_len for vs in values for v in vs), default=0)
    beside = digits + 5 + room + 2 + needed <= paper.width and not how.steps
    before: TracedLine | None = None
    for line, text, shown in zip(trace.lines, texts, values):
        if _in_cell(line) and (before is None or before.file != line.file):
            yield Styled.assemble(f"  {' ' * digits} ", paper.spot(line.file, None))
        elif before is not None and _far(before, line):
            yield Styled(f"  {' ' * digits} {paper.glyphs.sep * 3}", "dim")
        before = line
        code = text[indent:]
        lead = _lead(line, digits, paper)
        width = paper.width - lead.cell_len
        first = Styled.assemble(lead, _styled(code, line, room if beside and shown else width))
        if beside and shown:
            first.append(" " * (lead.cell_len + room + 2 - first.cell_len))
            first.append_text(shown[0])
        yield first
        margin = Styled.assemble(f"  {' ' * digits} ", (f"{paper.glyphs.margin} ", "dim"))
        inner = " " * min(len(code) - len(code.lstrip()), paper.width // 32 * 4)
        pad = margin.plain + inner
        if beside:
            for more in shown[1:]:
                yield Styled.assemble(margin, " " * (room + 2), more)
        else:
            for value in shown:
                yield from _under(Styled.assemble(("= ", "dim"), value), pad, paper)
        yield from _said(line, pad, paper, told=not beside)


def _in_cell(line: TracedLine) -> bool:
    return not line.file.endswith(".py")


def _far(before: TracedLine, after: TracedLine) -> bool:
    """Whether something but a blank line was left out in between; one line may be blank."""
    return not 0 < after.line - before.line <= 2


def _under(words: Styled, pad: str, paper: Paper) -> list[Styled]:
    return [_dim_margin(line, paper) for line in wrap(words, paper.width, pad, pad + "  ")]


def _dim_margin(line: Styled, paper: Paper) -> Styled:
    place = line.plain.find(paper.glyphs.margin)
    if place >= 0:
        line.stylize("dim", place, place + 1)
    return line


def _lead(line: TracedLine, digits: int, paper: Paper) -> Styled:
    """Mark and number."""
    sign = {Mark.RIGHT: paper.glyphs.passed, Mark.NONE: " "}.get(line.mark, paper.glyphs.failed)
    number = f"{line.line:>{digits}}"
    return Styled.assemble(
        (sign, f"bold {SIGNS.get(line.mark, '')}".strip()),
        " ",
        (number, "dim"),
        " ",
        (f"{paper.glyphs.margin} ", "dim"),
    )


def _code(text: str) -> str:
    return clean(text).expandtabs(4).rstrip()


def _styled(code: str, line: TracedLine, width: int) -> Styled:
    """One line of source, cut where it is too long."""
    styled = Styled(code, "bold" if line.mark in (Mark.WRONG, Mark.RAISED) else "")
    if styled.cell_len > width:
        styled.truncate(max(4, width - 3))
        styled.append("...")
    return styled


# -- what a line gave -------------------------------------------------------------------------------


def _values(line: TracedLine, paper: Paper, how: How) -> list[Styled]:
    shown = list(line.steps) if how.steps and line.steps else list(line.values)[-MOST_SHOWN:]
    found = [_value(value, paper, how, op=how.steps) for value in shown]
    if found and (line.times > 1 or line.through):
        found[-1] = Styled.assemble(found[-1], SEP, (_turns(line, paper), "dim"))
    return found


def _turns(line: TracedLine, paper: Paper) -> str:
    parts = []
    if line.times > 1:
        parts.append(paper.line(Text(f"{line.times} times", f"共 {line.times} 次")))
    if line.through:
        files = ", ".join(clean_line(name, 60) for name in line.through)
        parts.append(paper.line(Text(f"by {files}", f"由 {files} 计算")))
    return SEP.join(parts)


def _value(value: TracedValue, paper: Paper, how: How, op: bool = False) -> Styled:
    """``B=2 H=3 L=5 S=7  float32  -4.3 to 2.1  strides 105,35,7,1``."""
    parts: list[tuple[str, str]] = [(shape_words(value, paper), "cyan")]
    if op and value.op:
        parts.insert(0, (clean_line(value.op, 30), "dim"))
    if value.dtype:
        parts.append((value.dtype, ""))
    if value.trues is not None:
        words = Text(f"{value.trues} of {value.numel} True", f"{value.numel} 个中 {value.trues} 个为 True")
        parts.append((paper.line(words), ""))
    elif value.low is not None and value.high is not None:
        low, high = exact(value.low), exact(value.high)
        words = Text.same(low) if low == high else Text(f"{low} to {high}", f"{low} 到 {high}")
        parts.append((paper.line(words), ""))
    if value.nans:
        parts.append((f"{value.nans} NaN", "bold red"))
    if value.infs:
        parts.append((f"{value.infs} inf", "yellow"))
    if value.strides and (how.strides or not value.contiguous):
        words = Text("strides", "步长")
        parts.append((f"{paper.line(words)} {','.join(map(str, value.strides))}", "magenta"))
    styled = Styled()
    for number, (words_, style) in enumerate(parts):
        styled.append(SEP if number else "")
        styled.append(words_, style or None)
    return styled


def shape_words(value: TracedValue, paper: Paper) -> str:
    """The shape with its names; ``()`` is a single number."""
    if not value.shape:
        return paper.line(Text("a number", "单个数"))
    return " ".join(
        f"{name}={size}" if name is not None else str(size) for name, size in zip(value.names, value.shape)
    )


# -- what is right or wrong of it -------------------------------------------------------------------


def _said(line: TracedLine, pad: str, paper: Paper, *, told: bool) -> Iterator[Styled]:
    if line.note is None or (line.mark is Mark.RIGHT and not told):
        return
    words = clean_line(line.note.in_(paper.language), LONGEST)
    style = SIGNS.get(line.mark, "")
    sign = paper.glyphs.passed if line.mark is Mark.RIGHT else paper.glyphs.failed
    body = paper.prose(words, "dim" if line.mark is Mark.RIGHT else "")
    yield from _under(Styled.assemble((f"{sign} ", style), body), pad, paper)
    if line.operands:
        shapes = SEP.join(_operand(o, paper) for o in line.operands)
        words = paper.line(Text(f"it was given {shapes}", f"输入为 {shapes}"))
        yield from _under(Styled(words, "cyan"), pad + "  ", paper)
    if line.wanted is not None and line.mark is Mark.WRONG:
        lead = Text("right: ", "正确：").in_(paper.language)
        value = replace(line.wanted, dtype="", strides=())  # of the model, which works in float64
        right = Styled.assemble((lead, "dim"), _value(value, paper, How()))
        yield from _under(right, pad + "  ", paper)


def _operand(value: TracedValue, paper: Paper) -> str:
    name = f"{clean_line(value.op, 40)} " if value.op else ""
    return f"{name}[{shape_words(value, paper)}]"


# -- the end ----------------------------------------------------------------------------------------


def _end(trace: Trace, paper: Paper) -> list[Styled]:
    lines: list[Styled] = []
    if trace.returned:
        lines += paper.lines(Styled(paper.line(Text("It returns", "返回值")), "bold"), "  ")
        lines += [*_table(trace.returned, paper), Styled()]
    wrong = trace.first_wrong
    if wrong is not None:
        spot = paper.spot(wrong.file, wrong.line)
        lead = {
            Mark.RAISED: Text("It stops at ", "运行停在 "),
            Mark.WRONG: Text("The first line that is not right: ", "第一个不正确的行："),
        }[wrong.mark]
        lines += paper.lines(Styled.assemble((lead.in_(paper.language), "bold"), spot))
        if wrong.through:
            words = _elsewhere(wrong.through)
            lines += paper.lines(paper.say(words))
        if trace.faults:
            words = Text("Background: ", "背景：") + Text.join(
                [Text.same(f"`grade explain {f}`") for f in trace.faults[:2]]
            )
            lines += paper.lines(paper.line(words))
    if trace.note is not None:
        words_ = trace.note.in_(paper.language)
        said = clean_line(words_[:1].upper() + words_[1:], LONGEST)
        lines += paper.lines(said + ("。" if paper.language == "zh" else "."))
    others = [name for name in trace.calls if name != trace.call]
    if others:
        listed = ", ".join(others)
        words = Text(f"Also: --call {listed}", f"也可用：--call {listed}")
        lines += paper.lines(Styled(paper.line(words), "dim"))
    return lines


def _elsewhere(files: Sequence[str]) -> Text:
    """Where a line goes wrong whose work is done by an earlier exercise."""
    stems = [clean_line(name, 60).removesuffix(".py") for name in files[:2]]
    commands = Text.join([Text.same(f"`grade trace {stem}`") for stem in stems])
    return Text("Earlier exercises do the work of this line: see ", "这一行由之前的练习计算：见 ") + commands
