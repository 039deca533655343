"""Whose submission is what, in the layouts of the platforms."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from benchmarks.simulated_class import LAYOUTS, make_class
from grader.course.contents import read_contents
from grader.course.intake import find_submissions, survey
from grader.errors import UsageError

CODE = "x = 1\n"


def put(folder: Path, *names: str) -> Path:
    """Files (or, with a slash at the end, folders) with something in them."""
    for name in names:
        place = folder / name
        if name.endswith("/"):
            place.mkdir(parents=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(CODE, encoding="utf-8")
    return folder


def students(folder: Path, mapping: Path | None = None) -> list[str]:
    return [h.student for h in find_submissions(folder, mapping)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_every_student_with_the_same_files(tmp_path: Path, layout: str) -> None:
    made = make_class(tmp_path / "reference", 25, exercises=("masks",))
    make_class(tmp_path / layout / "x", 25, layout=layout, exercises=("masks",))
    found = find_submissions(tmp_path / layout / "x")
    assert [h.student for h in found] == list(made)
    plain = {h.student: read_contents(h).files for h in find_submissions(tmp_path / "reference")}
    assert {h.student: read_contents(h).files for h in found} == plain


def test_moodle(tmp_path: Path) -> None:
    put(
        tmp_path,
        "Name Of One_11_assignsubmission_file_/masks.py",
        "Name_Of Two_12_assignsubmission_file_masks.py",
        "Name_Of Two_12_assignsubmission_file_attention.py",
        "Name Of One_11_assignsubmission_onlinetext_onlinetext.html",
    )
    one, two = find_submissions(tmp_path)
    assert (one.student, one.name, one.kind) == ("11", "Name Of One", "folder")
    assert (two.student, two.name) == ("12", "Name_Of Two")
    assert [name for name, _ in read_contents(two).files] == ["attention.py", "masks.py"]


def test_canvas(tmp_path: Path) -> None:
    put(
        tmp_path,
        "onename_21_901_attention.py",
        "onename_21_902_masks-3.py",
        "twoname_LATE_22_903_my_file.ipynb",
    )
    one, two = find_submissions(tmp_path)
    assert [name for name, _ in read_contents(one).files] == ["attention.py", "masks.py"]
    assert (one.marked_late, two.marked_late) == (False, True)
    assert two.parts[0][0] == "my_file.ipynb"


def test_gradescope_gives_names_times_and_groups(tmp_path: Path) -> None:
    put(tmp_path, "submission_1/attention.py", "submission_2/attention.py", "submission_3/attention.py")
    (tmp_path / "submission_metadata.yml").write_text(
        "---\nsubmission_1:\n  :submitters:\n  - :name: One Name\n    :sid: '0031'\n    :email: one@x.org\n"
        "  - :name: Two Name\n    :email: two@x.org\n  :created_at: 2027-03-01 10:00:00.123456 Z\n"
        "submission_2:\n  :created_at: 2027-03-02 10:00:00 +02:00\n",
        encoding="utf-8",
    )
    found = {h.student: h for h in find_submissions(tmp_path)}
    assert sorted(found) == ["0031", "submission_2", "submission_3", "two@x.org"]
    assert found["0031"].name == "One Name"
    at = found["two@x.org"].handed_at
    assert at is not None
    assert at.replace(microsecond=0) == datetime(2027, 3, 1, 10, tzinfo=timezone.utc)
    assert found["submission_2"].handed_at == datetime(2027, 3, 2, 8, tzinfo=timezone.utc)


@pytest.mark.parametrize("text", ["[1, 2", "just words", "!!python/object/apply:os.system ['true']"])
def test_metadata_that_is_none(tmp_path: Path, text: str) -> None:
    put(tmp_path, "submission_1/attention.py")
    (tmp_path / "submission_metadata.yml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="submission_metadata"):
        find_submissions(tmp_path)


@pytest.mark.parametrize(
    ("folders", "ids"),
    [
        (["hw1-one", "hw1-two-x"], ["one", "two-x"]),
        (["week-3-task-one", "week-3-task-two"], ["one", "two"]),
        (["team-red", "team-blue"], ["team-blue", "team-red"]),  # nothing says that it is a prefix
        (["hw1-one", "other"], ["hw1-one", "other"]),
        (["final-project-ada", "final-project-bob"], ["ada", "bob"]),
        (["lab-attention-ada", "lab-attention-bob"], ["ada", "bob"]),
        (["assignment-ada", "assignment-bob"], ["ada", "bob"]),
        (["hw1-ann-lee", "hw1-ann-bo"], ["ann-bo", "ann-lee"]),  # `ann-` may be a part of the logins
        (["hw-1-ada", "hw-1-bob", "hw-1-cy", "hw1-dee"], ["ada", "bob", "cy", "hw1-dee"]),
        (["nlp-ada", "nlp-bob", "nlp-cy", "nlp-dee", "nlp-eve"], ["ada", "bob", "cy", "dee", "eve"]),
        (["2027-0001", "2027-0002"], ["2027-0001", "2027-0002"]),
        (["nlp-hw2-ada", "nlp-hw2-bob"], ["ada", "bob"]),
        (["hw1-one"], ["hw1-one"]),
    ],
)
def test_github_classroom(tmp_path: Path, folders: list[str], ids: list[str]) -> None:
    put(tmp_path, *(f"{f}/attention.py" for f in folders))
    assert students(tmp_path) == ids


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        (["hw1-ada", "hw1-bob"], "student ids: the names without hw1-; --mapping gives others"),
        (
            ["hw-1-ada", "hw-1-bob", "hw-1-cy", "hw1-dee"],
            "student ids: the names without hw-1- (whole: hw1-dee); --mapping gives others",
        ),
        (["ann-lee", "ann-bo"], "student ids: the whole names, ann- included; --mapping gives others"),
        (["ada", "bob"], None),
        (["ada-lee", "bob"], None),
    ],
)
def test_how_ids_are_read_is_said(tmp_path: Path, folders: list[str], words: str | None) -> None:
    put(tmp_path, *(f"{f}/attention.py" for f in folders))
    ids = survey(tmp_path).ids
    assert (ids.en if ids is not None else None) == words
    assert ids is None or "学号" in ids.zh


def test_a_repository_inside_tells_the_prefix(tmp_path: Path) -> None:
    put(tmp_path, "team-red/attention.py", "team-blue/attention.py", "team-red/.git/config")
    assert students(tmp_path) == ["blue", "red"]


def test_plain_entries_and_what_is_left_aside(tmp_path: Path) -> None:
    put(
        tmp_path, "a/attention.py", "b.zip", "c.py", "d.ipynb", "e.rar", "grades.csv", ".hidden/", "__MACOSX/"
    )
    found = survey(tmp_path)
    assert [(h.student, h.kind) for h in found.handed] == [
        ("a", "folder"),
        ("b", "zip"),
        ("c", "file"),
        ("d", "notebook"),
        ("e", "file"),
    ]
    assert found.ignored == ["grades.csv"]
    packed = found.handed[-1].problem
    assert packed is not None
    assert ".rar" in packed.en


def test_two_entries_of_one_student_are_no_choice_of_ours(tmp_path: Path) -> None:
    put(tmp_path, "a/attention.py", "a.zip", "b/attention.py")
    one, two = find_submissions(tmp_path)
    assert one.problem is not None
    assert "a, a.zip" in one.problem.en
    assert two.problem is None


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["attention.py", "masks.py"], "looks like one submission"),
        (["notes.txt"], "no submissions in"),
        ([], "no submissions in"),
    ],
)
def test_a_folder_that_is_no_class(tmp_path: Path, names: list[str], words: str) -> None:
    put(tmp_path, *names)
    with pytest.raises(UsageError, match=words):
        find_submissions(tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        find_submissions(tmp_path / "nowhere")
    put(tmp_path, "file.zip")
    with pytest.raises(UsageError, match="is a file"):
        find_submissions(tmp_path / "file.zip")


# -- the mapping ------------------------------------------------------------------------------------


def mapped(tmp_path: Path, text: str) -> Path:
    table = tmp_path / "who.csv"
    table.write_text(text, encoding="utf-8")
    return table


def test_a_mapping_names_those_that_it_holds(tmp_path: Path) -> None:
    folder = put(tmp_path / "in", "final version/attention.py", "x.zip", "c/attention.py", "attention.py")
    table = mapped(
        tmp_path,
        "\ufeffsubmission;student;name;handed_at\nfinal version;41;One;2027-03-01T18:30+01:00\n\n"
        "x.zip;42;;2027-03-02 10:00\nattention.py;43;;\n",
    )
    found = {h.student: h for h in find_submissions(folder, table)}
    assert sorted(found) == ["41", "42", "43", "c"]
    assert found["41"].name == "One"
    assert found["41"].handed_at == datetime(2027, 3, 1, 17, 30, tzinfo=timezone.utc)
    assert found["42"].handed_at == datetime(2027, 3, 2, 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "row 1: the column submission is missing"),
        ("submision,student\n", "row 1: no column is called 'submision'; did you mean submission?"),
        ("submission,student,student\n", "row 1: a column is there twice"),
        ("submission,student\na,1\nab,2\n", "row 3: there is no submission 'ab'"),
        ("submission,student\na,1\na,2\n", "row 3: a is in the table twice"),
        ("submission,student\na,\n", "row 2: student is empty"),
        ("submission,student\n,1\n", "row 2: submission is empty"),
        ("submission,student\na,1,2\n", "row 2: it has 3 cells"),
        ("submission,student,handed_at\na,1,yesterday\n", "row 2: 'yesterday' is no time"),
        ("submission,student,handed_at\na,1,2027-03-01\n", "row 2: '2027-03-01' is a day without an hour"),
        ("submission,student\na,1\n\nb,1\n", "rows 2 (a), 4 (b): all are given to 1"),
    ],
)
def test_a_wrong_mapping_says_where(tmp_path: Path, text: str, words: str) -> None:
    folder = put(tmp_path / "in", "a/attention.py", "b/attention.py")
    with pytest.raises(UsageError) as caught:
        find_submissions(folder, mapped(tmp_path, text))
    assert f"who.csv, {words}" in caught.value.text.en


def test_files_that_belong_together_may_have_one_student(tmp_path: Path) -> None:
    one, two = "lovelaceada_1_20_attention.py", "lovelaceada_2_21_masks.py"
    folder = put(tmp_path / "in", one, two)
    (found,) = find_submissions(folder, mapped(tmp_path, f"submission,student\n{one},7\n{two},7\n"))
    assert sorted(name for name, _ in found.parts) == ["attention.py", "masks.py"]


def test_a_mapping_that_cannot_be_read(tmp_path: Path) -> None:
    folder = put(tmp_path / "in", "a/attention.py")
    with pytest.raises(UsageError, match="cannot be read"):
        find_submissions(folder, tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("submission,student\na,Zo\xeb\n".encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8"):
        find_submissions(folder, tmp_path / "latin.csv")
