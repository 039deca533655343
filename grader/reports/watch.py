"""The picture of the watch: the verdict in few lines, the progress bar, the keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text as Styled

from grader.marking.records import Diagnosis, ExerciseResult, NamedFault
from grader.reports.hints import hint_lines
from grader.reports.paper import Paper
from grader.reports.status import progress_bar
from grader.reports.summary import STYLE, symbol
from grader.reports.times import ago
from grader.reports.words import CONFIDENCE, STATUS, counted, points
from grader.text import Text
from grader.watch.view import KEYS, View

__all__ = ["also_line", "keys_line", "picture", "waiting_line"]

WORDS = {
    "n": Text("next", "下一个"),
    "h": Text("hint", "提示"),
    "l": Text("list", "列表"),
    "e": Text("explain", "讲解"),
    "r": Text("reset", "重置"),
    "t": Text("trace", "跟踪"),
    "q": Text("quit", "退出"),
}
BAR, LEAST = 30, 7
FEWEST = 4  # lines of the body that are shown on the lowest terminal


def picture(view: View, paper: Paper, *, height: int | None = None, keys: bool = True) -> list[Styled]:
    """The whole picture; height: of the terminal, None where lines run on; keys: there are some."""
    body = _body(view, paper, keys)
    foot = [*_bar(view, paper), *(keys_line(paper) if keys else [])]
    if view.question is not None:
        foot = [*_bar(view, paper), *paper.lines(paper.say(view.question), style="bold yellow")]
    if height is not None:
        body = _fitted(body, max(FEWEST, height - len(foot) - 2), view, paper)
    return [*body, Styled(), *foot]


def waiting_line(paper: Paper) -> list[Styled]:
    """What stands below a page that another command printed."""
    words = Text("Any key: back to the watch", "按任意键返回")
    return [Styled(), *paper.lines(paper.say(words), style="dim")]


def also_line(name: str, status: str, paper: Paper) -> list[Styled]:
    """A later exercise that was graded again because of a save."""
    word = paper.say(STATUS[status])
    head = Text("also graded: ", "同时评分：").in_(paper.language)
    return paper.lines(
        Styled.assemble((head, "dim"), symbol(status, paper), f" {name} ", (word, STYLE[status])), "  ", "  "
    )


def keys_line(paper: Paper) -> list[Styled]:
    """The keys and what they do, in as many lines as it takes; a key stays with its word."""
    gap = f" {paper.glyphs.sep} "
    lines = [Styled()]
    for key in KEYS:
        item = Styled.assemble((key, "bold cyan"), (f" {paper.say(WORDS[key])}", "dim"))
        if lines[-1].cell_len + len(gap) + item.cell_len > paper.measure:
            lines.append(Styled())
        if lines[-1].plain:
            lines[-1].append(gap, "dim")
        lines[-1].append_text(item)
    return lines


# -- the body ---------------------------------------------------------------------------------------


def _body(view: View, paper: Paper, keys: bool) -> list[Styled]:
    lines: list[Styled] = []
    if view.celebrated is not None:
        lines += _celebration(view.celebrated, paper)
    elif view.still is not None:
        words = Text(f"{view.still} still passes.", f"{view.still} 仍然通过。")
        lines += paper.lines(Styled.assemble(symbol("passed", paper), " ", paper.say(words)))
    for name, status in view.also:
        lines += also_line(name, status, paper)
    if view.listed:
        return [*lines, *_list(view, paper)]
    if view.done:
        return [*lines, *_all_done(view, paper), *_message(view, paper)]
    if lines and view.current is not None:
        lines.append(Styled())
    if view.current is not None:
        lines += _current(view, view.current, paper)
    if view.hint is not None:  # in the place of the checks, so that it is in sight
        lines += [Styled(), *hint_lines(view.hint, paper, keys=keys, titled=_many(view.result))]
    return lines + _message(view, paper)


def _current(view: View, name: str, paper: Paper) -> list[Styled]:
    result = view.result
    if result is None or result.id != name:
        words = Text(f"Next: {name}.py", f"下一个：{name}.py")
        return paper.lines(paper.say(words), style="bold")
    lines = _head(result, paper)
    if result.status == "incomplete" and not _specific(result):
        return lines + _to_do(result, view, paper)
    if result.status in ("error", "blocked") or not result.readable:
        return lines + _calm(result, paper)
    return lines + _mistakes(result, view, paper)


def _head(result: ExerciseResult, paper: Paper) -> list[Styled]:
    word = Styled(paper.say(STATUS[result.status]), STYLE[result.status])
    if not result.readable:  # perhaps half a line: nobody is at fault yet
        word = Styled(paper.say(Text("not readable yet", "暂时无法读取")), "yellow")
    score = f"{points(result.score)}/{points(result.max_score)}"
    title = paper.line(result.title)
    sign = symbol(result.status if result.readable else "incomplete", paper)
    head = Styled.assemble(sign, " ", (result.id, "bold"), "  ", word, f"  {score}")
    if paper.width >= 80:
        head.append(f"  {title}", "dim")
    return paper.lines(head, "", "  ")


def _to_do(result: ExerciseResult, view: View, paper: Paper) -> list[Styled]:
    lines = []
    if result.note is not None:
        lines += paper.lines(paper.line(result.note), "  ")
    if view.hint is None:
        words = Text(f"Write {result.id}.py and save it.", f"请编写 {result.id}.py 并保存。")
        lines += paper.lines(paper.say(words), "  ")
    return lines


def _calm(result: ExerciseResult, paper: Paper) -> list[Styled]:
    """A file that cannot be read, perhaps half a line: no reason to shout."""
    lines = []
    if result.note is not None:
        lines += paper.lines(paper.line(result.note), "  ")
    fault = next((f for d in result.diagnoses for f in d.faults), None)
    if fault is not None and fault.hints:
        lines += paper.lines(paper.say(fault.hints[0]), "  ", style="dim")
    return lines


def _mistakes(result: ExerciseResult, view: View, paper: Paper) -> list[Styled]:
    core = [d for d in result.diagnoses if d.tier == "core"]
    edge = [d for d in result.diagnoses if d.tier != "core"]
    shown = core or edge
    lines: list[Styled] = []
    if result.carried_forward_from:
        names = ", ".join(f"{n}.py" for n in result.carried_forward_from)
        words = Text(f"marked on top of your own {names}", f"在你自己的 {names} 之上评分")
        lines += paper.lines(paper.say(words), "  ", style="dim")
    if result.note is not None:
        lines += paper.lines(paper.line(result.note), "  ")
    for diagnosis in shown[:1]:
        lines += _diagnosis(diagnosis, paper, brief=view.hint is not None)
    if view.met is not None:
        when = ago(view.now - view.met.first)
        words = Text(
            f"You have met this before: in {view.met.exercise}, {when.en}.",
            f"这个错误你遇到过：{when.zh}，在 {view.met.exercise} 中。",
        )
        lines += paper.lines(paper.say(words), "  ", style="yellow")
    step = next((f.hints[0] for d in shown[:1] for f in d.faults if f.hints), None)
    if step is not None and view.hint is None:
        label = "下一步：" if paper.language == "zh" else "Next step: "
        words_ = Styled.assemble((label, "bold green"), paper.prose(paper.say(step)))
        lines += [Styled(), *paper.lines(words_, "  ")]
    return lines if view.hint is not None else lines + _checks(result, paper)


def _diagnosis(diagnosis: Diagnosis, paper: Paper, *, brief: bool) -> list[Styled]:
    many = len(diagnosis.faults) > 1
    lines: list[Styled] = []
    for number, fault in enumerate(diagnosis.faults, 1):
        mark = f"{number}. " if many else ""
        indent = "  " + " " * len(mark)
        lines += paper.lines(_title(fault, paper), f"  {mark}", indent)
        if number == 1 and not brief and paper.say(fault.explanation):
            lines += paper.lines(paper.say(fault.explanation), indent)
    evidence = paper.line(diagnosis.evidence).rstrip(".。")
    if diagnosis.confidence == "unrecognised":
        words = Text("None of the known mistakes explains this.", "已知的错误都不能解释这个结果。")
        lines += paper.lines(paper.say(words), "  ", style="bold")
        for en, zh in zip(diagnosis.evidence.en.splitlines(), diagnosis.evidence.zh.splitlines()):
            lines += paper.lines(paper.line(Text(en, zh)), "  ", "    ")
    elif diagnosis.confidence == "likely" and evidence:
        words = CONFIDENCE["likely"]
        lines += paper.lines(paper.say(words).replace("{evidence}", evidence), "  ", style="dim")
    return lines


def _title(fault: NamedFault, paper: Paper) -> Styled:
    title = paper.prose(paper.line(fault.title).rstrip(".。"), "bold")
    return Styled.assemble(title, paper.in_brackets(paper.spot(fault.file, fault.line)))


def _checks(result: ExerciseResult, paper: Paper) -> list[Styled]:
    failed = [c for c in result.checks if c.outcome == "failed"]
    if not failed:
        return []
    first = max(failed, key=lambda c: (c.tier == "core", c.max_points))
    words = counted(
        len(failed),
        "1 check of {{all}} fails:",
        "{n} checks of {{all}} fail, among them:",
        "{{all}} 项检查中有 {n} 项未通过，例如：",
    ).format(all=len(result.checks))
    lines = [Styled(), *paper.lines(paper.say(words), "  ", style="dim")]
    lines += paper.lines(
        Styled.assemble((f"{paper.glyphs.failed} ", "red"), paper.prose(paper.line(first.title))),
        "  ",
        "    ",
    )
    if first.message is not None:
        lines += paper.lines(paper.line(first.message), "    ", style="dim")
    return lines


def _celebration(result: ExerciseResult, paper: Paper) -> list[Styled]:
    full = result.score >= result.max_score
    score = f"{points(result.score)}/{points(result.max_score)}"
    words = Text(f"{result.id} passed, {score}", f"{result.id} 通过，{score}")
    praise = Text(": every check.", "，所有检查都通过。") if full else Text(".", "。")
    head = Styled.assemble(symbol("passed", paper), " ", (paper.say(words + praise), "bold green"))
    lines = paper.lines(head, "", "  ")
    if not full:
        faults = [f for d in result.diagnoses for f in d.faults]
        more = Text("The points that are missing are edge cases", "还差的分数在边界情况")
        end = Text(":" if faults else ".", "：" if faults else "。")
        lines += paper.lines(paper.say(more + end), "  ")
        for fault in faults[:3]:
            lines += paper.lines(_title(fault, paper), "    ", "    ")
    return lines


def _all_done(view: View, paper: Paper) -> list[Styled]:
    words = counted(
        view.total,
        "The exercise is passed. Well done!",
        "All {n} exercises are passed. Well done!",
        "全部 {n} 个练习都已通过，祝贺！",
    )
    if view.whole:
        words = Text(
            f"All {view.total} exercises are passed: you have written a Transformer encoder by hand.",
            f"全部 {view.total} 个练习都已通过：你亲手写出了 Transformer 编码器，祝贺！",
        )
    ways = Text(
        "`grade solution EXERCISE` shows the reference beside yours, `grade status` the way you came.",
        "`grade solution 练习名` 可对照参考答案，`grade status` 可回顾走过的路。",
    )
    return [Styled(), *paper.lines(paper.say(words), style="bold green"), *paper.lines(paper.say(ways))]


def _list(view: View, paper: Paper) -> list[Styled]:
    lines = []
    for name, status in view.statuses:
        word = STATUS[status] if status is not None else Text("not graded yet", "尚未评分")
        mark = ">" if name == view.current else " "
        lines.append(
            Styled.assemble(
                f"{mark} ",
                symbol(status or "incomplete", paper),
                " ",
                (f"{name:<22}", "bold"),
                (paper.say(word), STYLE[status] if status is not None else "dim"),
            )
        )
    return lines


def _message(view: View, paper: Paper) -> list[Styled]:
    lines: list[Styled] = []
    if view.message is not None:
        lines += [Styled(), *paper.lines(paper.say(view.message), style="yellow")]
    return lines


# -- the foot ---------------------------------------------------------------------------------------


def _bar(view: View, paper: Paper) -> list[Styled]:
    count = f" {view.passed}/{view.total}"
    name = f"  {view.current}.py" if view.current is not None else ""
    width = max(LEAST, min(BAR, paper.measure - len(count) - len(name) - 3))
    line = Styled.assemble((progress_bar(view.passed, view.total, width), "green"), (name, "bold"))
    lines = paper.lines(line)
    if view.lost:
        words = Text("(progress is not saved in this folder)", "（此文件夹不保存进度）")
        lines += paper.lines(paper.say(words), style="dim")
    return lines


def _fitted(body: Sequence[Styled], room: int, view: View, paper: Paper) -> list[Styled]:
    """What fits above the foot; the rest is a command away."""
    if len(body) <= room:
        return list(body)
    name = view.current or ""
    words = Text(f"... the rest: `grade run {name}`", f"……其余见 `grade run {name}`")
    more = paper.lines(paper.say(words), style="dim")
    return [*body[: max(1, room - len(more))], *more]


def _many(result: ExerciseResult | None) -> bool:
    """Whether a hint has to say which mistake it is about."""
    return result is None or len([f for d in result.diagnoses for f in d.faults]) != 1


def _specific(result: ExerciseResult) -> bool:
    """Something is wrong with what is written already."""
    return any(f.id not in ("not-implemented", "missing-name") for d in result.diagnoses for f in d.faults)
