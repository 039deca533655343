"""Which files count, where exercises are there twice, under other names, or in zips."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.data import skeleton_folder
from grader.submission.renamed import named_in
from tests.course.handing import (
    ATTENTION,
    BOTH,
    CODE,
    MASKS,
    MULTI_HEAD,
    Files,
    in_folder,
    in_zip,
    names,
    notebook,
    packed,
    said,
    why,
)


def test_what_is_there_and_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "attention.py").mkdir()
    (tmp_path / "work").mkdir()
    os.mkfifo(tmp_path / "masks.py")
    words = "(attention.py (a folder), masks.py (no ordinary file), work (an empty folder))"
    assert words in why(in_folder(tmp_path, {}))
    beside = in_folder(tmp_path, {"helper/encoder.py": CODE, "work/masks.py": CODE})
    assert said(beside) == ["not graded: attention.py (a folder)"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"draft/attention.py": b"x = 1", "final/attention.py": b"x = 2"},
            "attention is there twice, and not the same (draft/attention.py, final/attention.py)",
        ),
        (
            {"attention.py": b"x = 1", "old/attention.py": b"x = 2", "old/masks.py": CODE},
            "(old/attention.py, attention.py)",
        ),
        (
            {"hw.zip": ("attention.py", b"x = 1"), "hw (1).zip": ("attention.py", b"x = 2")},
            "hw.zip/attention.py",
        ),
        (
            {"attention (1).py": ATTENTION, "attention (2).py": ATTENTION + b"#", "masks.py": CODE},
            "more than one file could be it (attention (1).py, attention (2).py)",
        ),
        (
            {
                "a/attention.py": b"from utils import x",
                "a/utils.py": b"x = 1",
                "b/masks.py": b"import utils",
                "b/utils.py": b"x = 2",
            },
            "utils.py is there twice, and not the same (a/utils.py, b/utils.py)",
        ),
        ({"masks.py": MASKS, "masks.ipynb": notebook(MASKS)}, "masks is in masks.py and in masks.ipynb"),
    ],
)
def test_what_counts_is_for_people_to_say(tmp_path: Path, files: Files, words: str) -> None:
    contents = in_folder(
        tmp_path, {n: d if isinstance(d, bytes) else packed(dict([d])) for n, d in files.items()}
    )
    assert words in why(contents)
    assert contents.by_kit


def test_what_does_not_count_is_no_question(tmp_path: Path) -> None:
    files = {"a/encoder.py": b"x = 1", "b/encoder.py": b"x = 2", "a/attention.py": CODE, "b/masks.py": CODE}
    assert names(in_folder(tmp_path, files)) == ["attention.py", "encoder.py", "masks.py"]


def test_a_skeleton_is_no_version(tmp_path: Path) -> None:
    skeletons = {p.name: p.read_bytes() for p in skeleton_folder().glob("*.py")}
    files = {f"start/{n}": data for n, data in skeletons.items()} | {"work/done/attention.py": ATTENTION}
    found = dict(in_folder(tmp_path / "a", files).files)
    assert found["attention.py"] == ATTENTION
    assert found["masks.py"] == skeletons["masks.py"]
    files = {"attention.py": skeletons["attention.py"], "attention (1).py": ATTENTION}
    assert dict(in_folder(tmp_path / "b", files).files)["attention.py"] == ATTENTION


# -- other names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "attention (1).py",
        "attention-1.py",
        "attention_final.py",
        "bobsmith_attention.py",
        "Attention.PY",
        "attention 副本.py",
        "old/attention-v2.py",
        "attenton.py",
    ],
)
def test_a_file_that_is_meant_to_be_an_exercise(tmp_path: Path, name: str) -> None:
    contents = in_folder(tmp_path, {name: ATTENTION, "masks.py": CODE})
    assert dict(contents.files)["attention.py"] == ATTENTION
    assert said(contents) == [f"{name} is graded as attention.py"]
    contents = in_folder(tmp_path, {"attention.py": CODE})
    assert dict(contents.files)["attention.py"] == CODE
    left = f"attention.py is graded, {name} was left aside"
    assert said(contents) == ([left] if "/" not in name and "attenton" not in name else [])


def test_the_longest_name_counts(tmp_path: Path) -> None:
    assert named_in("multi_head_attention_final") == ("multi_head_attention",)
    assert named_in("EncoderBlock2") == ("encoder_block",)
    files = {"my_multi_head_attention.py": MULTI_HEAD, "my_attention.py": ATTENTION, "masks.py": CODE}
    found = dict(in_folder(tmp_path, files).files)
    assert (found["multi_head_attention.py"], found["attention.py"]) == (MULTI_HEAD, ATTENTION)


def test_a_name_alone_is_not_enough(tmp_path: Path) -> None:
    files = {"attention_utils.py": CODE, "test_attention.py": CODE, "hw1.py": ATTENTION, "masks.py": CODE}
    contents = in_folder(tmp_path, files)
    assert "attention.py" not in names(contents)
    assert said(contents) == [
        "there is no attention.py; hw1.py defines some of it and was left aside: rename it"
    ]


def test_of_two_names_the_one_with_the_code_counts(tmp_path: Path) -> None:
    contents = in_folder(tmp_path, {"attention1.py": CODE, "attention2.py": ATTENTION, "masks.py": CODE})
    assert said(contents) == ["attention2.py is graded as attention.py"]


def test_what_does_not_count_is_taken_without_a_word(tmp_path: Path) -> None:
    contents = in_folder(tmp_path, {"my_multi_head_attention.py": MULTI_HEAD, "masks.py": CODE})
    assert dict(contents.files)["multi_head_attention.py"] == MULTI_HEAD
    assert said(contents) == []


@pytest.mark.parametrize("data", [ATTENTION.decode().encode("utf-16"), b"(\n" + ATTENTION, b""])
def test_one_that_cannot_be_read_is_taken_as_well(tmp_path: Path, data: bytes) -> None:
    contents = in_folder(tmp_path, {"attention (1).py": data, "masks.py": CODE})
    assert dict(contents.files)["attention.py"] == data


# -- several folders and zips -----------------------------------------------------------------------


def test_another_version_is_left_aside_and_named(tmp_path: Path) -> None:
    contents = in_folder(tmp_path, {"attention.py": CODE, "old/attention.py": b"x = 2", "masks.py": CODE})
    assert dict(contents.files)["attention.py"] == CODE
    assert said(contents) == ["attention.py is graded, old/attention.py was left aside"]


def test_zips_beside_files_and_beside_each_other(tmp_path: Path) -> None:
    masks, attention = packed({"masks.py": CODE}), packed({"attention.py": CODE})
    assert names(in_folder(tmp_path / "a", {"attention.py": CODE, "masks.zip": masks})) == BOTH
    assert names(in_folder(tmp_path / "b", {"attention.zip": attention, "masks.zip": masks})) == BOTH
    assert (
        names(in_zip(tmp_path, packed({"x/a.zip": attention, "y/m.zip": packed({"z.zip": masks})}))) == BOTH
    )


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("masks.zip", b"", "masks.zip is empty (0 bytes)"),
        ("masks.zip", b"PK no zip", "masks.zip is no zip, or is damaged"),
        ("masks.rar", b"Rar!", "masks.rar is packed in a way that is not read: put its files beside it"),
        ("masks.tar.gz", b"x", "masks.tar.gz is packed in a way that is not read"),
    ],
)
def test_what_cannot_be_opened_is_no_zero(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    contents = in_folder(tmp_path / "alone", {name: data})
    assert (words in why(contents), contents.by_kit) == (True, True)
    contents = in_folder(tmp_path / "more", {name: data, "attention.py": CODE})
    assert why(contents).endswith("(not found elsewhere: masks.py)")
    assert contents.by_kit
    contents = in_folder(tmp_path / "all", {name: data, "attention.py": CODE, "masks.py": CODE})
    assert names(contents) == BOTH
    assert words in said(contents)[0]


def test_data_that_is_packed_is_no_matter(tmp_path: Path) -> None:
    contents = in_folder(tmp_path, {"attention.py": CODE, "corpus.txt.gz": b"x"})
    assert (names(contents), said(contents)) == (["attention.py"], [])
