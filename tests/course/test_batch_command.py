"""`grade batch` as its user calls it, with graders that only look at words; and kill -9 at any moment."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from benchmarks.interrupted import done, group_is_gone
from grader.cli.main import cli
from grader.cli.progress import pace
from grader.course.outputs import file_names
from tests.reports.test_schema import REPORT
from tests.support import ROOT, SUBMISSIONS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks")
RULES = 'exercises = ["attention"]\n'


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Runs `grade batch` in an empty folder; no zygote, and graders that only look at words."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grader.course.local.Zygotes", FakeZygotes)
    return lambda *words: CliRunner().invoke(cli, ["batch", *map(str, words)], prog_name="grade")


class FakeZygotes:
    """Gives sessions that grade nothing; `LAYERS` is what confines them."""

    LAYERS: tuple[str, ...] = ("landlock", "seccomp")

    def __init__(self, *arguments: object) -> None:
        from tests.course.test_runner import FakeMaker

        self.maker = FakeMaker

    def warm(self) -> None:
        return

    def layers(self) -> tuple[str, ...]:
        return self.LAYERS

    def make(self, number: int, kept: object = None) -> object:
        return self.maker(float(os.environ.get("FAKE_SECONDS", "0")) if number else 0.0)

    def __enter__(self) -> FakeZygotes:
        return self

    def __exit__(self, *error: object) -> None:
        return


@pytest.fixture(autouse=True)
def no_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake session passes everything, so that the guard against that would stop it."""
    monkeypatch.setattr("grader.course.local.check_marks", lambda settings, session: None)


def a_class(folder: Path, *texts: str) -> Path:
    for number, text in enumerate(texts):
        place = folder / f"s{number:02d}"
        place.mkdir(parents=True)
        (place / "attention.py").write_text("#\n" * 6 + f"x = '{text}'\n", encoding="utf-8")
    return folder


def sheet(path: Path) -> dict[str, str]:
    """Student to final mark."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len({r["student"] for r in rows}) == len(rows)
    return {r["student"]: r["final"] for r in rows}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "course.toml"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_everything_is_written(call: Callable[..., Result], tmp_path: Path, rules: Path) -> None:
    a_class(tmp_path / "my class", "right", "wrong", "right")
    (tmp_path / "my class" / "notes.pdf").write_text("x")
    ran = call("my class", "--course", rules, "--jobs", 2)
    assert ran.exit_code == 0, ran.output
    out = tmp_path / "my class-marks"
    assert sheet(out / "marks.csv") == {"s00": "20", "s01": "18", "s02": "20"}
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        jsonschema.validate(line, REPORT)
    assert [(r["submission"], r["score"]) for r in lines] == [("s00", 20), ("s01", 18), ("s02", 20)]
    assert sorted(p.name for p in (out / "feedback").iterdir()) == [
        f"s0{n}.{kind}" for n in range(3) for kind in ("html", "md")
    ]
    assert "x = &#39;wrong&#39;" in (out / "feedback" / "s01.html").read_text(encoding="utf-8")
    assert "3 submissions, 3 graded now" in ran.output
    assert "left aside, as no submissions: notes.pdf" in ran.output
    assert (out / "class.html").is_file()


def test_the_way_back_from_a_pseudonym_is_as_documented(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    a_class(tmp_path / "submissions", "right", "wrong")
    assert call("submissions", "--course", rules, "--anonymous").exit_code == 0
    text = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    back = dict(line.split() for line in done.stdout.splitlines())
    assert set(back.values()) == {"s00", "s01"}
    page = (tmp_path / "submissions-marks" / "class.html").read_text(encoding="utf-8")
    assert all(name in page for name in back)
    places = [page.index(f"<strong>{name}") for name in sorted(back)]
    assert places == sorted(places)
    assert "s00" not in page


def test_submissions_are_compared(call: Callable[..., Result], tmp_path: Path, rules: Path) -> None:
    """With the same pseudonyms as in the class report; and only where it is asked for."""
    place = tmp_path / "c"
    for number, path in enumerate(sorted((SUBMISSIONS / "attention" / "wheats").glob("*.py"))[:6]):
        for student in ("ada", "bob") if number == 3 else (f"s{number}",):
            (place / student).mkdir(parents=True)
            (place / student / "attention.py").write_bytes(path.read_bytes())
    page = tmp_path / "c-marks" / "similar.html"
    assert "compared" not in call("c", "--course", rules).output
    assert not page.exists()
    ran = call("c", "--course", rules, "--similar")
    assert ran.exit_code == 0
    assert "0 graded now" in ran.output
    assert "7 submissions compared, 2 of them are alike in groups" in ran.output
    assert "ada – bob: attention 100%" in ran.output
    assert "The pairs are side by side in c-marks/similar.html." in ran.output
    assert page.read_text(encoding="utf-8").count("ada") > 1
    ran = call("c", "--course", rules, "--similar", "--anonymous", "--lang", "zh")
    names = re.findall(r"student-\w+", ran.output.split("比较了 7 份提交")[1])
    assert len(set(names)) == 2
    assert all(n in (tmp_path / "c-marks" / "class.html").read_text(encoding="utf-8") for n in names)
    shown = page.read_text(encoding="utf-8")
    assert all(n in shown for n in names)
    assert "ada" not in shown


def test_what_is_unchanged_is_not_graded_again(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    a_class(tmp_path / "c", "right", "wrong")
    assert "2 graded now" in call("c", "--course", rules).output
    assert "0 graded now" in call("c", "--course", rules).output
    rules.write_text(RULES + "round_to = 1\n[points]\nattention = 10\n", encoding="utf-8")
    assert "0 graded now" in call("c", "--course", rules).output  # rules grade nothing anew
    assert sheet(tmp_path / "c-marks" / "marks.csv") == {"s00": "10", "s01": "9"}
    (tmp_path / "c" / "s01" / "attention.py").write_text("x = 'better'\n")
    assert "1 graded now" in call("c", "--course", rules).output
    assert sheet(tmp_path / "c-marks" / "marks.csv") == {"s00": "10", "s01": "10"}
    assert "2 graded now" in call("c", "--course", rules, "--again").output


def test_a_fault_of_the_kit_is_told_and_tried_again(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    a_class(tmp_path / "c", "right", "raise")
    ran = call("c", "--course", rules)
    assert ran.exit_code == 1
    assert "1 has no mark: its remark in marks.csv" in re.sub(r"\s+", " ", ran.output)
    assert sheet(tmp_path / "c-marks" / "marks.csv") == {"s00": "20", "s01": ""}
    page = (tmp_path / "c-marks" / "feedback" / "s01.md").read_text(encoding="utf-8")
    assert "no points are lost" in page
    assert "0 graded now" in call("c", "--course", rules).output


def test_what_was_left_aside_is_in_the_remarks_and_a_question_is_no_zero(
    call: Callable[..., Result], tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is counted, on the way and at the end, is people."""
    monkeypatch.setattr("grader.cli.progress.LINE_SECONDS", 0.0)
    files = {
        "hw1-ada/attention.py": "x = 1",
        "hw1-bob/attention (1).py": "x = 2",
        "hw1-bob/notes.py": "x = 2",
        "hw1-cy/a/attention.py": "x = 3",
        "hw1-cy/b/attention.py": "x = 4",
        "hw1-dee/attention.zip": "no zip",
        "hw1-eve/readme.md": "",
        "hw1-fay/attention.py": "x = 1",
    }
    for name, text in files.items():
        (tmp_path / "c" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "c" / name).write_text(text, encoding="utf-8")
    ran = call("c", "--course", rules)
    assert ran.exit_code == 1
    with (tmp_path / "c-marks" / "marks.csv").open(encoding="utf-8") as file:
        rows = {r["student"]: (r["final"], r["status"], r["remarks"]) for r in csv.DictReader(file)}
    assert rows["ada"] == rows["fay"] == ("20", "graded", "")
    assert rows["bob"] == ("20", "graded", "attention (1).py is graded as attention.py")
    assert rows["cy"][:2] == rows["dee"][:2] == ("", "could not be graded")
    assert "a/attention.py, b/attention.py" in rows["cy"][2]
    assert "attention.zip is no zip, or is damaged" in rows["dee"][2]
    assert rows["eve"][:2] == ("0", "nothing to grade")
    assert rows["eve"][2].endswith("(readme.md): expected any of attention.py")
    assert "6 submissions, 3 graded now" in ran.output
    assert "student ids: the names without hw1-" in ran.stderr
    for stage, count in (("reading", 6), ("grading", 6), ("writing", 12)):
        assert re.findall(rf"{stage} (\d+/\d+)", ran.stderr)[-1] == f"{count}/{count}"
    assert "学号：去掉 hw1- 后的名字" in call("c", "--course", rules, "--lang", "zh").stderr


def test_one_student_for_two_entries_is_a_wrong_mapping(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    a_class(tmp_path / "c", "right", "wrong")
    (tmp_path / "who.csv").write_text("submission,student\ns00,7\ns01,7\n", encoding="utf-8")
    ran = call("c", "--course", rules, "--mapping", "who.csv")
    assert ran.exit_code == 2
    assert "who.csv, rows 2 (s00), 3 (s01): all are given to 7" in " ".join(ran.output.split())


def test_a_folder_whose_name_is_no_text(call: Callable[..., Result], tmp_path: Path, rules: Path) -> None:
    (tmp_path / "c").mkdir()
    odd = os.fsencode(tmp_path / "c") + b"/caf\xe9\x1b[2J"
    os.mkdir(odd)
    with open(odd + b"/attention.py", "w") as file:
        file.write("x = 1")
    ran = call("c", "--course", rules)
    assert ran.exit_code == 0, ran.output
    assert sheet(tmp_path / "c-marks" / "marks.csv") == {"caf?": "20"}


def test_json_and_csv_to_the_output(call: Callable[..., Result], tmp_path: Path, rules: Path) -> None:
    a_class(tmp_path / "c", "right")
    ran = call("c", "--course", rules, "--json", "-")
    assert json.loads(ran.stdout)["submission"] == "s00"
    ran = call("c", "--course", rules, "--csv", "-", "--json", "lines.jsonl")
    assert ran.stdout.startswith("student,name,attention,total")
    assert json.loads((tmp_path / "lines.jsonl").read_text())["score"] == 20
    assert call("c", "--csv", "-", "--json", "-").exit_code == 2


def one_student(folder: Path) -> None:
    folder.mkdir()
    (folder / "ann.py").write_text("x = 1\n", encoding="utf-8")


def test_tables_go_into_pipes_and_behind_links(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    one_student(tmp_path / "class")
    (tmp_path / "real.csv").write_text("old", encoding="utf-8")
    (tmp_path / "link.csv").symlink_to("real.csv")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    ran = call("class", "--course", rules, "--csv", "link.csv", "--json", "pipe")
    assert ran.exit_code in (0, 1), ran.output
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text(encoding="utf-8").startswith("student,")
    assert (tmp_path / "pipe").is_fifo()
    assert json.loads(os.read(reader, 1 << 20).splitlines()[0])
    os.close(reader)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--csv", "same", "--json", "same"), "both name same"),
        (("--csv", "course.toml"), "both name course.toml"),
        (("--csv", "class-marks/store.sqlite"), "holds the results of this course"),
        (("--json", "class-marks/exercises.sqlite-wal"), "holds the results of this course"),
        (("--csv", "class/marks.csv"), "among the submissions"),
        (("--out", "afile"), "afile is a file"),
    ],
)
def test_no_output_takes_the_place_of_something_else(
    call: Callable[..., Result], tmp_path: Path, rules: Path, words: tuple[str, ...], said: str
) -> None:
    one_student(tmp_path / "class")
    rules = rules.rename(tmp_path / "course.toml")
    (tmp_path / "afile").write_text("mine", encoding="utf-8")
    (tmp_path / "class-marks").mkdir()
    ran = call("class", "--course", "course.toml", *words)
    assert ran.exit_code == 2
    assert said in re.sub(r"\s+", " ", ran.output)
    assert rules.read_text(encoding="utf-8") == RULES
    assert (tmp_path / "afile").read_text(encoding="utf-8") == "mine"


def test_pages_of_students_who_are_gone_go_too(
    call: Callable[..., Result], tmp_path: Path, rules: Path
) -> None:
    one_student(tmp_path / "class")
    (tmp_path / "class" / "bob.py").write_text("x = 2\n", encoding="utf-8")
    feedback = tmp_path / "class-marks" / "feedback"
    call("class", "--course", rules)
    (feedback / "mine.html").write_text("kept", encoding="utf-8")
    assert (feedback / "bob.html").exists()
    (tmp_path / "class" / "bob.py").unlink()
    call("class", "--course", rules)
    assert sorted(p.name for p in feedback.iterdir()) == ["ann.html", "ann.md", "mine.html"]


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1"])
def test_limits_are_numbers(call: Callable[..., Result], tmp_path: Path, value: str) -> None:
    one_student(tmp_path / "class")
    ran = call("class", "--call-seconds", value)
    assert ran.exit_code == 2
    assert "--call-seconds" in ran.output


def test_weak_isolation_is_refused_unless_told(
    call: Callable[..., Result], tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeZygotes, "LAYERS", ("limits",))
    a_class(tmp_path / "c", "right")
    ran = call("c", "--course", rules)
    assert ran.exit_code == 2
    assert "not confined well enough" in ran.output
    assert "--allow-weak-isolation" in ran.output
    assert call("c", "--course", rules, "--allow-weak-isolation").exit_code == 0


def test_a_template_of_the_rules(call: Callable[..., Result], tmp_path: Path) -> None:
    assert call("--write-course", "new.toml").exit_code == 0
    before = (tmp_path / "new.toml").read_text(encoding="utf-8")
    ran = call("--write-course", "new.toml")
    assert ran.exit_code == 2
    assert "stays as it is" in ran.output
    assert (tmp_path / "new.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the folder"),
        (["nowhere"], "there is no folder nowhere"),
        (["c", "--course", "none.toml"], "none.toml cannot be read"),
        (["c", "--out", "c/out"], "lies inside c"),
        (["c", "--json", "no/where.jsonl"], "there is no folder"),
        (["c", "--mapping", "none.csv"], "none.csv cannot be read"),
        (["c", "--out", "file"], "file is a file"),
    ],
)
def test_bad_input_is_one_sentence(
    call: Callable[..., Result], tmp_path: Path, words: list[str], said: str
) -> None:
    a_class(tmp_path / "c", "right")
    (tmp_path / "file").write_text("x")
    ran = call(*words)
    assert ran.exit_code == 2, ran.output
    assert said in ran.output
    assert "Traceback" not in ran.output


def test_anonymous(call: Callable[..., Result], tmp_path: Path, rules: Path) -> None:
    a_class(tmp_path / "c", "right", "wrong")
    assert call("c", "--course", rules, "--anonymous").exit_code == 0
    page = (tmp_path / "c-marks" / "class.html").read_text(encoding="utf-8")
    assert "s00" not in page
    assert "student-" in page


def test_files_are_named_after_students_whatever_they_are_called() -> None:
    odd = ["a", "A", "../../etc/passwd", "con", "", "x" * 300, "a/b", "a\\b", "学生", ".x", "a b"]
    names = file_names(odd)
    assert len({n.lower() for n in names.values()}) == len(odd)
    for name in names.values():
        assert name
        assert not set(name) & set('/\\:*?"<>|\0 ')
        assert not name.startswith(".")
        assert len(name) < 100
    assert names["学生"] == "学生"


@pytest.mark.parametrize(
    ("done", "seconds", "words"),
    [
        (0, 5.0, ""),
        (50, 10.0, "5.0/s, 0:10 left"),
        (10, 3600.0, "0.00/s, 9:00:00 left"),
        (1, 4.0, "0.25/s, 6:36 left"),
    ],
)
def test_the_pace(done: int, seconds: float, words: str) -> None:
    assert pace(done, 100, seconds, "en") == words


# -- ended from outside -----------------------------------------------------------------------------

PROGRAM = """
import sys
from unittest import mock
from tests.course.test_batch_command import FakeZygotes
from grader.cli.main import main
sys.argv = ["grade", "batch", *sys.argv[1:]]
with mock.patch("grader.course.local.Zygotes", FakeZygotes):
    with mock.patch("grader.course.local.check_marks", lambda settings, session: None):
        main()
"""


@pytest.fixture
def begin(tmp_path: Path, rules: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts the command in a process of its own."""
    begun: list[subprocess.Popen[str]] = []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FAKE_SECONDS": "0.05", "LC_ALL": "C.UTF-8"}

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", PROGRAM, "c", "--course", str(rules), "--jobs", "2"]
        begun.append(
            subprocess.Popen(
                words,
                cwd=tmp_path,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        )
        return begun[-1]

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def wait_for(number: int, tmp_path: Path, process: subprocess.Popen[str]) -> None:
    while done(tmp_path / "c-marks") < number:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.01)


def test_killed_three_times_nothing_is_lost_or_doubled(
    begin: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    a_class(tmp_path / "c", *("wrong" + str(n) if n % 3 else "right" + str(n) for n in range(24)))
    for number in (3, 9, 15):
        process = begin()
        wait_for(number, tmp_path, process)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert group_is_gone(process.pid)
        assert done(tmp_path / "c-marks") >= number
    kept = done(tmp_path / "c-marks")
    process = begin()
    said, _ = process.communicate()
    assert process.returncode == 0, said
    assert f"24 submissions, {24 - kept} graded now" in said
    marks = sheet(tmp_path / "c-marks" / "marks.csv")
    assert marks == {f"s{n:02d}": "18" if n % 3 else "20" for n in range(24)}


def test_ctrl_c_says_how_to_go_on(begin: Callable[[], subprocess.Popen[str]], tmp_path: Path) -> None:
    a_class(tmp_path / "c", *(f"right{n}" for n in range(24)))
    process = begin()
    wait_for(3, tmp_path, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everyone
    said, _ = process.communicate()
    assert process.returncode == 130, said
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert group_is_gone(process.pid)
    assert 3 <= done(tmp_path / "c-marks") < 24
