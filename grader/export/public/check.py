#!/usr/bin/env python3
"""Runs the public checks of the exercises on the files in this folder.

    python check.py              all that is there
    python check.py attention    one of them
    python check.py --lang zh    in Chinese
    python check.py --path DIR   files in another folder

They are small examples with their numbers: those of the docstrings, and some more about shapes.  Passing
them is a good sign, and no proof: the course grades with many more checks than these.

Exit code: 0 when all passed, 1 when not, 2 when there was nothing to check.
"""

# ruff: noqa: T201 (a program of its own, which prints)
from __future__ import annotations

import argparse
import importlib.util
import json
import locale
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parent
CHECKS = HERE / "checks"
LANGUAGES = ("en", "zh")
SECONDS = 20  # for one check
START_SECONDS = 300  # for Python and torch, before the first
MOST_PRINTED = 20_000  # bytes of what a submission prints during one check
LONGEST_LINE = 1 << 20
LOOK_SECONDS = 0.2
WAITS = 10  # looks, once it has ended, for what is still on its way


@dataclass(frozen=True)
class Outcome:
    """How one check went: sign is ``+`` passed, ``x`` wrong, ``o`` still to do, ``-`` no such file."""

    exercise: str
    sign: str
    title: str = ""
    words: str = ""
    line: int | None = None

    def __str__(self) -> str:
        head = ": ".join(filter(None, (f"{self.sign} {self.exercise}", self.title)))
        return head + ("\n    " + self.words.replace("\n", "\n    ") if self.words else "")


def exercises() -> list[str]:
    """The exercises in the order in which they build on each other."""
    return (CHECKS / "order.txt").read_text(encoding="utf-8").split()


def outcomes(
    names: Sequence[str], folder: Path, language: str, seconds: float
) -> Generator[Outcome, None, None]:
    """How all checks go.  A submission that ends its process, or takes too long, costs one check: another
    process goes on with the next."""
    left = [(name, 0) for name in names]
    while left:
        at: tuple[str, int, str] | None = None
        with Process([f"{name}:{first}" for name, first in left], folder, language, seconds) as process:
            for kind, *told in process.records():
                if kind == "end":
                    return
                if kind == "begin":
                    at = told[0], told[1], told[2]
                else:
                    yield Outcome(*told)
            why = process.why()
        if at is None:
            yield Outcome(left[0][0], "x", "", why)
            return
        name, number, title = at
        yield Outcome(name, "x", title, why)
        left = left[[n for n, _ in left].index(name) + 1 :]
        if number >= 0:
            left.insert(0, (name, number + 1))


class Process:
    """The process in which submissions run; what they print is shown here, and not by them."""

    def __init__(self, wanted: Sequence[str], folder: Path, language: str, seconds: float) -> None:
        self.language = language
        self.seconds = seconds
        self.token = f"\x1e{secrets.token_hex(16)} "
        self.late = self.unended = False
        flags = ["-I"] if sys.flags.isolated else []
        program = [sys.executable, *flags, "-u", "-X", "utf8", str(CHECKS / "running.py")]
        # nothing that would let it speak to GitHub past its output
        hidden = ("GITHUB_", "ACTIONS_", "RUNNER_")
        self.process = subprocess.Popen(
            [*program, self.token, language, str(folder.resolve()), *wanted],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={name: value for name, value in os.environ.items() if not name.startswith(hidden)},
        )
        self.heard: queue.Queue[bytes | None] = queue.Queue(1000)
        threading.Thread(target=self._listen, args=[self.process.stdout], daemon=True).start()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()

    def records(self) -> Iterator[list[Any]]:
        """What the process tells, until it ends or takes too long."""
        token = self.token.encode()
        until = time.monotonic() + START_SECONDS
        printed = waited = 0
        while True:
            try:
                line = self.heard.get(timeout=LOOK_SECONDS)
                waited = 0
            except queue.Empty:
                line = b""
                waited += self.process.poll() is not None
            if line is None or waited > WAITS:  # its children may keep the pipe open
                break
            words, found, record = line.partition(token)
            if printed < MOST_PRINTED:
                self._show(words)
            printed += len(words)
            if found:
                self._end_line()
                told = json.loads(record)
                if told[0] == "begin":
                    until, printed = time.monotonic() + self.seconds, 0
                yield told
            if time.monotonic() > until:
                self.late = True
                self.process.kill()
                break
        self.process.wait()
        self._end_line()

    def _show(self, words: bytes) -> None:
        """What a submission has printed."""
        if words:
            text = words.decode("utf-8", errors="replace").replace("\r\n", "\n")
            self.unended = not text.endswith("\n")
            print(text, end="", flush=True)

    def _end_line(self) -> None:
        if self.unended:
            self.unended = False
            print(flush=True)

    def why(self) -> str:
        """Why there are no more records."""
        code = self.process.returncode
        zh = self.language == "zh"
        if self.late:
            n = f"{self.seconds:g}"
            if zh:
                return f"超过 {n} 秒仍未结束，已停止：是否有不会结束的循环？（--seconds 可放宽）"
            return f"stopped after {n} s: is there a loop that does not end? (--seconds gives it more time)"
        if zh:
            return f"程序在这里自行结束（退出码 {code}），检查没有做完：是否调用了 os._exit，或程序崩溃？"
        return f"the program ended here by itself (exit code {code}): is os._exit called, or did it crash?"

    def _listen(self, stream: IO[bytes]) -> None:
        for line in iter(lambda: stream.readline(LONGEST_LINE), b""):
            self.heard.put(line)
        self.heard.put(None)


def annotate(done: Sequence[Outcome], folder: str) -> None:
    """For GitHub Actions: an annotation for each check that is not right, and a table as the summary."""
    signs = {"+": "✅", "x": "❌", "o": "☐", "-": "–"}
    rows = ["| | | |", "|---|---|---|"]
    for one in done:
        words = one.words.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
        rows.append(f"| {signs[one.sign]} | `{one.exercise}` | {one.title} {words} |")
        if one.sign in "xo":
            kind = "error" if one.sign == "x" else "notice"
            place = f"{folder}/{one.exercise}.py".removeprefix("./")
            told = f"{one.title}: {one.words}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            print(f"::{kind} file={place},line={one.line or 1}::{told}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")


def main(words: Sequence[str] | None = None) -> int:
    names = exercises()
    spoken = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(n))), "")
    spoken = spoken or locale.getlocale()[0] or ""
    usual = "zh" if spoken.lower().startswith(("zh", "chinese")) else "en"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exercises", nargs="*", metavar="exercise", help=", ".join(names))
    parser.add_argument("--lang", choices=LANGUAGES, default=usual)
    parser.add_argument("--path", type=Path, default=HERE, help="the folder of your files")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for one check (otherwise {SECONDS})")
    parser.add_argument("--github", action="store_true", help="annotations and a summary for GitHub Actions")
    given = parser.parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    wanted_names = [name.removesuffix(".py") for name in given.exercises] or names
    unknown = [name for name in wanted_names if name not in names]
    if unknown:
        parser.error(f"there is no exercise {unknown[0]!r}; the exercises are {', '.join(names)}")
    zh = given.lang == "zh"
    if not given.path.is_dir():
        parser.error(f"没有文件夹 {given.path}" if zh else f"there is no folder {given.path}")
    if importlib.util.find_spec("torch") is None:
        command = "python -m pip install -r requirements.txt"
        parser.error(f"没有安装 torch：{command}" if zh else f"torch is not installed: {command}")
    # what submissions print is no command to GitHub, whatever it says, until they have ended
    quiet = secrets.token_hex(16)
    if given.github:
        print(f"::stop-commands::{quiet}", flush=True)
    done = []
    order = [name for name in names if name in wanted_names]
    with closing(outcomes(order, given.path, given.lang, given.seconds)) as found:
        for one in found:
            print(one, flush=True)
            done.append(one)
    if given.github:
        print(f"::{quiet}::", flush=True)
        annotate(done, given.path.as_posix())
    if all(one.sign == "-" for one in done):
        return 2
    return 1 if any(one.sign in "xo" for one in done) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and the process of submissions ends as well
    try:
        sys.exit(main())
    except BrokenPipeError:  # whoever read this has seen enough
        os._exit(1)
    except KeyboardInterrupt:
        print("\nstopped | 已中止", file=sys.stderr)
        sys.exit(130)
