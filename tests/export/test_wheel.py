"""The kit's own wheel: what pip would have built, from a checkout and from an installation."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile

import pytest

import grader
import grader.export.wheel as wheel_module
from grader.errors import KitError
from grader.export.wheel import requirements, wheel


def opened() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(wheel().data))


def test_it_holds_the_package_and_nothing_beside_it() -> None:
    names = opened().namelist()
    for folder in ("skeletons", "solutions"):
        assert f"grader/_data/{folder}/attention.py" in names
    assert {n.split("/")[0] for n in names} == {
        "grader",
        f"transformer_grading_kit-{grader.__version__}.dist-info",
    }
    assert "grader/exercises/attention/compiled.safetensors" in names
    assert not [n for n in names if n.endswith(".pyc") or "__pycache__" in n]


def test_the_record_is_true() -> None:
    archive = opened()
    record = next(n for n in archive.namelist() if n.endswith("RECORD"))
    rows = list(csv.reader(archive.read(record).decode().splitlines()))
    assert {row[0] for row in rows} == set(archive.namelist())
    for name, digest, size in rows:
        if name != record:
            data = archive.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (f"sha256={found}", str(len(data))) == (digest, size)


def test_the_same_kit_gives_the_same_bytes() -> None:
    assert wheel().data == wheel().data


def test_metadata_says_what_is_needed() -> None:
    assert any(need.startswith("torch") for need in requirements())
    assert not any("extra" in need for need in requirements())


def test_without_metadata_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_module, "_project", lambda path: None)
    monkeypatch.setattr(wheel_module, "NAME", "no-such-distribution")
    with pytest.raises(KitError, match="install the package"):
        wheel()


def test_an_installation_tells_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    class Installed:
        def read_text(self, name: str) -> str:
            return f"of {name}"

    monkeypatch.setattr(wheel_module, "_project", lambda path: None)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    archive = opened()
    name = next(n for n in archive.namelist() if n.endswith("METADATA"))
    assert archive.read(name) == b"of METADATA"
