"""The compiled catalogue: fresh, true, and without a say in what is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from safetensors import safe_open

from grader.diagnosis import compiled
from grader.diagnosis.compiled import FILE, compile_room, digest, load_compiled, table
from grader.diagnosis.faults import Catalogue
from grader.diagnosis.matching import match
from grader.diagnosis.model import Prediction, follow, predict
from grader.diagnosis.prints import could_match, print_of
from grader.diagnosis.search import Searcher
from grader.exercises.registry import FOLDER, load_room, module_names
from grader.exercises.room import Room
from grader.threads import one_thread

SMALL = "masks"


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


@pytest.mark.parametrize("name", module_names())
def test_the_file_is_of_these_sources(name: str) -> None:
    path = FOLDER / name / FILE
    with safe_open(path, "pt") as opened:
        made_of = (opened.metadata() or {}).get("sources")
    assert made_of == digest(name), "a room has changed: run `grade verify --compile`"
    room = load_room(name)
    for model in room.models.values():
        found = load_compiled(model, len(room.catalogue.of(model)), FOLDER / name)
        assert found is not None
        assert set(found.columns) == {p.name for p in room.probes if p.target == model.target}


def test_the_tables_say_what_the_models_do() -> None:
    room = load_room(SMALL)
    for model in room.models.values():
        kept = load_compiled(model, len(room.catalogue.of(model)), FOLDER / SMALL)
        made = table(model, room.catalogue.of(model), room.probes)
        assert kept is not None
        assert kept.acts == made.acts
        assert kept.codes == made.codes
        assert kept.precisions == made.precisions


def test_a_stale_file_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = load_room(SMALL)
    model = next(iter(room.models.values()))
    rows = len(room.catalogue.of(model))
    folder = tmp_path / SMALL  # a room's file knows whose it is by its folder
    folder.mkdir()
    compile_room(room.models.values(), room.catalogue, room.probes, folder)
    compiled._read.cache_clear()
    assert load_compiled(model, rows, folder) is not None
    assert load_compiled(model, rows + 1, folder) is None
    compiled._read.cache_clear()
    monkeypatch.setattr(compiled, "digest", lambda room: f"{room} of other sources")
    assert load_compiled(model, rows, folder) is None
    compiled._read.cache_clear()
    monkeypatch.undo()
    (folder / FILE).write_bytes(b"no tensors")
    assert load_compiled(model, rows, folder) is None
    (folder / FILE).unlink()
    compiled._read.cache_clear()
    assert load_compiled(model, rows, folder) is None


def _without_tables(room: Room) -> Catalogue:
    catalogue = Catalogue()
    catalogue.faults, catalogue.families = room.catalogue.faults, room.catalogue.families
    return catalogue


@pytest.mark.parametrize("name", ["masks", "encoder_block"])
def test_they_change_nothing_but_the_time(name: str) -> None:
    room = load_room(name)
    without = _without_tables(room)
    for model in room.models.values():
        probes = [p for p in room.probes if p.target == model.target and p.tier == "core"]
        pool = [f for f in room.catalogue.of(model) if f.tier == "core"][::5]
        for fault in pool:
            seen = [(p, predict(model, p, fault.steps).seen) for p in probes]
            found = [Searcher(model, c, seen).explain(limit=1) for c in (room.catalogue, without)]
            names = [[f.id for f in e.faults] if e is not None else None for e in found]
            assert names[0] == names[1]


def _same(a: Prediction, b: Prediction) -> bool:
    return (
        a.seen.outcome is b.seen.outcome
        and a.seen.changed == b.seen.changed
        and a.seen.gradient == b.seen.gradient
        and a.precision is b.precision
        and a.calls == b.calls
    )


@pytest.mark.parametrize("name", module_names())
def test_a_run_that_starts_from_the_right_one_is_the_whole_run(name: str) -> None:
    room = load_room(name)
    for model in room.models.values():
        probes = [p for p in room.probes if p.target == model.target]
        for number, probe in enumerate(probes):
            course = follow(model, probe)
            for fault in room.catalogue.of(model)[number % 7 :: 7]:
                whole = predict(model, probe, fault.steps)
                short = predict(model, probe, fault.steps, course)
                assert _same(whole, short), (probe.name, fault.id)
                if whole.seen.ok:
                    assert match(whole, short.seen, probe) is not None, (probe.name, fault.id)
                    shown = print_of(short.seen, probe)
                    assert could_match(print_of(whole.seen, probe), whole.precision, shown, probe)
