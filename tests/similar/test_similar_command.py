"""`grade similar`: copies are found under their disguises, honest solutions are left alone."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.disguises import DISGUISES
from benchmarks.similar import counted, honest
from grader.cli.main import cli
from grader.course.similar.common import STORED
from grader.course.similar.find import find_similar
from grader.course.similar.lines import similar_lines
from grader.course.similar.pairs import Likeness
from grader.course.similar.records import Found, Pair, Work
from grader.reports.paper import Paper
from tests.support import ROOT, SUBMISSIONS

Call = Callable[..., Result]
SNAPSHOTS = ROOT / "tests" / "snapshots" / "similar"
EXERCISES = ("attention", "masks", "layer_norm")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_honest_solutions_are_left_alone(exercise: str) -> None:
    assert not find_similar(honest(exercise)).pairs


@pytest.mark.parametrize("name", DISGUISES)
def test_copies_are_found_under_their_disguises(name: str) -> None:
    works = honest("masks")
    for work in works[::4]:
        copy = Work("copy", work.exercise, work.name, DISGUISES[name](work.text))
        found = find_similar([*works, copy])
        assert [{p.one, p.other} for p in found.pairs] == [{"copy", work.student}] or found.ordinary


def test_what_was_given_does_not_count() -> None:
    works = honest("masks")
    copy = Work("copy", "masks", "masks.py", works[3].text)
    assert find_similar([*works, copy]).pairs
    assert not find_similar([*works, copy], [Work("lecture", "masks", "l.py", works[3].text)]).pairs


@pytest.mark.slow
def test_the_counts_are_of_these_submissions() -> None:
    """If this fails: `python -m benchmarks.similar --write`."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(counted()))


# -- the command ------------------------------------------------------------------------------------


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return lambda *words: CliRunner().invoke(cli, ["similar", *map(str, words)], prog_name="grade")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "a class"
    for place, path in enumerate(sorted((SUBMISSIONS / "masks" / "wheats").glob("*.py"))[:8]):
        (folder / f"s{place}").mkdir(parents=True)
        shutil.copy(path, folder / f"s{place}" / "masks.py")
    evil = folder / "<script>alert(1)<"
    evil.mkdir()
    text = DISGUISES["renamed"]((folder / "s5" / "masks.py").read_text())
    (evil / "masks.py").write_text(f"# <script>alert(2)</script> s5's\n{text}")
    (folder / "broken").mkdir()
    (folder / "broken" / "masks.py").write_text("def f(:\n")
    return folder


def test_page_and_json(call: Call, course: Path, tmp_path: Path) -> None:
    out = tmp_path / "similar.html"
    done = call(course, "--out", out, "--json", tmp_path / "s.json")
    assert done.exit_code == 0, done.stderr
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert [pair["students"] for pair in found["pairs"]] == [["<script>alert(1)<", "s5"]]
    page = out.read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "not a verdict" in page
    assert 'class="telling"' in page
    assert "broken: masks.py" in page


def test_an_anonymous_page_has_no_names(call: Call, course: Path, tmp_path: Path) -> None:
    out = tmp_path / "similar.html"
    done = call(course, "--out", out, "--anonymous", "--lang", "zh", "--json", "-")
    assert done.exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert "student-" in page
    for words in (page, done.stdout, done.stderr):
        assert "s5" not in words
        assert "alert(1)" not in words
        assert "alert(2)" not in words
    assert json.loads(done.stdout)["pairs"]


def test_what_is_wrong_is_one_sentence(call: Call, course: Path, tmp_path: Path) -> None:
    for words, said in (
        ([tmp_path / "nothing"], "there is no folder"),
        ([course, "--out", tmp_path / "no" / "x.html"], "cannot write"),
        ([course, "--given", tmp_path / "no"], "no such file or folder"),
    ):
        done = call(*words)
        assert done.exit_code == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def a_find() -> Found:
    rows = tuple(
        (e, Likeness(0.9, 120.0 - i)) for i, e in enumerate(("masks", "attention", "encoder", "layer_norm"))
    )
    pairs = (
        Pair("ada", "bob", rows, Likeness(0.95, 400.0)),
        Pair("ada", "a rather long name \x1b[31mof somebody", (), Likeness(0.7, 60.0)),
        Pair("cyd", "dan", rows[:1], Likeness(0.0, 0.0)),
    )
    groups = (("a rather long name \x1b[31mof somebody", "ada", "bob"), ("cyd", "dan"))
    return Found(43, pairs, groups, ("eve: masks.py",), 2, 0.65, 40.0)


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_printed(language: str, width: int) -> None:
    text = ""
    for found in (a_find(), Found(2, (), ())):
        text += (
            "".join(line.plain.rstrip() + "\n" for line in similar_lines(found, Paper(language, width)))
            + "\n"
        )
    place = SNAPSHOTS / f"lines.{language}.{width}.txt"
    if os.environ.get("GRADE_UPDATE_SNAPSHOTS"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
    assert text == place.read_text(encoding="utf-8")
