"""The kit agrees with itself: solutions, skeletons, suites, points, faults and texts."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

import pytest

from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import match
from grader.diagnosis.model import Probe, predict
from grader.exercises.registry import all_exercises, exercise, load_room, module_names
from grader.exercises.texts import FaultText, fault_text, fault_texts
from grader.text import Text
from tests.support import ROOT, Grader

POINTS = {
    "attention": 20,
    "masks": 12,
    "positional_encoding": 14,
    "multi_head_attention": 20,
    "layer_norm": 14,
    "encoder_block": 12,
    "encoder": 8,
}
HEADERS = ("def ", "class ", "from ", "import ")  # the skeleton has them as well
LONG = 25  # a line of code longer than this, found in a text, gives the solution away


def test_solutions_have_full_marks(grader: Grader) -> None:
    report = grader.folder(ROOT / "solutions")
    assert [e.id for e in report.exercises] == list(module_names())
    checks = {f"{e.id}.{c.id}": c for e in report.exercises for c in e.checks}
    assert not {name: c.message for name, c in checks.items() if c.points < c.max_points}
    assert report.passed
    assert report.score == report.max_score == 100
    assert not any(e.diagnoses or e.note or e.printed for e in report.exercises)


def test_skeletons_are_incomplete(grader: Grader) -> None:
    report = grader.folder(ROOT / "skeletons")
    assert [e.id for e in report.exercises] == list(module_names())
    assert {e.status for e in report.exercises} == {"incomplete"}
    assert report.score == 0
    for result in report.exercises:
        assert [f.id for d in result.diagnoses for f in d.faults] == ["not-implemented"]
        fault = result.diagnoses[0].faults[0]
        lines = (ROOT / "skeletons" / f"{result.id}.py").read_text(encoding="utf-8").splitlines()
        assert "raise NotImplementedError" in lines[fault.line - 1]


def test_points_add_up() -> None:
    assert {e.id: e.max_score for e in all_exercises()} == POINTS
    assert sum(POINTS.values()) == 100


@pytest.mark.parametrize("name", module_names())
def test_every_check_is_in_the_suite_and_the_other_way_round(name: str) -> None:
    found = exercise(name)
    tree = ast.parse(found.suite.read_text(encoding="utf-8"))
    suite = {
        node.name.removeprefix("test_"): ast.get_docstring(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert suite.keys() == found.checks.keys()
    for row in found.checks.values():
        assert row.tier in ("core", "edge")
        assert row.points > 0
        assert row.zh
        assert suite[row.id], f"{row.id} has no docstring, which is its title"
    assert len({row.zh for row in found.checks.values()}) == len(found.checks)


@pytest.mark.parametrize("name", module_names())
def test_skeleton_and_solution_define_the_entries(name: str) -> None:
    for folder in ("skeletons", "solutions"):
        tree = ast.parse((ROOT / folder / f"{name}.py").read_text(encoding="utf-8"))
        kinds = {
            node.name: "class" if isinstance(node, ast.ClassDef) else "function"
            for node in tree.body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))
        }
        for entry in exercise(name).entries:
            assert kinds.get(entry.name) == entry.kind


# -- texts ------------------------------------------------------------------------------------------

CHINESE = re.compile("[\u4e00-\u9fff]")


def _whole(text: FaultText) -> list[Text]:
    return [text.title, text.explanation, *text.hints]


@pytest.mark.parametrize("name", ["common", *module_names()])
def test_every_fault_has_its_texts(name: str) -> None:
    faults = list(fault_texts(name)) if name == "common" else load_room(name).catalogue.ids()
    assert faults
    assert not {fault: lacks for fault in faults if (lacks := list(_lacking(fault_text(name, fault))))}


def _lacking(text: FaultText) -> Iterator[str]:
    if len(text.hints) != 3:
        yield f"{len(text.hints)} hints"
    if "\n" in text.title.en + text.title.zh:
        yield "a title of one line"
    for part in _whole(text):
        if not part.en.strip() or CHINESE.search(part.en):
            yield f"English: {part.en!r}"
        if not CHINESE.search(part.zh):
            yield f"Chinese: {part.zh!r}"


def test_lacking_texts_are_seen() -> None:
    assert list(_lacking(FaultText(Text("a", "甲"), Text("", "乙"), ())))


@pytest.mark.parametrize("place", ["common", *module_names()])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_two_faults_read_alike(place: str, language: str) -> None:
    seen: dict[str, str] = {}
    for fault, text in fault_texts(place).items():
        for part, words in (("title", text.title), ("explanation", text.explanation)):
            sentence = words.in_(language)
            assert sentence not in seen, f"{part} of {fault} is that of {seen[sentence]}"
            seen[sentence] = fault
        ladder = [h.in_(language) for h in text.hints]
        assert len(set(ladder)) == len(ladder)


def test_no_text_gives_the_solution_away() -> None:
    lines = {
        stripped
        for path in (ROOT / "solutions").glob("*.py")
        for line in _code(path.read_text(encoding="utf-8"))
        if len(stripped := line.strip()) > LONG and not stripped.startswith(HEADERS)
    }
    assert len(lines) > 40
    given_away = [
        (place, fault, line)
        for place in ("common", *module_names())
        for fault, text in fault_texts(place).items()
        for words, line in itertools.product(_whole(text), lines)
        if line in words.en or line in words.zh
    ]
    assert not given_away


def _code(text: str) -> list[str]:
    """The lines of a file without comments and docstrings."""
    return ast.unparse(_without_docstrings(ast.parse(text))).splitlines() + [
        line.partition("  #")[0] for line in text.splitlines()
    ]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


# -- faults -----------------------------------------------------------------------------------------

MODELLED = [
    (name, fault)
    for name in module_names()
    for room in [load_room(name)]
    for fault in dict.fromkeys(f.id for m in room.models.values() for f in room.catalogue.of(m))
]
UNSEEN = {("attention", "half-precision-overflow")}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        pytest.param(*pair, marks=pytest.mark.xfail(reason="no probe shows it") if pair in UNSEEN else ())
        for pair in MODELLED
    ],
)
def test_every_fault_differs_from_right(name: str, fault: str) -> None:
    """One form of it does, in one of the models, on a probe of its tier (or one that only breaks ties)."""
    room = load_room(name)
    forms = [f for model in room.models.values() for f in room.catalogue.of(model) if f.id == fault]
    assert any(
        _differs(form, probe)
        for form in forms
        for probe in room.probes
        if probe.target == form.model.target and probe.tier in (form.tier, "tie")
    )


def _differs(fault: Fault, probe: Probe) -> bool:
    seen = predict(fault.model, probe, fault.steps).seen
    return match(predict(fault.model, probe), seen, probe) is None
