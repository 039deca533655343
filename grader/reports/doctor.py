"""What `grade doctor` prints: versions, the layers that confine submitted code, what follows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["Health", "checkup", "fit_for_strangers"]


@dataclass(frozen=True)
class Health:
    """versions: name and version, None where not installed; layers: None where no worker starts."""

    versions: tuple[tuple[str, str | None], ...]
    system: str
    device: str
    layers: tuple[str, ...] | None
    problem: Text | None = None
    root: bool = False
    forks: bool = True


@dataclass(frozen=True)
class _Layer:
    """holds: what it does; lacks: what follows where it is missing; instead: layers that do the same."""

    name: str
    holds: Text
    lacks: Text
    instead: tuple[str, ...] = ()


LAYERS = (
    _Layer(
        "limits",
        Text(
            "processor time, memory and file sizes are limited by the system",
            "由系统限制处理器时间、内存和文件大小",
        ),
        Text(
            "only the clock of the grader stops a submission; one that takes all memory slows the machine",
            "只有评分程序的计时能终止提交的代码；占满内存的代码会拖慢机器",
        ),
    ),
    _Layer(
        "landlock",
        Text(
            "submitted code reads Python and torch only, not the hidden suites, solutions or your files, "
            "and writes into its own scratch folder only",
            "提交的代码只能读取 Python 和 torch，读不到隐藏测试、参考答案和你的文件，"
            "且只能写入自己的临时文件夹",
        ),
        Text(
            "submitted code can read what you can read, the hidden suites and solutions too, and write "
            "where you can write (needs Linux 5.13 or later with Landlock)",
            "提交的代码能读取你能读取的一切，包括隐藏测试和参考答案，也能写入你能写入的位置"
            "（需要启用 Landlock 的 Linux 5.13 或更高版本）",
        ),
    ),
    _Layer(
        "seccomp",
        Text(
            "no new programs or processes, no network, no signals, no tracing",
            "不能启动新程序或进程，不能联网、发送信号或跟踪其他进程",
        ),
        Text(
            "submitted code can start programs and processes (needs Linux on x86-64 or arm64)",
            "提交的代码可以启动程序和进程（需要 x86-64 或 arm64 上的 Linux）",
        ),
    ),
    _Layer(
        "landlock-network",
        Text("no TCP connections", "不能建立 TCP 连接"),
        Text(
            "submitted code can use the network (Linux 6.7 or later)",
            "提交的代码可以联网（需要 Linux 6.7 或更高版本）",
        ),
        ("seccomp",),
    ),
    _Layer(
        "landlock-signals",
        Text("no signals to other processes", "不能向其他进程发送信号"),
        Text(
            "submitted code can signal your other processes (Linux 6.12 or later)",
            "提交的代码可以向你的其他进程发送信号（需要 Linux 6.12 或更高版本）",
        ),
        ("seccomp", "unprivileged"),
    ),
)
UNPRIVILEGED = Text("submitted code runs as the user nobody", "提交的代码以 nobody 用户运行")
POWERLESS = Text(
    "submitted code runs as root, but without any of its powers (this Python is out of reach of nobody)",
    "提交的代码以 root 运行，但没有任何特权（nobody 用户无法访问此 Python）",
)
PRIVILEGED = Text(
    "submitted code runs as root: start `grade` as an ordinary user instead",
    "提交的代码以 root 运行：请改用普通用户启动 `grade`",
)


def fit_for_strangers(layers: Collection[str]) -> bool:
    """True when files, processes and resources are all confined."""
    return {"limits", "landlock", "seccomp"} <= set(layers)


def checkup(health: Health, paper: Paper) -> list[Styled]:
    """The whole page."""
    lines = paper.lines(health.system)
    for name, version in (*health.versions, ("device", health.device)):
        found = version or paper.say(Text("not installed", "未安装"))
        lines += paper.lines(Styled.assemble(f"{name:<12}", (found, "" if version else "red")), "  ")
    title = Text("How submitted code is confined on this machine", "本机如何隔离提交的代码")
    lines += [Styled(), *paper.lines(Styled(paper.say(title), "bold"))]
    if health.layers is None:
        sign = Styled(paper.glyphs.trouble, "red")
        text = health.problem or Text("no worker starts", "工作进程无法启动")
        return lines + paper.lines(Styled.assemble(sign, " ", paper.say(text)), "  ", "    ")
    for layer in LAYERS:
        lines += _layer(layer, health.layers, paper)
    lines += _rights(health, paper)
    return [*lines, Styled(), *_verdict(health, paper)]


def _layer(layer: _Layer, held: Collection[str], paper: Paper) -> list[Styled]:
    if layer.name in held:
        return _row(True, layer.name, layer.holds, paper)
    covered = [name for name in layer.instead if name in held]
    if covered:
        words = Text(f"not available, but {covered[0]} does the same", f"不可用，但 {covered[0]} 起同样作用")
        return _row(True, layer.name, words, paper)
    return _row(False, layer.name, layer.lacks, paper)


def _rights(health: Health, paper: Paper) -> list[Styled]:
    if not health.root:
        return []
    held = health.layers or ()
    if "unprivileged" in held:
        return _row(True, "unprivileged", UNPRIVILEGED, paper)
    if "no-capabilities" in held:
        return _row(True, "no-capabilities", POWERLESS, paper)
    return _row(False, "unprivileged", PRIVILEGED, paper)


def _row(good: bool, name: str, words: Text, paper: Paper) -> list[Styled]:
    sign = (paper.glyphs.passed, "green") if good else (paper.glyphs.failed, "red")
    sep = "：" if paper.language == "zh" else ": "
    head = Styled.assemble(sign, " ", (name, "bold"), sep, paper.prose(paper.say(words)))
    return paper.lines(head, "  ", "    ")


def _verdict(health: Health, paper: Paper) -> list[Styled]:
    if fit_for_strangers(health.layers or ()):
        words = Text(
            "Good for your own work, and for grading the code of strangers.",
            "适合自学，也适合评阅他人的代码。",
        )
    else:
        words = Text(
            "Good for your own work. Do not grade the code of strangers here: use a recent Linux, or a "
            "container or virtual machine that holds nothing else.",
            "适合自学。请不要在这里评阅他人的代码：请使用较新的 Linux，或没有其他内容的容器或虚拟机。",
        )
    lines = paper.lines(Styled(paper.say(words), "bold"))
    if not health.forks:
        slow = Text(
            "Each exercise starts a Python of its own here and imports torch anew: a second or two more.",
            "在这里每个练习都要启动新的 Python 并重新导入 torch：会多花一两秒。",
        )
        lines += paper.lines(paper.say(slow))
    return lines
