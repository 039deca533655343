"""What `grade similar` prints, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.text import Text as Styled

from grader.course.similar.records import Found, Pair
from grader.reports.cleaning import clean, clean_line
from grader.reports.paper import Paper
from grader.reports.words import counted
from grader.text import Text

__all__ = ["as_json", "place_words", "similar_lines"]

SHOWN_GROUPS = 10
SHOWN_PAIRS = 5
SHOWN_NAMES = 12
SHOWN_EXERCISES = 3
SHOWN_MISSED = 12
LONGEST = 300


def similar_lines(found: Found, paper: Paper) -> Iterator[Styled]:
    """The groups, the first pairs of each, and what it means."""
    head = _compared(found)
    among = len({s for group in found.clusters for s in group})
    if among:
        rest = Text(f", {among} of them are alike in groups", f"，其中 {among} 份分组相似")
    else:
        rest = Text(": no two are alike beyond what the exercises make alike", "：除练习本身之外没有相似的")
    yield from paper.lines(Styled(paper.say(head + rest), "bold"))
    for group in found.clusters[:SHOWN_GROUPS]:
        yield Styled()
        names = ", ".join(clean_line(s, 40) for s in group[:SHOWN_NAMES])
        more = counted(len(group) - SHOWN_NAMES, "and {n} more", "and {n} more", "等 {n} 人")
        names += f" {paper.say(more)}" if len(group) > SHOWN_NAMES else ""
        yield from paper.lines(Styled(names, "bold"), "", "  ")
        pairs = [p for p in found.pairs if p.one in group]
        for pair in pairs[:SHOWN_PAIRS]:
            yield from paper.lines(paper.say(_pair(pair)), "  ", "    ")
        if len(pairs) > SHOWN_PAIRS:
            left = counted(len(pairs) - SHOWN_PAIRS, "and {n} more pair", "and {n} more pairs", "另有 {n} 对")
            yield from paper.lines(Styled(paper.say(left), "dim"), "  ")
    if len(found.clusters) > SHOWN_GROUPS:
        left = counted(
            len(found.clusters) - SHOWN_GROUPS, "and {n} more group", "and {n} more groups", "另有 {n} 组"
        )
        yield from paper.lines(Styled(paper.say(left), "dim"))
    if found.missed:
        yield Styled()
        yield from _missed(found, paper)
    if among:
        yield Styled()
        yield from paper.lines(
            paper.say(
                Text(
                    "This is a reason to look, not a verdict: look at the code, and talk with both.",
                    "这是值得查看的线索，不是结论：请先看代码，并和双方谈过。",
                )
            )
        )


def place_words(found: Found, place: str) -> Text:
    """Where the page is, and what is on it."""
    if any(pair.sides for pair in found.pairs):
        return Text(f"The pairs are side by side in {place}.", f"各对代码的并排对照在 {place}。")
    return Text(f"The report is in {place}.", f"报告在 {place}。")


def _compared(found: Found) -> Text:
    if found.handed <= found.submissions:
        return counted(
            found.submissions, "{n} submission compared", "{n} submissions compared", "比较了 {n} 份提交"
        )
    n, of = found.submissions, found.handed
    return Text(f"{n} of {of} submissions compared", f"比较了 {of} 份提交中的 {n} 份")


def _missed(found: Found, paper: Paper) -> Iterator[Styled]:
    """What was not compared, and why: a copy may be among it."""
    files = sum(m.file is not None for m in found.missed)
    whole = len(found.missed) - files
    parts = [
        counted(whole, "{n} submission", "{n} submissions", "{n} 份提交") if whole else None,
        counted(files, "{n} file", "{n} files", "{n} 个文件") if files else None,
    ]
    told = [part for part in parts if part is not None]
    head = Text(" and ".join(t.en for t in told), "和 ".join(t.zh for t in told))
    head = Text("Not compared: ", "未比较：") + head
    yield from paper.lines(paper.say(head), "", style="dim")
    for one in found.missed[:SHOWN_MISSED]:
        words = paper.say(Text.same(clean_line(one.student, 40)) + Text(": ", "：") + one.why)
        yield from paper.lines(clean_line(words, LONGEST), "  ", "    ", style="dim")
    more = len(found.missed) - SHOWN_MISSED
    if more > 0:
        left = counted(more, "and {n} more (--json)", "and {n} more (--json)", "另有 {n} 项（--json）")
        yield from paper.lines(paper.say(left), "  ", style="dim")


def as_json(found: Found) -> str:
    """For other programs: every pair, with what it rests on."""
    pairs = [
        {
            "students": [clean(p.one), clean(p.other)],
            "share": round(p.share, 4),
            "bits": round(p.bits, 1),
            "exercises": {e: {"share": round(h.share, 4), "bits": round(h.bits, 1)} for e, h in p.exercises},
            "whole": {"share": round(p.whole.share, 4), "bits": round(p.whole.bits, 1)},
        }
        for p in found.pairs
    ]
    return json.dumps(
        {
            "schema": 1,
            "submissions": found.submissions,
            "handed_in": found.handed,
            "not_compared": [
                {"student": clean(m.student), "file": m.file and clean(m.file), "why": clean(m.why.en)}
                for m in found.missed
            ],
            "threshold": {"share": found.share, "bits": found.bits},
            "too_ordinary": found.ordinary,
            "groups": [[clean(s) for s in group] for group in found.clusters],
            "pairs": pairs,
        },
        ensure_ascii=False,
        indent=2,
    )


def _pair(pair: Pair) -> Text:
    rows = sorted(pair.exercises, key=lambda row: -row[1].bits)
    names = ", ".join(f"{e} {100 * how.share:.0f}%" for e, how in rows[:SHOWN_EXERCISES])
    left = len(rows) - SHOWN_EXERCISES
    who = f"{clean_line(pair.one, 40)} – {clean_line(pair.other, 40)}"
    whole = f"{100 * pair.whole.share:.0f}%"
    if not names:
        return Text(f"{who}: all together {whole}", f"{who}：合起来看 {whole}")
    more = (
        counted(left, ", and {n} more", ", and {n} more", "，另有 {n} 个练习") if left > 0 else Text("", "")
    )
    return Text(f"{who}: {names}", f"{who}：{names}") + more
