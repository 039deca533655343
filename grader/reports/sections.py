"""The section of one exercise: what is wrong, where, why, and the next step."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text as Styled

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault
from grader.reports.cleaning import excerpt
from grader.reports.leak import leak_map
from grader.reports.paper import Paper
from grader.reports.summary import symbol
from grader.reports.words import CONFIDENCE, counted, points
from grader.text import Text

__all__ = ["notes", "section", "still_open", "to_do"]

SHOWN_CHECKS = 4
SHOWN_EXPLAINED = 2
SHOWN_EDGES = 3
SHOWN_OPEN = 3
SHOWN_LINES = 5


def still_open(result: ExerciseResult) -> bool:
    """Nothing to look at yet: not written, not there, or waiting for an earlier exercise."""
    if any(c.outcome != "skipped" for c in result.checks):
        return False
    if result.status == "blocked":
        return True
    faults = [f for d in result.diagnoses for f in d.faults]
    return result.status == "incomplete" and all(f.id == "not-implemented" or f.file is None for f in faults)


def to_do(results: Sequence[ExerciseResult], paper: Paper) -> list[Styled]:
    """The exercises that are still open, one line each, the first few only."""
    lines = paper.lines(Styled(paper.say(Text("Still to do", "待完成")), "bold"))
    for result in results[:SHOWN_OPEN]:
        note = paper.line(result.note) if result.note is not None else ""
        head = Styled.assemble((result.id, "bold"), "  " if note else "", paper.prose(note))
        lines += paper.lines(Styled.assemble(symbol(result.status, paper), " ", head), "  ", "    ")
    if len(results) > SHOWN_OPEN:
        lines += paper.lines(_more(len(results) - SHOWN_OPEN, paper), "    ")
    return lines


def section(result: ExerciseResult, paper: Paper) -> list[Styled]:
    """Everything about one exercise that is not fully right."""
    score = Text(
        f"{points(result.score)} of {points(result.max_score)} points",
        f"{points(result.score)} / {points(result.max_score)} 分",
    )
    sep = "：" if paper.language == "zh" else ": "
    title = Styled(paper.line(result.title), "bold")
    brackets = paper.in_brackets(Styled(paper.say(score)))
    head = Styled.assemble(symbol(result.status, paper), " ", (result.id, "bold"), sep, title, brackets)
    lines = paper.lines(head, "", "  ")
    lines += _carried(result, paper)
    said = set()
    if result.note is not None:
        said.add(result.note)
        lines += paper.lines(paper.line(result.note), "  ")
    core = [d for d in result.diagnoses if d.tier == "core"]
    edge = [d for d in result.diagnoses if d.tier != "core"]
    failed = _important([c for c in result.checks if c.outcome == "failed"])
    if not core and not edge and not failed:
        return lines + _not_run(result, paper) + _printed(result, paper)
    for diagnosis in core:
        lines += _explanation(diagnosis, failed, said, paper)
    lines += leak_map(result.leak, paper)
    lines += _next_step(core, paper)
    failed_core = [c for c in failed if c.tier == "core"]
    sure = bool(core) and all(d.confidence == "confirmed" for d in core)
    lines += _core_checks(failed_core, sure, paper)
    lines += _edges(edge, [c for c in failed if c.tier != "core"], bool(failed_core), paper)
    lines += _not_run(result, paper)
    if not core:
        lines += _next_step(edge, paper)
    return lines + _printed(result, paper)


def notes(results: Sequence[ExerciseResult], paper: Paper) -> list[Styled]:
    """What is right only on top of something that is not: a line for all exercises of which it is true."""
    told: dict[Text, list[str]] = {}
    for result in results:
        said = [_carried_words(result)] if result.carried_forward_from else []
        said += [result.note] if result.note is not None else []
        for words in said:
            told.setdefault(words, []).append(result.id)
    lines: list[Styled] = []
    for words, names in told.items():
        head = Styled.assemble((f"{', '.join(names)}  ", "bold"), paper.prose(paper.line(words)))
        lines += paper.lines(head, "", "  ")
    return [Styled(), *lines] if lines else []


def _carried_words(result: ExerciseResult) -> Text:
    end = "" if result.in_notebook else ".py"
    names = ", ".join(f"{n}{end}" for n in result.carried_forward_from)
    return Text(
        f"marked on top of your own {names}: a mistake made there costs nothing here",
        f"在你自己的 {names} 之上评分：那里的错误在此不重复扣分",
    )


def _carried(result: ExerciseResult, paper: Paper) -> list[Styled]:
    if not result.carried_forward_from:
        return []
    words = _carried_words(result)
    sentence = Text(f"{words.en[:1].upper()}{words.en[1:]}.", f"{words.zh}。")
    return paper.lines(paper.say(sentence), "  ", style="dim")


# -- diagnoses --------------------------------------------------------------------------------------


def _explanation(
    diagnosis: Diagnosis, failed: Sequence[CheckResult], said: set[Text], paper: Paper
) -> list[Styled]:
    lines = [Styled()]
    faults = diagnosis.faults
    if len(faults) > 1:
        words = counted(len(faults), "", "{n} mistakes at once:", "同时有 {n} 个错误：")
        lines += paper.lines(paper.say(words), "  ")
    for number, fault in enumerate(faults, 1):
        mark = f"{number}. " if len(faults) > 1 else ""
        lines += paper.lines(_title(fault, paper), f"  {mark}", "  " + " " * len(mark))
        explanation = paper.say(fault.explanation)
        if explanation:
            lines += paper.lines(explanation, "  " + " " * len(mark))
    if not faults:
        words = Text("None of the known mistakes explains this.", "已知的错误都不能解释这个结果。")
        lines += paper.lines(Styled(paper.say(words), "bold"), "  ")
    if diagnosis.confidence == "unrecognised":
        return lines + _divergence(diagnosis.evidence, paper)
    repeated = diagnosis.evidence in said or any(c.message == diagnosis.evidence for c in failed)
    evidence = paper.line(diagnosis.evidence).rstrip(".。")
    if evidence and not repeated and diagnosis.confidence in CONFIDENCE:
        words = CONFIDENCE[diagnosis.confidence]
        lines += paper.lines(paper.say(words).replace("{evidence}", evidence), "  ", style="dim")
    return lines


def _divergence(words: Text, paper: Paper) -> list[Styled]:
    """Where the learner's numbers leave the right ones: a sentence a line."""
    lines: list[Styled] = []
    for en, zh in zip(words.en.splitlines(), words.zh.splitlines()):
        sentence = paper.line(Text(en, zh)).rstrip(".。")
        end = "" if sentence.endswith((":", "：")) else {"zh": "。"}.get(paper.language, ".")
        lines += paper.lines(paper.prose(sentence + end), "  ", "    ")
    return lines


def _title(fault: NamedFault, paper: Paper) -> Styled:
    title = paper.prose(paper.line(fault.title).rstrip(".。"), "bold")
    return Styled.assemble(title, paper.in_brackets(paper.spot(fault.file, fault.line)))


def _edges(
    diagnoses: Sequence[Diagnosis],
    checks: Sequence[CheckResult],
    core_failed: bool,
    paper: Paper,
) -> list[Styled]:
    if not diagnoses and not checks:
        return []
    lines = [Styled()]
    count = counted(
        len(checks),
        "{n} edge check failed (costs points, not the pass)",
        "{n} edge checks failed (they cost points, not the pass)",
        "{n} 项边界检查未通过（只扣分，不影响通过）",
    )
    lines += paper.lines(Styled(paper.say(count), "bold"), "  ")
    for diagnosis in diagnoses[:SHOWN_EDGES]:
        for fault in diagnosis.faults:
            lines += paper.lines(_title(fault, paper), "    ", "    ")
            explanation = paper.say(fault.explanation)
            if explanation and not core_failed:
                lines += paper.lines(explanation, "      ")
    if len(diagnoses) > SHOWN_EDGES:
        lines += paper.lines(_more(len(diagnoses) - SHOWN_EDGES, paper), "    ")
    named = {f.id for d in diagnoses for f in d.faults}
    other = [c for c in checks if c.fault not in named]
    if core_failed:
        if not diagnoses:
            words = counted(
                len(checks),
                "Look at it again once the core checks pass.",
                "Look at them again once the core checks pass.",
                "核心检查通过之后，再来看。",
            )
            lines += paper.lines(paper.say(words), "    ", style="dim")
        return lines
    return lines + _checks(other, SHOWN_CHECKS, paper)


# -- checks -----------------------------------------------------------------------------------------


def _core_checks(checks: Sequence[CheckResult], explained: bool, paper: Paper) -> list[Styled]:
    if not checks:
        return []
    if explained:
        words = counted(
            len(checks),
            "{n} core check fails because of this",
            "{n} core checks fail because of this",
            "由此未通过的核心检查：{n} 项",
        )
    else:
        words = counted(
            len(checks), "{n} core check failed", "{n} core checks failed", "{n} 项核心检查未通过"
        )
    lines = [Styled(), *paper.lines(Styled(paper.say(words), "bold"), "  ")]
    return lines + _checks(checks, SHOWN_EXPLAINED if explained else SHOWN_CHECKS, paper)


def _checks(checks: Sequence[CheckResult], shown: int, paper: Paper) -> list[Styled]:
    lines: list[Styled] = []
    indent = "    "
    sign = f"{paper.glyphs.failed} "
    chosen = _distinct(checks)[:shown]
    for check in chosen:
        title = Styled.assemble((sign, "red"), paper.prose(paper.line(check.title)))
        lines += paper.lines(title, indent, indent + "  ")
        if check.message is not None:
            lines += paper.lines(paper.line(check.message), indent + "  ", style="dim")
    if len(checks) > len(chosen):
        lines += paper.lines(_more(len(checks) - len(chosen), paper), indent + "  ")
    return lines


def _distinct(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """One check for each thing that happened: the same exception at the same line is told once."""
    kept: dict[object, CheckResult] = {}
    for check in checks:
        known = check.fault is not None or check.line is not None
        kept.setdefault((check.fault, check.file, check.line) if known else check.id, check)
    return list(kept.values())


def _important(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The checks that weigh most come first; among equals the order of the suite."""
    return sorted(checks, key=lambda c: (c.tier != "core", -c.max_points))


def _more(number: int, paper: Paper) -> Styled:
    return Styled(paper.say(Text(f"and {number} more", f"另有 {number} 项")), "dim")


def _not_run(result: ExerciseResult, paper: Paper) -> list[Styled]:
    skipped = sum(c.outcome == "skipped" for c in result.checks)
    if not skipped or skipped == len(result.checks):
        return []
    words = counted(skipped, "{n} check was not run.", "{n} checks were not run.", "{n} 项检查没有运行。")
    return [Styled(), *paper.lines(paper.say(words), "  ", style="dim")]


# -- the learner's output, the next step ------------------------------------------------------------


def _printed(result: ExerciseResult, paper: Paper) -> list[Styled]:
    if not result.printed.strip():
        return []
    shown, left = excerpt(result.printed, SHOWN_LINES)
    lines = [
        Styled(),
        *paper.lines(Styled(paper.say(Text("Your code printed", "你的代码输出了")), "bold"), "  "),
    ]
    for words in shown:
        line = Styled.assemble(("  " + paper.glyphs.margin + " ", "dim"), words)
        line.truncate(paper.measure, overflow="crop")
        lines.append(line)
    if left:
        words_left = counted(left, "and {n} more line", "and {n} more lines", "另有 {n} 行")
        lines += paper.lines(Styled(paper.say(words_left), "dim"), "    ")
    return lines


def _next_step(diagnoses: Sequence[Diagnosis], paper: Paper) -> list[Styled]:
    hints = [f.hints[0] for d in diagnoses for f in d.faults if f.hints]
    if not hints:
        return []
    label = paper.say(Text("Next step: ", "下一步："))
    label += " " if paper.language != "zh" else ""
    words = Styled.assemble((label, "bold green"), paper.prose(paper.say(hints[0])))
    return [Styled(), *paper.lines(words, "  ")]
