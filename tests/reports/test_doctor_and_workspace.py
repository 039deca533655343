"""The exact text of `grade doctor`, `grade init` and `grade list`."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.reports.doctor import ATTEMPTS, Health, checkup, fit_for_strangers
from grader.reports.output import make_console
from grader.reports.paper import Paper
from grader.reports.terminal import print_lines
from grader.reports.workspace import Copied, Row, catalogue, started
from grader.text import Text

VERSIONS = (("grade", "0.1.0"), ("torch", "2.13.0"), ("pytest", None))
ALL = ("limits", "processes", "unprivileged", "landlock", "landlock-network", "landlock-signals", "seccomp")
ALL += ("network-namespace",)
REFUSED = dict.fromkeys(ATTEMPTS, True)
MACHINES = {
    "strong": Health(VERSIONS, "Python 3.12.1, Linux", "cpu (2)", ALL, root=True, refused=REFUSED),
    "broken_promise": Health(
        VERSIONS, "Python 3.12.1, Linux", "cpu (2)", ALL, refused={**REFUSED, "read": False, "network": False}
    ),
    "older_kernel": Health(VERSIONS, "Python 3.12.1, Linux", "cpu (2)", ("limits", "landlock"), root=True),
    "no_fork": Health(VERSIONS, "Python 3.12.1, macOS", "mps", ("limits",), forks=False),
    "no_worker": Health(
        VERSIONS, "Python 3.12.1, Linux", "cpu (2)", None, Text("it does not start", "无法启动")
    ),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("machine", MACHINES)
def test_doctor(machine: str, language: str, same_as_stored: Callable[[str, str], None]) -> None:
    stream = io.StringIO()
    print_lines(
        [*checkup(MACHINES[machine], Paper(language, 80))], make_console(stream, color=False, width=80)
    )
    same_as_stored(f"doctor.{machine}.{language}", stream.getvalue())


def test_what_is_fit_for_strangers() -> None:
    assert fit_for_strangers(ALL)
    assert not any(
        fit_for_strangers([layer for layer in ALL if layer != lost])
        for lost in ("limits", "landlock", "seccomp")
    )
    assert fit_for_strangers(ALL, REFUSED)
    assert not any(fit_for_strangers(ALL, {**REFUSED, name: False}) for name in ("read", "write", "process"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_init(language: str, same_as_stored: Callable[[str, str], None]) -> None:
    copied = (Copied("attention.py", True), Copied("masks.py", False))
    lines = [line.plain for line in started(copied, Path("my work"), language)]
    same_as_stored(f"init.{language}", "\n".join(lines) + "\n")


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_list(language: str, width: int, same_as_stored: Callable[[str, str], None]) -> None:
    rows = (
        Row("attention", Text("Scaled dot-product attention", "缩放点积注意力"), 20.0, (), "written"),
        Row("masks", Text("Attention masks", "注意力掩码"), 12.5, (), "to-do", 21),
        Row(
            "multi_head_attention", Text("Multi-head attention", "多头注意力"), 20.0, ("attention",), "absent"
        ),
    )
    stream = io.StringIO()
    console = make_console(stream, color=False, width=width)
    for part in catalogue(rows, language, width):
        console.print(part)
    text = "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())
    same_as_stored(f"list.{language}.{width}", text)
