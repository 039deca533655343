"""Which files of a submission count, and zips that mean no good."""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.course.contents import Contents, read_contents
from grader.course.grading import grade_one
from grader.course.handed import Handed
from grader.course.settings import GradingSettings, digest_of, kit_digest
from grader.course.zips import Allowance
from grader.data import skeleton_folder
from grader.submission.renamed import named_in
from tests.course.making import FakeSession
from tests.support import ROOT

CODE = b"x = 1\n"
ATTENTION = (ROOT / "solutions" / "attention.py").read_bytes()
MASKS = (ROOT / "solutions" / "masks.py").read_bytes()
MULTI_HEAD = (ROOT / "solutions" / "multi_head_attention.py").read_bytes()
COUNTED = ("attention", "masks")
BOTH = ["attention.py", "masks.py"]
Files = Mapping[str, bytes]


def notebook(code: bytes) -> bytes:
    cell = {"cell_type": "code", "source": code.decode(), "metadata": {}, "outputs": []}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def in_folder(folder: Path, files: Files) -> Contents:
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return read_contents(Handed("a", None, folder, "folder"), COUNTED)


def packed(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def in_zip(folder: Path, data: bytes) -> Contents:
    (folder / "work.zip").write_bytes(data)
    return read_contents(Handed("a", None, folder / "work.zip", "zip"), COUNTED)


def names(contents: Contents) -> list[str]:
    assert contents.problem is None, contents.problem
    return [name for name, _ in contents.files]


def said(contents: Contents) -> list[str]:
    return [note.en for note in contents.notes]


def why(contents: Contents) -> str:
    assert contents.problem is not None
    assert not contents.files
    return contents.problem.en


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["attention.py", "utils.py", "notes.txt"], ["attention.py", "utils.py"]),
        (["a/b/c/attention.py", "other.py"], ["attention.py"]),
        (["one/attention.py", "two/masks.py"], ["attention.py", "masks.py"]),
        (["old/attention.py", "new/attention.py", "new/masks.py"], ["attention.py", "masks.py"]),
        (["__MACOSX/attention.py", "._attention.py", ".git/attention.py", "x/masks.py"], ["masks.py"]),
        (["my_work.py"], ["my_work.py"]),
        (["work.ipynb", "notes.txt"], ["work.ipynb"]),
        (["work.ipynb", "part 2.ipynb", "helper.py"], ["helper.py", "part 2.ipynb", "work.ipynb"]),
    ],
)
def test_the_files_that_count_in_a_folder_and_in_a_zip(
    tmp_path: Path, files: list[str], expected: list[str]
) -> None:
    given = {name: f"# {name}\n".encode() for name in files}
    assert names(in_folder(tmp_path / "folder", given)) == expected
    assert names(in_zip(tmp_path, packed(given))) == expected
    assert names(in_folder(tmp_path / "nested", {"work.zip": packed(given)})) == expected
    assert names(in_zip(tmp_path, packed({"inner/work.zip": packed(given)}))) == expected


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "nothing is in it"),
        ({"readme.md": CODE}, "no exercise file among what was handed in (readme.md)"),
        ({"a.py": CODE, "b.py": CODE}, "no exercise file among what was handed in (a.py, b.py)"),
        ({".hidden/attention.py": CODE}, "what was handed in (.hidden (hidden))"),
        (
            {"encoder.py": CODE, "x.py": CODE},
            "handed in (encoder.py, x.py): expected any of attention.py, masks.py",
        ),
        ({"a.py": CODE, "b.py": ATTENTION}, "b.py defines some of it and was left aside: rename it"),
    ],
)
def test_nothing_that_counts(tmp_path: Path, files: Files, words: str) -> None:
    (tmp_path / "folder").mkdir()
    contents = in_folder(tmp_path / "folder", files)
    assert words in why(contents)
    assert not contents.by_kit


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


def test_a_copy_beside_the_original_is_no_question(tmp_path: Path) -> None:
    assert names(in_folder(tmp_path, {"a/attention.py": CODE, "b/attention.py": CODE})) == ["attention.py"]


# -- zips that mean no good -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../attention.py", "a/../../attention.py", "/etc/attention.py", "..\\x.py"])
def test_a_path_that_leads_out(tmp_path: Path, name: str) -> None:
    assert "leads out of it" in why(in_zip(tmp_path, packed({name: CODE})))
    assert not (tmp_path.parent / "attention.py").exists()


def test_windows_paths_are_folders(tmp_path: Path) -> None:
    assert names(in_zip(tmp_path, packed({"work\\attention.py": CODE}))) == ["attention.py"]


def test_a_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("attention.py")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    contents = in_zip(tmp_path, out.getvalue())
    assert (contents.files, contents.links) == ((), ("attention.py",))


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = packed({"attention.py": b"\0" * (64 << 20)})
    assert len(bomb) < 100_000
    assert "would unpack to 64 MiB" in why(in_zip(tmp_path, bomb))


def test_a_bomb_that_lies_about_its_size_is_cut_off(tmp_path: Path) -> None:
    bomb = bytearray(packed({"attention.py": b"\0" * (4 << 20)}))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        bomb[bomb.index(mark) + at : bomb.index(mark) + at + 4] = struct.pack("<I", 100)
    assert "damaged" in why(in_zip(tmp_path, bytes(bomb)))


def test_bombs_that_do_not_count_are_never_read(tmp_path: Path) -> None:
    given = {"attention.py": CODE, "data.bin": b"\0" * (64 << 20)}
    assert names(in_zip(tmp_path, packed(given))) == ["attention.py"]


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.course.zips.MAX_MEMBERS", 10)
    assert "more than 10 files" in why(in_zip(tmp_path, packed({f"{n}.py": CODE for n in range(11)})))


def test_a_password(tmp_path: Path) -> None:
    data = bytearray(packed({"attention.py": CODE}))
    for mark, at in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(mark) + at] |= 1
    assert "protected with a password" in why(in_zip(tmp_path, bytes(data)))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK\x03\x04 no zip", packed({"attention.py": CODE})[:-30]],
    ids=["empty", "another", "cut off"],  # the bytes hold the time, and so would the names
)
def test_a_damaged_zip(tmp_path: Path, data: bytes) -> None:
    contents = in_zip(tmp_path, data)
    assert ("damaged" if data else "empty (0 bytes)") in why(contents)
    assert contents.by_kit


def test_an_unusual_packing(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("attention.py", CODE)
    assert "unusual" in why(in_zip(tmp_path, out.getvalue()))


def test_zips_in_zips_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"attention.py": CODE})
    for _ in range(12):
        data = packed({"x.zip": data})
    assert names(in_zip(tmp_path, data)) == ["attention.py"]
    monkeypatch.setattr("grader.course.zips.MAX_NESTED", 12)
    contents = in_zip(tmp_path, data)
    assert ("too many zips in zips" in why(contents), contents.by_kit) == (True, True)
    monkeypatch.setattr("grader.course.trees.Allowance", lambda: Allowance(zips=3))
    wide = packed({f"{n}.zip": packed({"notes.txt": CODE}) for n in range(5)})
    assert "too many zips in zips" in why(in_zip(tmp_path, wide))
    monkeypatch.setattr("grader.course.trees.Allowance", lambda: Allowance(bytes=len(wide) + 10))
    assert "too many zips in zips" in why(in_zip(tmp_path, wide))


# -- folders that mean no good ----------------------------------------------------------------------


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_bytes(b"secret = 1")
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "attention.py").symlink_to(secret)
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    contents = in_folder(folder, {"masks.py": CODE})
    assert (names(contents), contents.links) == (["masks.py"], ("attention.py",))


def test_a_pipe_does_not_hold_up_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "attention.py")
    assert names(in_folder(tmp_path, {"masks.py": CODE})) == ["masks.py"]


def test_only_the_beginning_of_a_large_file_is_read(tmp_path: Path) -> None:
    (data,) = [data for _, data in in_folder(tmp_path, {"attention.py": b"#" * (9 << 20)}).files]
    assert len(data) == (256 << 10) + 1


def test_deep_and_crowded_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.course.trees.MAX_SEEN", 20)
    given = {f"x{n}.txt": CODE for n in range(25)} | {"attention.py": CODE}
    assert "more than 20 files" in why(in_folder(tmp_path / "crowd", given))
    deep = {"/".join(["d"] * 15) + "/attention.py": CODE}
    assert names(in_folder(tmp_path / "deep", deep)) == ["attention.py"]
    monkeypatch.setattr("grader.course.trees.MAX_DEPTH", 10)
    contents = in_folder(tmp_path / "deep", {})
    assert "d holds more than 10 folders in each other" in why(contents)
    assert contents.by_kit


# -- the digest, and grading one --------------------------------------------------------------------


def test_the_digest_changes_with_everything_that_may_change_a_report() -> None:
    settings = GradingSettings(("attention",))
    one = Contents((("attention.py", CODE),))
    others = [
        digest_of(Contents((("attention.py", CODE + b"#"),)), settings),
        digest_of(Contents((("masks.py", CODE),)), settings),
        digest_of(Contents((("attention.py", CODE),), ("masks.py",)), settings),
        digest_of(Contents((("attention.py", b""), ("x", CODE))), settings),
        digest_of(one, GradingSettings(("attention", "masks"))),
        digest_of(one, GradingSettings(("attention",), {"call": 1.0})),
    ]
    assert digest_of(one, settings) == digest_of(one, GradingSettings(("attention",), {}))
    assert len({digest_of(one, settings), *others}) == 7
    assert len(kit_digest()) == 64


def test_one_submission_out_of_its_bytes() -> None:
    settings = GradingSettings(("attention",))
    graded = grade_one(Contents((("attention.py", b"wrong = 1\n"),)), settings, FakeSession())
    assert graded.report is not None
    assert (graded.report.submission, graded.report.score) == ("", 18.0)
    graded = grade_one(Contents((("thing.py", CODE),)), settings, FakeSession())
    assert graded.problem is not None
    assert not graded.by_kit
    assert "/tmp" not in graded.problem.en
    assert "thing.py is none of the exercises" in graded.problem.en
    graded = grade_one(Contents((("attention.py", b"'raise'\nx=1"),)), settings, FakeSession())
    assert graded.by_kit
