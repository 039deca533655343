"""The compiled catalogue: what each fault by itself does on each probe, worked out once.

A search over pairs and triples asks the same of every submission: does this fault change what that
probe shows, and could it give what was seen?  The answers do not depend on the submission, so they are
kept beside the room in ``compiled.safetensors``.  The file says of which sources it is made; a stale
one is not used, and everything is then worked out on the way, which is slower and gives the same.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from grader.diagnosis.effects import Effect, effect
from grader.diagnosis.faults import Catalogue, Fault
from grader.diagnosis.model import Model, Prediction, Probe, follow, predict
from grader.diagnosis.prints import PRECISIONS, Print, could_match, print_of

__all__ = ["Compiled", "compile_room", "digest", "load_compiled", "table"]

HOUSE = Path(__file__).resolve().parent.parent
FILE = "compiled.safetensors"
PARTS = {
    "stirs": torch.bool,
    "acts": torch.bool,
    "spoils": torch.bool,
    "codes": torch.int64,
    "along": torch.float32,
    "scales": torch.float32,
    "precisions": torch.uint8,
}
# of a room, without a say in its tables
APART = ("suite.py", "judging.py", "hidden.py", "steps.py", "small.py", "carry.py", "room.py")
ENGINE = ("effects.py", "matching.py", "model.py", "prints.py")


@dataclass(frozen=True)
class Compiled:
    """The table of one model: rows are its faults, as `Catalogue.of` lists them, and then the right
    computation; columns are probes.

    stirs, acts, spoils: the effect of the fault on what the probe shows; codes, along, scales: the
    fingerprint of what it shows then; precisions: an index into PRECISIONS.
    """

    columns: dict[str, int]
    stirs: list[list[bool]]
    acts: list[list[bool]]
    spoils: list[list[bool]]
    codes: list[list[int]]
    along: list[list[tuple[float, ...]]]
    scales: list[list[float]]
    precisions: list[list[int]]

    def knows(self, probe: Probe) -> bool:
        return probe.name in self.columns

    def effect(self, row: int, probe: Probe) -> Effect:
        """What the fault by itself does to what the probe shows."""
        column = self.columns[probe.name]
        return Effect(self.stirs[row][column], self.acts[row][column], self.spoils[row][column])

    def print(self, row: int, probe: Probe) -> Print:
        """The fingerprint of what the fault by itself gives."""
        column = self.columns[probe.name]
        return Print(self.codes[row][column], self.along[row][column], self.scales[row][column])

    def precision(self, row: int, probe: Probe) -> torch.dtype:
        """The accuracy of what the fault by itself gives."""
        return PRECISIONS[self.precisions[row][self.columns[probe.name]]]

    def possible(self, row: int, probe: Probe, found: Print) -> bool:
        """False where the fault by itself cannot have given what was seen."""
        return could_match(self.print(row, probe), self.precision(row, probe), found, probe)

    def agrees(self, probe: Probe, right: Prediction) -> bool:
        """Whether the right computation gives here what it gave where the table was made."""
        return self.possible(-1, probe, print_of(right.seen, probe))


def table(model: Model, faults: Sequence[Fault], probes: Iterable[Probe]) -> Compiled:
    """Works the table out."""
    chosen = [p for p in probes if p.target == model.target]
    rows = range(len(faults) + 1)
    names = {p.name: n for n, p in enumerate(chosen)}
    made = Compiled(names, *([[] for _ in rows] for _ in PARTS))  # type: ignore[arg-type]
    for probe in chosen:
        course = follow(model, probe)
        for row, fault in enumerate([*faults, None]):
            found = predict(model, probe, fault.steps, course) if fault is not None else course.right
            done = effect(found, course.right, probe)
            shown = print_of(found.seen, probe)
            made.stirs[row].append(done.stirs)
            made.acts[row].append(done.acts)
            made.spoils[row].append(done.spoils)
            made.codes[row].append(shown.code)
            made.along[row].append(shown.along)
            made.scales[row].append(shown.scale)
            made.precisions[row].append(PRECISIONS.index(found.precision))
    return made


def compile_room(
    models: Iterable[Model], catalogue: Catalogue, probes: Sequence[Probe], folder: Path
) -> Path:
    """Writes the tables of a room; returns the file."""
    tensors: dict[str, Tensor] = {}
    names: dict[str, list[str]] = {}
    for model in models:
        made = table(model, catalogue.of(model), probes)
        names[model.target] = list(made.columns)
        for part, dtype in PARTS.items():
            tensors[f"{model.target}.{part}"] = torch.tensor(getattr(made, part), dtype=dtype)
    path = folder / FILE
    save_file(tensors, path, {"sources": digest(folder.name), "columns": json.dumps(names)})
    path.chmod(0o644)  # it is written for its owner alone
    return path


def load_compiled(model: Model, rows: int, folder: Path) -> Compiled | None:
    """The table of a model, where the file beside its room is there and of these very sources."""
    read = _read(folder / FILE)
    if read is None:
        return None
    made = read(model.target)
    return made if made is not None and len(made.stirs) == rows + 1 else None


@functools.cache
def _read(path: Path) -> Callable[[str], Compiled | None] | None:
    """What gives the table of a target; each is made once, since that takes as long as a diagnosis."""
    try:
        with safe_open(path, "pt") as opened:
            about = opened.metadata() or {}
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  no dict
    except (OSError, SafetensorError):
        return None
    if about.get("sources") != digest(path.parent.name):
        return None
    columns: dict[str, list[str]] = json.loads(about["columns"])

    @functools.cache
    def made(target: str) -> Compiled | None:
        if target not in columns:
            return None
        parts = [tensors[f"{target}.{part}"].tolist() for part in PARTS]
        return Compiled({name: number for number, name in enumerate(columns[target])}, *parts)

    return made


@functools.cache
def digest(room: str) -> str:
    """A digest of all that the tables of a room depend on: models, faults and probes, and the engine."""
    found = hashlib.sha256()
    chosen = [p for name in _stands_on(room) for p in (HOUSE / "exercises" / name).glob("*.py")]
    chosen = [p for p in chosen if p.name not in APART]
    for path in sorted([*chosen, *(HOUSE / "diagnosis" / name for name in ENGINE)]):
        found.update(path.relative_to(HOUSE).as_posix().encode())
        found.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return found.hexdigest()


def _stands_on(room: str) -> set[str]:
    """The room and those whose models or faults it takes over."""
    found: set[str] = set()
    waiting = {room}
    while waiting:
        name = waiting.pop()
        found.add(name)
        for path in (HOUSE / "exercises" / name).glob("*.py"):
            if path.name not in APART:
                named = set(re.findall(r"grader\.exercises\.(\w+)\.", path.read_text(encoding="utf-8")))
                waiting |= named - found
    return {name for name in found if (HOUSE / "exercises" / name).is_dir()}
