"""Calibrates `grade similar`, and counts how common fragments are.

    python -m benchmarks.similar           how far honest pairs and copies are apart, and how long it takes
    python -m benchmarks.similar --write   counts fragments anew (grader/course/similar/common.json)

Honest: the right submissions in `tests/submissions`, which were written in styles unlike each other, every
two of one exercise.  Copies: each of them against itself in the disguises of `benchmarks.disguises`.  The
counts come from the wrong submissions and the solutions alone, so that nothing is measured on itself.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import ast
import json
import random
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.disguises import DISGUISES
from grader.course.similar.common import STORED, public_names
from grader.course.similar.find import BITS, SHARE, find_similar
from grader.course.similar.fragments import fragments
from grader.course.similar.records import Work
from grader.data import solution_folder
from grader.exercises.registry import module_names

ROOT = Path(__file__).resolve().parent.parent
SUBMISSIONS = ROOT / "tests" / "submissions"
FEWEST = 2  # a fragment of one file is no common one


def counted() -> dict[str, dict[str, object]]:
    """What `common.json` holds."""
    found: dict[str, dict[str, object]] = {}
    for exercise in module_names():
        counts: Counter[int] = Counter()
        files = 0
        for path in [
            solution_folder() / f"{exercise}.py",
            *sorted((SUBMISSIONS / exercise / "chaffs").glob("*.py")),
        ]:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue
            files += 1
            counts.update(set(fragments(tree, public_names()).keys))
        common = {f"{key:012x}": n for key, n in sorted(counts.items()) if n >= FEWEST}
        found[exercise] = {"files": files, "counts": common}
    return found


def honest(exercise: str) -> list[Work]:
    """The right submissions of an exercise, each by a student of its own."""
    paths = sorted((SUBMISSIONS / exercise / "wheats").glob("*.py"))
    return [Work(p.stem, exercise, p.name, p.read_text(encoding="utf-8")) for p in paths]


def calibrate(share: float, bits: float) -> Iterator[str]:
    """Lines of figures: honest pairs that are flagged, copies that are found."""
    flagged = pairs = 0
    for exercise in module_names():
        works = honest(exercise)
        pairs += len(works) * (len(works) - 1) // 2
        for pair in find_similar(works, share=share, bits=bits).pairs:
            flagged += 1
            yield f"  flagged: {exercise}: {pair.one}, {pair.other} ({pair.share:.2f}, {pair.bits:.0f} bits)"
    yield f"honest pairs flagged: {flagged} of {pairs}"
    right = flagged_copies = 0
    for name, disguise in DISGUISES.items():
        found = made = ordinary = 0
        for exercise in module_names():
            works = honest(exercise)
            for work in works:
                copy = Work("copy", exercise, work.name, disguise(work.text))
                report = find_similar([*works, copy], share=share, bits=bits)
                hits = {
                    p.other if p.one == "copy" else p.one for p in report.pairs if "copy" in (p.one, p.other)
                }
                made += 1
                found += work.student in hits
                right += work.student in hits
                flagged_copies += len(hits)
                ordinary += work.student not in hits and report.ordinary > 0
        yield f"copies found, {name}: {found} of {made}; missed as too ordinary to tell: {ordinary}"
    yield f"of the pairs flagged for a copy, {right} of {flagged_copies} are that copy's"


def a_class(size: int, seed: int = 0) -> list[Work]:
    """Submissions of all exercises, each file drawn from right and wrong ones, so that many are shared."""
    draw = random.Random(seed)
    pool = {
        e: [
            p.read_text(encoding="utf-8")
            for k in ("wheats", "chaffs")
            for p in sorted((SUBMISSIONS / e / k).glob("*.py"))
        ]
        for e in module_names()
    }
    works: list[Work] = []
    for number in range(size):
        student = f"s{number:05}"
        for exercise, texts in pool.items():
            works.append(Work(student, exercise, f"{exercise}.py", draw.choice(texts)))
    return works


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--size", type=int, default=1000, help="of the class whose time is taken")
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--bits", type=float, default=BITS)
    given = parser.parse_args()
    if given.write:
        STORED.write_text(json.dumps(counted(), separators=(",", ":")).replace('"},"', '"},\n"') + "\n")
        print(f"wrote {STORED} ({STORED.stat().st_size >> 10} KiB)")
        return
    for line in calibrate(given.share, given.bits):
        print(line, flush=True)
    works = a_class(given.size)
    started = time.perf_counter()
    found = find_similar(works)
    spent = time.perf_counter() - started
    print(f"{given.size} submissions of all exercises: {spent:.1f} s, {len(found.pairs)} pairs")


if __name__ == "__main__":
    main()
