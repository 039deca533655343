"""Makes a class out of the example submissions and the attacks: right, wrong, unfinished, broken, hostile.

    python -m benchmarks.simulated_class FOLDER --count 1000 --layout moodle [--exercises attention,masks]

The same seed gives the same class.  Prints how many there are of each kind.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.data import skeleton_folder, solution_folder
from grader.exercises.registry import module_names

__all__ = ["KINDS", "LAYOUTS", "make_class"]

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "tests" / "submissions"
ATTACKS = ROOT / "tests" / "attacks" / "submissions"
KINDS = {"right": 35, "wrong": 47, "unfinished": 6, "broken": 6, "hostile": 6}
LAYOUTS = ("plain", "moodle", "canvas", "github", "gradescope", "zip")
Files = dict[str, bytes]


def make_class(
    folder: Path,
    count: int,
    *,
    seed: int = 0,
    layout: str = "plain",
    exercises: Sequence[str] = (),
    kinds: Mapping[str, int] = KINDS,
) -> dict[str, str]:
    """Writes `count` submissions into a new folder: student to kind."""
    folder.mkdir(parents=True)
    draw = random.Random(seed)
    names = tuple(exercises) or module_names()
    made = {}
    for number in range(count):
        kind = draw.choices(list(kinds), list(kinds.values()))[0]
        student = f"{10_000 + number}"
        files = _files(kind, names, draw)
        if draw.random() < 0.5 and kind in ("right", "wrong"):
            files["notes.txt"] = f"notes of {student}\n".encode()
        _hand_in(folder, layout, number, student, files)
        made[student] = kind
    return made


# -- what is handed in ------------------------------------------------------------------------------


def _files(kind: str, names: Sequence[str], draw: random.Random) -> Files:
    right = {f"{name}.py": _any_of(EXAMPLES / name / "wheats", draw) for name in names}
    if kind == "wrong":
        for name in draw.sample(names, min(len(names), draw.choice([1, 1, 1, 2, 2, 3]))):
            right[f"{name}.py"] = _any_of(EXAMPLES / name / "chaffs", draw)
    elif kind == "unfinished":
        for name in names[draw.randrange(len(names)) :]:
            right[f"{name}.py"] = (skeleton_folder() / f"{name}.py").read_bytes()
    elif kind == "broken":
        return _broken(right, draw)
    elif kind == "hostile":
        return _hostile(names, draw)
    return right


def _broken(right: Files, draw: random.Random) -> Files:
    first = next(iter(right))
    how = draw.randrange(6)
    if how == 0:
        return right | {first: right[first] + b"\n\ndef broken(:\n"}
    if how == 1:
        return right | {first: b""}
    if how == 2:
        return right | {first: bytes(range(256))}
    if how == 3:
        return right | {first: b"import a_module_that_is_nowhere\n" + right[first]}
    if how == 4:
        return {"README.md": b"I have lost my files.\n"}
    return {"damaged.zip": b"PK\x03\x04 this is no zip"}


def _hostile(names: Sequence[str], draw: random.Random) -> Files:
    attacks = [p for p in sorted(ATTACKS.glob("*/*.py")) if p.parent.name != "honest" and _quick(p)]
    honest = ATTACKS / "honest"
    files = {f"{name}.py": (solution_folder() / f"{name}.py").read_bytes() for name in names}
    helpers = {name: (honest / name).read_bytes() for name in ("wrong.py", "readymade.py")}
    attack = draw.choice(attacks).read_bytes()
    name = _header(attack, "exercise") or "attention"
    return files | helpers | {f"{name if name in names else names[0]}.py": attack}


def _quick(path: Path) -> bool:
    return _header(path.read_bytes(), "slow") != "yes"


def _header(text: bytes, name: str) -> str | None:
    for line in text[:600].decode(errors="replace").splitlines():
        if line.startswith(f"# {name}:"):
            return line.partition(":")[2].strip()
    return None


def _any_of(folder: Path, draw: random.Random) -> bytes:
    return draw.choice(sorted(folder.glob("*.py"))).read_bytes()


# -- how it is handed in ----------------------------------------------------------------------------


def _hand_in(folder: Path, layout: str, number: int, student: str, files: Files) -> None:
    late = "_LATE" if number % 9 == 0 else ""
    if layout == "canvas":
        for place, (name, data) in enumerate(files.items()):
            (folder / f"student{student}{late}_{student}_{1000 * number + place}_{name}").write_bytes(data)
    elif layout == "zip":
        (folder / f"{student}.zip").write_bytes(_zipped(files, f"homework {student}/" if number % 2 else ""))
    elif layout == "moodle":
        place = folder / f"Student {student}_{student}_assignsubmission_file_"
        _write(place, {"homework.zip": _zipped(files, "")} if number % 3 == 0 else files)
    elif layout == "gradescope":
        _write(folder / f"submission_{student}", files)
        row = {
            ":submitters": [{":name": f"Student {student}", ":sid": student}],
            ":created_at": f"2027-03-{1 + number % 9:02d} 10:00:00 Z",
        }
        with (folder / "submission_metadata.yml").open("a", encoding="utf-8") as file:
            file.write(f"submission_{student}: {json.dumps(row)}\n")  # JSON is YAML
    elif layout == "github":
        _write(folder / f"hw1-{student}", files)
    else:
        _write(folder / student, files)


def _write(folder: Path, files: Files) -> None:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _zipped(files: Files, prefix: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(f"{prefix}{name}"), data)
    return out.getvalue()


def main() -> None:
    """Makes one class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layout", choices=LAYOUTS, default="plain")
    parser.add_argument("--exercises", default="")
    options = parser.parse_args()
    made = make_class(
        options.folder,
        options.count,
        seed=options.seed,
        layout=options.layout,
        exercises=tuple(filter(None, options.exercises.split(","))),
    )
    print(dict(Counter(made.values())))  # noqa: T201


if __name__ == "__main__":
    main()
