"""Which files of a submission count, and zips that mean no good."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from grader.course.contents import Contents
from grader.course.grading import grade_one
from grader.course.settings import GradingSettings, digest_of, kit_digest
from grader.course.zips import Allowance
from tests.course.handing import ATTENTION, CODE, Files, in_folder, in_zip, names, packed, why
from tests.course.making import FakeSession


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["attention.py", "utils.py", "notes.txt"], ["attention.py", "utils.py"]),
        (["a/b/c/attention.py", "other.py"], ["attention.py"]),
        (["one/attention.py", "two/masks.py"], ["attention.py", "masks.py"]),
        (["old/attention.py", "new/attention.py", "new/masks.py"], ["attention.py", "masks.py"]),
        (["__MACOSX/attention.py", "._attention.py", ".git/attention.py", "x/masks.py"], ["masks.py"]),
        (["my_work.py"], ["my_work.py"]),
        (["Attention.PY"], ["Attention.py"]),
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
    two = Contents((("a.py", CODE), ("b.py", CODE)))
    graded = grade_one(two, GradingSettings(("attention", "masks")), FakeSession())
    assert graded.problem is not None
    assert graded.problem.en.startswith("no exercise file in what was handed in")
    assert graded.problem.zh.startswith("提交的内容中没有练习文件")
    graded = grade_one(Contents((("attention.py", b"'raise'\nx=1"),)), settings, FakeSession())
    assert graded.by_kit
