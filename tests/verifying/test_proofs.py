"""The proofs of `grade verify`: the kit passes them, and each of them can fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.diagnosis.faults import Catalogue
from grader.exercises.registry import exercise, load_room, module_names
from grader.exercises.room import Room
from grader.exercises.texts import FaultText, fault_texts
from grader.text import Text
from grader.threads import one_thread
from grader.verifying import checks, graded, pairs, singles, texts
from grader.verifying.examples import examples
from grader.verifying.records import PairFigures, Proof
from grader.verifying.run import about_checks, about_faults, about_files, about_texts, table_of
from grader.verifying.table import Table
from tests.support import ROOT, Grader

TARGETS = [(name, target) for name in module_names() for target in load_room(name).models]
POINTS = {
    "attention": 20,
    "masks": 12,
    "positional_encoding": 14,
    "multi_head_attention": 20,
    "layer_norm": 14,
    "encoder_block": 12,
    "encoder": 8,
    "tiny_transformer": 10,
    "training": 20,
}
SMALL = ("masks", "causal_mask")
DRAWN = 20  # pairs of each of these
FEW = (("masks", "apply_mask"), ("encoder_block", "FeedForward"), ("encoder_block", "EncoderBlock"))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def sentences(*proofs: Proof) -> list[str]:
    return [finding.text.en for proof in proofs for finding in proof.findings]


# -- the kit passes ---------------------------------------------------------------------------------


def test_the_solutions_and_the_skeletons(grader: Grader) -> None:
    assert not sentences(*about_files(module_names(), grader.launcher))


def test_the_points() -> None:
    assert {name: exercise(name).max_score for name in module_names()} == POINTS
    proofs = checks.marks({name: exercise(name).max_score for name in module_names()}, whole=True)
    assert not sentences(*proofs)


@pytest.mark.parametrize("name", module_names())
def test_the_checks(name: str) -> None:
    assert not sentences(*about_checks(name))


@pytest.mark.parametrize("place", ["common", *module_names()])
def test_the_texts(place: str) -> None:
    assert not sentences(about_texts(place))


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_the_faults(name: str, target: str) -> None:
    assert not sentences(*about_faults(table_of(name, target)))


def test_pairs_of_faults() -> None:
    figures = PairFigures()
    for name, target in FEW:
        table = table_of(name, target)
        figures += pairs.prove_pairs(table, pairs.sample(pairs.compatible(table), DRAWN, 1))
    assert figures.tried == DRAWN * len(FEW)
    assert not sentences(pairs.judged("masks", figures)), figures.missed


# -- and could fail ---------------------------------------------------------------------------------


def test_a_wrong_solution_is_seen(grader: Grader) -> None:
    right = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8")
    wrong = grader.text("attention", right.replace("math.sqrt(d_k)", "d_k") + "\nprint('!')\n")
    said = " ".join(sentences(graded.solution(wrong)))
    for part in ("loses points in scales_by_sqrt_d_k", "is not passed", "prints something"):
        assert part in said
    assert sentences(graded.skeleton(wrong, right))


def test_a_skeleton_without_an_entry_is_seen() -> None:
    found = exercise("masks")
    text = (ROOT / "skeletons" / "masks.py").read_text(encoding="utf-8")
    assert not sentences(graded.entries(found, {"skeleton": text}))
    assert sentences(graded.entries(found, {"skeleton": text.replace("def causal_mask", "def other")}))


def test_a_check_that_is_not_entered_is_seen() -> None:
    found = exercise("masks")
    suite = found.suite.read_text(encoding="utf-8")
    assert not sentences(checks.checks(found, suite))
    assert sentences(checks.checks(found, f'{suite}\ndef test_more(lab):\n    """More"""\n'))


def test_points_that_do_not_add_up_are_seen() -> None:
    assert sentences(*checks.marks(dict.fromkeys(module_names(), 1.0), whole=True))


def test_a_fault_that_no_check_names_is_seen() -> None:
    assert sentences(checks.raised("masks", ["never-named"], "x = 1")) == [
        "never-named is left to the checks (`by_check`), and no check names it"
    ]
    assert not sentences(checks.raised("masks", ["told"], "lab.fail('a', 'b', fault='told')"))


def test_a_fault_without_an_example_is_seen() -> None:
    assert sentences(examples("masks", ["no-example"], []))
    assert examples("masks", ["no-example"], None).note is not None


def test_lacking_texts_are_seen() -> None:
    whole = next(iter(fault_texts("attention").values()))
    code = {"weights = scores.softmax(dim=-1)"}
    for doctored in (
        replace(whole, hints=whole.hints[:2]),
        replace(whole, title=Text("", whole.title.zh)),
        replace(whole, explanation=Text(whole.explanation.en, "English")),
        replace(whole, explanation=Text("weights = scores.softmax(dim=-1)", whole.explanation.zh)),
    ):
        assert sentences(texts.texts("attention", {"a": doctored}, ["a"], code))
    assert sentences(texts.texts("attention", {"a": whole, "b": whole}, ["a", "b"], code))
    assert not sentences(texts.texts("attention", {"a": whole}, ["a"], code))
    assert isinstance(whole, FaultText)


def doctored(*added: str) -> Table:
    """A small model with further faults: ``same`` as one that is there, or one that does ``nothing``."""
    room = load_room(SMALL[0])
    model = room.models[SMALL[1]]
    catalogue = Catalogue()
    catalogue.faults = list(room.catalogue.faults)
    first = next(f for f in catalogue.faults if f.model is model and f.tier == "core")
    if "same" in added:
        catalogue.faults.append(replace(first, id="another-name"))
    if "nothing" in added:
        step = first.primary
        catalogue.replaces(model, step, id="does-nothing")(model.steps[step])
    return Table(Room(room.id, room.models, catalogue, room.probes, room.outputs), model)


def test_faults_that_are_one_are_seen() -> None:
    table = doctored("same")
    assert any("another-name" in s for s in sentences(singles.apart(table)))
    assert any("another-name" in s for s in sentences(singles.recognised(table)))
    table.room.catalogue.same(next(iter(table.faults)).id, "another-name", Text("said", "说"))
    assert not sentences(singles.apart(table))


def test_an_idle_declaration_is_seen() -> None:
    table = doctored()
    ids = list(dict.fromkeys(f.id for f in table.faults if f.tier == "core"))
    table.room.catalogue.same(ids[0], ids[1], Text("said", "说"))
    assert any("declared the same" in s for s in sentences(singles.apart(table)))


def test_a_fault_that_shows_nowhere_is_seen() -> None:
    assert any("does-nothing" in s for s in sentences(singles.visible(doctored("nothing"))))


def test_too_few_pairs_are_seen() -> None:
    missed = {(("a", "b"), None): 2}
    assert sentences(pairs.judged("masks", PairFigures(possible=9, tried=9, exact=7, missed=missed)))
    assert not sentences(pairs.judged("masks", PairFigures(possible=9, tried=9, exact=9)))
