"""Grades one hostile submission, and looks at everything that it was after."""

from __future__ import annotations

import functools
import io
import os
import pwd
import re
import signal
import site
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.exercises.registry import module_names
from grader.marking.records import ExerciseResult, Report
from grader.marking.run import grade
from grader.reports.json_report import as_json
from grader.reports.output import make_console
from grader.reports.terminal import print_report
from grader.submission.launcher import Launcher
from grader.submission.source import read_submission
from tests.support import ROOT

ATTACKS = Path(__file__).parent / "submissions"
HEADER = re.compile(r"^# (tries|expect|exercise|honest|slow): *(.*)$", re.MULTILINE)
HONEST = ATTACKS / "honest"
HELPERS = ("wrong.py", "readymade.py")  # handed in with every attack
MARK = "grade-attack"  # in the name of everything that an attack tries to leave behind
SECRET = "SENTINEL-of-another-submission"
BUDGET = {
    "call": 1.0,
    "load": 1.5,
    "total": 6.0,
    "memory": 512 << 20,
    "disk": 4 << 20,
    "output": 1 << 20,
    "stops": 2,
}
LIMIT_SECONDS = 120  # of one attack, on any machine; the grader's own limits end it in a few seconds


@dataclass(frozen=True)
class Attack:
    """A hostile submission and what its header says: what it tries, and what must come of it.

    honest: the honest wrong file that it may not get more points than.
    """

    path: Path
    tries: str
    status: tuple[str, ...]
    fault: str | None
    exercise: str
    honest: str
    slow: bool

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"


def attacks() -> list[Attack]:
    """All of them: a file, or a folder that is handed in as it is (its header is in ``HEADER``)."""
    places = [p for p in sorted(ATTACKS.glob("*/*")) if p.suffix == ".py" or (p / "HEADER").is_file()]
    return [_read(place) for place in places if place.parent != HONEST]


def honest_files() -> list[Attack]:
    """The wrong files that do not cheat."""
    return [_read(p) for p in sorted(HONEST.glob("*.py")) if p.name not in HELPERS]


def _read(path: Path) -> Attack:
    head = path / "HEADER" if path.is_dir() else path
    found = dict(HEADER.findall(head.read_text(encoding="utf-8", errors="replace")[:1000]))
    status, _, fault = found["expect"].partition(" ")
    return Attack(
        path,
        found["tries"],
        tuple(status.split("|")),
        fault or None,
        found.get("exercise", "attention"),
        found.get("honest", found.get("exercise", "attention")),
        found.get("slow") == "yes",
    )


def hand_in(attack: Attack, folder: Path) -> Path:
    """The folder as it is handed in, beside the submission of somebody else."""
    other = folder / "ada"
    other.mkdir()
    secret = f"# {SECRET}\n{(ROOT / 'solutions' / 'attention.py').read_text(encoding='utf-8')}"
    (other / "attention.py").write_text(secret, encoding="utf-8")
    mine = folder / "mallory"
    if attack.path.is_dir():
        _copy(attack.path, mine)
    else:
        mine.mkdir()
        (mine / f"{attack.exercise}.py").write_bytes(attack.path.read_bytes())
    for helper in HELPERS:
        (mine / helper).write_bytes((HONEST / helper).read_bytes())
    return mine


def _copy(source: Path, to: Path) -> None:
    """``dot-`` at the start of a name stands for a dot, ``.link`` at its end for a symbolic link.

    ``.file`` at its end keeps our own pytest and linters from taking it for theirs.
    """
    to.mkdir()
    for entry in sorted(source.iterdir()):
        name = re.sub(r"^dot-", ".", entry.name)
        if entry.is_dir():
            _copy(entry, to / name)
        elif name.endswith(".link"):
            target = entry.read_text().strip().format(root=ROOT)
            (to / name.removesuffix(".link")).symlink_to(target)
        elif name != "HEADER":
            (to / name.removesuffix(".file")).write_bytes(entry.read_bytes())


def grade_it(folder: Path, exercise: str, launcher: Launcher) -> Report:
    """The report on one exercise, under tight limits."""
    with _alarm():
        return grade(read_submission(folder, (exercise,)), launcher, budget=BUDGET)


@contextmanager
def _alarm() -> Iterator[None]:
    """A grader that hangs is a failure, not a test run that never ends."""

    def ring(number: int, frame: object) -> None:
        raise AssertionError(f"the grader did not come to an end within {LIMIT_SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(LIMIT_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def passed(result: ExerciseResult) -> set[str]:
    return {check.id for check in result.checks if check.outcome == "passed"}


def words_of(report: Report) -> str:
    """Everything that anybody gets to read: the JSON in both languages, and what was printed."""
    printed = "\n".join(e.printed for e in report.exercises)
    return "\n".join([as_json(report, "en"), as_json(report, "zh"), printed])


def page_of(report: Report) -> str:
    """What a terminal gets to show, in both languages."""
    found = io.StringIO()
    for language in ("en", "zh"):
        print_report(report, make_console(found), language, Path("/nowhere"))
    return found.getvalue()


def disturbing(page: str) -> list[str]:
    """Lines that would move a cursor, reverse the reading, or be taken for a command by a CI system."""
    return [
        line
        for line in page.split("\n")
        if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in line)
        or line.lstrip().startswith(("::", "##["))
    ]


@functools.cache
def secrets() -> frozenset[str]:
    """Lines that stand only in what must not be seen: suites, models, probes, hints, solutions."""
    hidden = [*(ROOT / "grader" / "exercises").rglob("*"), *(ROOT / "solutions").glob("*.py")]
    public = [
        *(ROOT / "skeletons").glob("*.py"),
        *ATTACKS.rglob("*.py"),
        *(ROOT / "grader" / "worker").glob("*.py"),
    ]
    lines = _lines([p for p in hidden if p.suffix in (".py", ".toml")]) - _lines(public)
    return frozenset(lines)


def _lines(paths: list[Path]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            words = line.strip()
            if len(words) > 30 and "(" in words and not words.startswith(("#", '"', "import ", "from ")):
                found.add(words)
    return found


def leaks(words: str) -> list[str]:
    """What of all that must not be seen is in these words."""
    told = [SECRET] if SECRET in words else []
    told += ["SECRET-FOUND"] if "SECRET-FOUND" in words else []
    told += ["the environment"] if os.environ.get("GRADE_TEST_SECRET", "?") in words else []
    plain = words.replace('\\"', '"').replace("\\n", "\n")
    return told + [line for line in secrets() if line in plain][:5]


def left_behind(folder: Path) -> list[Path]:
    """What an attack has left anywhere that it could think of."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    places = {Path(p) for p in ("/tmp", "/dev/shm", "/var/tmp", "/", "/etc", "/etc/cron.d", "/run")}
    places |= {home, Path.cwd(), ROOT, ROOT / "grader", ROOT / "grader" / "worker", folder, *folder.iterdir()}
    places |= {home / ".config", home / ".local", *(Path(p) for p in site.getsitepackages())}
    found = [p for place in places if place.is_dir() for p in _children(place)]
    return [p for p in found if MARK in p.name]


def _children(place: Path) -> list[Path]:
    try:
        return list(place.iterdir())
    except OSError:
        return []


def children_of(pid: int) -> list[int]:
    """The processes whose parent this one is."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            state, parent = stat.rpartition(") ")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found


assert "attention" in module_names()
