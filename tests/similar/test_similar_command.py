"""`grade similar`: copies are found under their disguises, honest solutions are left alone."""

from __future__ import annotations

import json
import os
import re
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
from grader.course.similar.records import Found, Missed, Pair, Work
from grader.course.similar.veiled import veiled
from grader.data import solution_folder
from grader.reports.paper import Paper
from grader.text import Text
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
    assert "<code>broken</code>: masks.py is no Python" in page
    assert f"The pairs are side by side in {out}." in " ".join(done.output.split())


def test_an_anonymous_page_has_no_names(call: Call, course: Path, tmp_path: Path) -> None:
    out = tmp_path / "similar.html"
    done = call(course, "--out", out, "--anonymous", "--lang", "zh", "--json", "-")
    assert done.exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert "student-" in page
    for words in (page, done.stdout, done.stderr):
        assert "s5" not in re.sub(r"student-\w+", "", words)  # a pseudonym may happen to hold it
        assert "alert(1)" not in words
        assert "alert(2)" not in words
    assert json.loads(done.stdout)["pairs"]


def test_who_was_not_compared_is_named(call: Call, course: Path, tmp_path: Path) -> None:
    """A copy may be among those that cannot be read."""
    shutil.rmtree(course / "<script>alert(1)<")
    for name, data in {
        "gbk/masks.py": "# 掩码\nx = 1\n".encode("gbk"),
        "empty/masks.py": b"",
        "words/masks.py": b"# later\n",
        "half/masks.py": b"x = (\n",
        "half/attention.py": (solution_folder() / "attention.py").read_bytes(),
        "essay/essay.pdf": b"%PDF",
        "packed.rar": b"Rar!",
    }.items():
        place = course / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    out = tmp_path / "similar.html"
    done = call(course, "--out", out, "--json", tmp_path / "s.json")
    assert done.exit_code == 0, done.stderr
    said = " ".join(done.output.split())
    assert said.startswith("9 of 15 submissions compared")
    assert "Not compared: 2 submissions and 5 files" in said
    assert f"The report is in {out}." in said
    assert "side by side" not in said
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert (found["submissions"], found["handed_in"]) == (9, 15)
    told = {one["student"]: one["why"] for one in found["not_compared"]}
    assert told.keys() == {"broken", "empty", "essay", "gbk", "half", "packed", "words"}
    for student, why in {"gbk": "looks like GBK", "empty": "holds no code", "packed": ".rar"}.items():
        assert why in told[student]
        assert student in out.read_text(encoding="utf-8")


def test_the_order_of_an_anonymous_page_tells_no_names() -> None:
    """Neither of pairs that are equally alike, nor within a pair, nor of groups of one size."""
    names = [f"s{n}" for n in range(6)]
    rows = (("masks", Likeness(0.9, 99.0)),)
    pairs = tuple(Pair(a, b, rows, Likeness(0.0, 0.0)) for a, b in zip(names[::2], names[1::2]))
    found = Found(6, pairs, tuple((p.one, p.other) for p in pairs), (Missed("s1", "s1.py", Text("", "")),))
    new = {name: f"student-{9 - n}" for n, name in enumerate(names)}
    seen = veiled(found, new, dict.fromkeys(names))
    assert [(p.one, p.other) for p in seen.pairs] == sorted(
        (new[b], new[a]) for a, b in zip(names[::2], names[1::2])
    )
    assert list(seen.clusters) == sorted(seen.clusters)
    assert "s1" not in f"{seen.missed}"


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
    missed = (
        Missed("eve", "masks.py", Text("masks.py is no Python", "masks.py 不是有效的 Python")),
        Missed("fay", None, Text("fay.rar is packed", "fay.rar 是压缩包")),
    )
    return Found(43, pairs, groups, missed, 2, 0.65, 40.0, handed=44)


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
