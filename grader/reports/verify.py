"""What `grade verify` prints: a table of the proofs, what does not hold, and the figures of the pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.reports.words import counted
from grader.text import Text
from grader.verifying.records import ExerciseProof, Groups, PairFigures, Proof

__all__ = ["page", "titles"]

# columns of the table: a word, and the proofs that stand under it
COLUMNS = (
    (Text("files", "文件"), ("solution", "skeleton", "entries")),
    (Text("checks", "检查"), ("checks", "marks", "raised")),
    (Text("texts", "文字"), ("texts",)),
    (Text("examples", "示例"), ("examples",)),
    (Text("named", "识别"), ("visible", "recognised")),
    (Text("apart", "区分"), ("apart",)),
    (Text("pairs", "成对"), ("pairs",)),
)
MOST = 12  # lines of one kind about pairs; the JSON has all of them


def titles() -> Mapping[str, Text]:
    """What each proof proves, by its id."""
    return {
        "solution": Text("the solution has full marks", "参考答案得满分"),
        "skeleton": Text("the skeleton is incomplete, and says where", "骨架未完成，并指出位置"),
        "entries": Text("both define what is asked for", "两者都定义了要求的名称"),
        "checks": Text("every check has its entry and its titles", "每个检查都有条目和标题"),
        "marks": Text("the points add up", "分数合计正确"),
        "raised": Text("faults left to the checks are named by one", "交由检查指出的错误确有检查指出"),
        "examples": Text("every fault has an example", "每种错误都有示例"),
        "texts": Text("every fault has its texts, in both languages", "每种错误都有双语文字"),
        "visible": Text("every fault shows on a probe", "每种错误都能在探测中显现"),
        "recognised": Text("every fault is diagnosed as itself", "每种错误都被诊断为它自己"),
        "apart": Text("no two faults are the same from outside", "没有两种错误从外部看完全相同"),
        "pairs": Text("two faults at once are named as both", "两种错误同时出现时都被指出"),
    }


def page(proofs: Sequence[ExerciseProof], synonyms: int, paper: Paper) -> list[RenderableType]:
    """The whole page."""
    lines: list[RenderableType] = [_table(proofs, paper)]
    failing = [f for e in proofs for p in e.proofs for f in p.findings]
    if failing:
        lines.append(Styled())
    for finding in failing:
        sign = Styled.assemble((paper.glyphs.failed, "red"), " ", (finding.exercise, "bold"))
        sep = "：" if paper.language == "zh" else ": "
        lines += paper.lines(Styled.assemble(sign, sep, paper.say(finding.text)), "", "  ")
    paired = [(e, p.pairs) for e in proofs for p in e.proofs if p.pairs is not None]
    if paired:
        lines += [Styled(), *_pairs(paired, paper)]
    notes = dict.fromkeys(p.note for e in proofs for p in e.proofs if p.note is not None)
    words = [paper.say(note) for note in notes]
    if synonyms:
        words.append(
            paper.say(
                counted(
                    synonyms,
                    "1 pair of faults is declared the same from outside; `--json` says why.",
                    "{n} pairs of faults are declared the same from outside; `--json` says why.",
                    "有 {n} 对错误被声明为从外部看相同；`--json` 中有原因。",
                )
            )
        )
    if words:
        lines.append(Styled())
    for sentence in words:
        lines += paper.lines(sentence, style="dim")
    return [*lines, Styled(), *paper.lines(Styled(paper.say(_closing(proofs)), "bold"))]


def _table(proofs: Sequence[ExerciseProof], paper: Paper) -> Table:
    there = {p.id for e in proofs for p in e.proofs}
    columns = [(word, ids) for word, ids in COLUMNS if there & set(ids)]
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, width=1)
    grid.add_column(no_wrap=True, overflow="ellipsis", min_width=8)
    grid.add_column(no_wrap=True, justify="right")
    for _ in columns:
        grid.add_column(no_wrap=True)
    heads = [Text("faults", "错误"), *(word for word, _ in columns)]
    grid.add_row("", "", *(Styled(paper.say(word), "dim") for word in heads))
    for proved in proofs:
        by_id = {p.id: p for p in proved.proofs}
        sign = (paper.glyphs.passed, "green") if proved.holds else (paper.glyphs.failed, "red")
        faults = by_id["texts"].checked if "texts" in by_id else 0
        cells = [_cell([by_id[i] for i in ids if i in by_id], paper) for _, ids in columns]
        grid.add_row(Styled(*sign), Styled(proved.id, "bold"), str(faults), *cells)
    return grid


def _cell(proofs: Sequence[Proof], paper: Paper) -> Styled:
    """A sign for the proofs that hold, the number of findings, or a dash where nothing was looked at."""
    found = sum(len(p.findings) for p in proofs)
    if found:
        return Styled(f"{paper.glyphs.failed} {found}", "red")
    if not proofs or all(p.note is not None for p in proofs):
        return Styled(paper.glyphs.blocked if proofs else "", "dim")
    return Styled(paper.glyphs.passed, "green")


def _closing(proofs: Sequence[ExerciseProof]) -> Text:
    exercises = [e for e in proofs if len(e.proofs) > 1]
    found = sum(len(p.findings) for e in proofs for p in e.proofs)
    if found:
        where = ", ".join(e.id for e in proofs if not e.holds)
        where_zh = "、".join(e.id for e in proofs if not e.holds)
        things = counted(found, "1 thing does not hold", "{n} things do not hold", "有 {n} 处不成立")
        return Text(f"Not proved: {things.en}, in {where}.", f"未通过验证：{things.zh}（{where_zh}）。")
    faults = sum(p.checked for e in exercises for p in e.proofs if p.id == "texts")
    what = counted(len(exercises), "1 exercise", "{n} exercises", "{n} 个练习")
    return Text(
        f"Proved: {what.en} with {faults} faults, each named as itself and told apart from every other.",
        f"验证通过：{what.zh}，共 {faults} 种错误，每种都能被识别，并能与其他错误区分。",
    )


# -- pairs ------------------------------------------------------------------------------------------


def _pairs(paired: Sequence[tuple[ExerciseProof, PairFigures]], paper: Paper) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, overflow="ellipsis", min_width=8)
    heads = (
        Text("pairs", "对数"),
        Text("tried", "已试"),
        Text("both", "都指出"),
        Text("hidden", "被掩盖"),
        Text("alike", "等价"),
        Text("wrong", "有误"),
        Text("right", "正确率"),
    )
    for _ in heads:
        grid.add_column(no_wrap=True, justify="right")
    title = paper.say(Text("Two at once", "两个同时出现"))
    grid.add_row(Styled(title, "bold"), *(Styled(paper.say(word), "dim") for word in heads))
    for proved, figures in paired:
        numbers = (
            figures.possible,
            figures.tried - figures.impossible,
            figures.exact,
            figures.hidden,
            figures.equivalent,
            figures.wrong,
        )
        share = f"{100 * figures.share:.1f}%"
        grid.add_row(Styled(proved.id, "bold"), *map(str, numbers), share)
    lines: list[RenderableType] = [grid]
    for proved, figures in paired:
        for kind, groups in (
            ("wrong", figures.missed),
            ("alike", figures.alike),
            ("hidden", figures.smaller),
        ):
            lines += _groups(proved.id, kind, groups, paper)
    return lines


def _groups(
    exercise: str,
    kind: str,
    groups: Groups,
    paper: Paper,
) -> list[Styled]:
    """The most frequent outcomes of one kind; a pair that is hidden by one of its own needs no words."""
    told = {k: n for k, n in groups.items() if kind != "hidden" or not set(k[1] or ()) <= set(k[0])}
    ranked = sorted(told.items(), key=lambda item: (-item[1], item[0][0]))
    lines: list[Styled] = []
    for (pair, named), times in ranked[:MOST]:
        instead = " + ".join(named) if named else paper.say(Text("nothing", "没有结果"))
        words = {
            "wrong": Text("is named as {x}", "被诊断为 {x}"),
            "alike": Text("shows the same as {x}", "与 {x} 表现相同"),
            "hidden": Text("shows the same as {x} alone", "与单独的 {x} 表现相同"),
        }[kind].format(x=instead)
        sep = "：" if paper.language == "zh" else ": "
        often = f" ({times}x)" if times > 1 else ""
        line = f"{exercise}{sep}{' + '.join(pair)} {paper.say(words)}{often}"
        lines += paper.lines(Styled(line, "" if kind == "wrong" else "dim"), "  ", "    ")
    if len(ranked) > MOST:
        rest = counted(len(ranked) - MOST, "and 1 more", "and {n} more", "还有 {n} 种")
        lines += paper.lines(Styled(f"{exercise}: {paper.say(rest)} (`--json`)", "dim"), "  ")
    return lines
