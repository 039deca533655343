"""The report as Markdown, for the summary of a workflow, a comment, or an e-mail."""

from __future__ import annotations

import re

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, Report
from grader.reports.cleaning import clean_line
from grader.reports.places import place_of_exercise
from grader.reports.words import CONFIDENCE, STATUS, counted, points
from grader.text import Text

__all__ = ["as_markdown", "escape"]

SIGNS = {"passed": "✅", "failed": "❌", "incomplete": "📝", "blocked": "⏸️"}
SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~&$]")
# what becomes a link or a mention without any markup; and what begins a list or a heading
BARE = (
    (re.compile(r":(?=//)"), r"\\:"),
    (re.compile(r"(?i)\b(www)\."), r"\1\\."),
    (re.compile("@"), "@\u200b"),
)
FIRST = re.compile(r"^(\d{1,9})?([-+=.):])")
SHOWN_CHECKS = 5


def escape(words: str) -> str:
    """Words on one line in which nothing is markup, a link, or a mention."""
    return FIRST.sub(r"\1\\\2", _inline(clean_line(words)))


def _inline(words: str) -> str:
    """Words within a line that are nothing but words."""
    words = SPECIAL.sub(r"\\\g<0>", words)
    for pattern, instead in BARE:
        words = pattern.sub(instead, words)
    return words


def as_markdown(report: Report, language: str) -> str:
    """A table of the exercises, and for each that is not fully right what is wrong, where, and why."""
    score = Text(
        f"Score: {points(report.score)} of {points(report.max_score)}",
        f"得分：{points(report.score)} / {points(report.max_score)}",
    )
    blocks = [f"# {escape(report.submission)}", f"**{score.in_(language)}**", _table(report, language)]
    for result in report.exercises:
        if not result.passed or result.score < result.max_score:
            blocks += _section(result, language)
    return "\n\n".join(blocks) + "\n"


def _table(report: Report, language: str) -> str:
    heads = (Text("exercise", "练习"), Text("status", "状态"), Text("points", "分数"), Text("place", "位置"))
    rows = [
        "| | " + " | ".join(h.in_(language) for h in heads) + " |",
        "|---|---|---|---:|---|",
    ]
    for result in report.exercises:
        status = STATUS.get(result.status, Text.same(result.status)).in_(language)
        file, line = place_of_exercise(result)
        score = f"{points(result.score)}/{points(result.max_score)}"
        sign = SIGNS.get(result.status, "⚠️")
        rows.append(f"| {sign} | {escape(result.id)} | {status} | {score} | {_spot(file, line)} |")
    return "\n".join(rows)


def _section(result: ExerciseResult, language: str) -> list[str]:
    sep = "：" if language == "zh" else ": "
    blocks = [f"## {escape(result.id)}{sep}{_prose(result.title, language)}"]
    if result.carried_forward_from:
        names = ", ".join(f"{n}.py" for n in result.carried_forward_from)
        words = Text(f"Marked on top of your own {names}.", f"在你自己的 {names} 之上评分。")
        blocks.append(_prose(words, language))
    if result.note is not None:
        blocks.append(_prose(result.note, language))
    for number, diagnosis in enumerate(result.diagnoses):
        blocks += _explanation(diagnosis, language, hint=number == 0)
    failed = [c for c in result.checks if c.outcome == "failed"]
    if failed:
        blocks += _checks(failed, language)
    return blocks


def _explanation(diagnosis: Diagnosis, language: str, *, hint: bool) -> list[str]:
    blocks = []
    for fault in diagnosis.faults:
        spot = _spot(fault.file, fault.line)
        blocks.append(f"**{_prose(fault.title, language)}**" + (f" — {spot}" if spot else ""))
        if fault.explanation.in_(language).strip():
            blocks.append(_prose(fault.explanation, language))
    evidence = diagnosis.evidence.in_(language).strip().rstrip(".。")
    if diagnosis.confidence in CONFIDENCE:
        words = CONFIDENCE[diagnosis.confidence].in_(language).replace("{evidence}", evidence)
        blocks.append(f"_{escape(words)}_" if evidence else "")
    else:
        blocks.append(_prose(diagnosis.evidence, language))
    first = next((f.hints[0] for f in diagnosis.faults if f.hints), None)
    if hint and first is not None:
        label = Text("Next step:", "下一步：").in_(language)
        blocks.append(f"**{label}** {_prose(first, language)}")
    return [block for block in blocks if block]


def _checks(failed: list[CheckResult], language: str) -> list[str]:
    count = counted(len(failed), "{n} check failed:", "{n} checks failed:", "未通过的检查：{n} 项")
    lines = [f"- {_prose(c.title, language)}" + _said(c, language) for c in failed[:SHOWN_CHECKS]]
    if len(failed) > SHOWN_CHECKS:
        more = len(failed) - SHOWN_CHECKS
        lines.append("- " + Text(f"and {more} more", f"另有 {more} 项").in_(language))
    return [count.in_(language), "\n".join(lines)]


def _said(check: CheckResult, language: str) -> str:
    if check.message is None:
        return ""
    edge = {"zh": "边界；"}.get(language, "edge; ") if check.tier != "core" else ""
    return f" — {edge}{_prose(check.message, language)}"


def _spot(file: str | None, line: int | None) -> str:
    if not file:
        return ""
    return escape(file if line is None else f"{file}:{line}")


def _prose(text: Text, language: str) -> str:
    """Escaped words, in which what stands between backticks is code."""
    parts = re.split(r"`([^`\n]+)`", clean_line(text.in_(language), 2000))
    whole = "".join(f"`{part}`" if index % 2 else _inline(part) for index, part in enumerate(parts))
    return FIRST.sub(r"\1\\\2", whole)
