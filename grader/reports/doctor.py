"""What `grade doctor` prints: versions, the layers that confine submitted code, what follows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["NEEDED_OF_STRANGERS", "Health", "checkup", "fit_for_strangers"]

# what a worker must be refused before the code of strangers runs in it
NEEDED_OF_STRANGERS = ("read", "write", "process", "network", "signal", "memory")


@dataclass(frozen=True)
class Health:
    """versions: name and version, None where not installed; layers: None where no worker starts;
    refused: for each attempt that a worker has just made, whether it was refused."""

    versions: tuple[tuple[str, str | None], ...]
    system: str
    device: str
    layers: tuple[str, ...] | None
    problem: Text | None = None
    root: bool = False
    forks: bool = True
    refused: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class _Layer:
    """holds: what it does; lacks: what follows where it is missing; instead: layers that do the same;
    attempts: what it refuses."""

    name: str
    holds: Text
    lacks: Text
    instead: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()


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
        attempts=("memory",),
    ),
    _Layer(
        "processes",
        Text("only so many threads at once", "同时运行的线程数有上限"),
        Text(
            "submitted code can start as many threads as you can (needs Linux 5.14 or later)",
            "提交的代码能启动和你一样多的线程（需要 Linux 5.14 或更高版本）",
        ),
        attempts=("threads",),
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
        attempts=("read", "write"),
    ),
    _Layer(
        "seccomp",
        Text(
            "no new programs or processes, no network, no signals, no tracing, no change to files it reads",
            "不能启动新程序或进程，不能联网、发送信号、跟踪其他进程，也不能改动可读文件的属性",
        ),
        Text(
            "submitted code can start programs and processes (needs Linux on x86-64 or arm64)",
            "提交的代码可以启动程序和进程（需要 x86-64 或 arm64 上的 Linux）",
        ),
        attempts=("process",),
    ),
    _Layer(
        "network-namespace",
        Text("there is no network where submitted code runs", "提交的代码运行的地方没有网络"),
        Text(
            "submitted code can use the network (needs user namespaces, which this system does not allow)",
            "提交的代码可以联网（需要用户命名空间，但本系统不允许）",
        ),
        ("seccomp", "landlock-network"),
        ("network",),
    ),
    _Layer(
        "landlock-network",
        Text("no TCP connections", "不能建立 TCP 连接"),
        Text(
            "submitted code can use the network (Linux 6.7 or later)",
            "提交的代码可以联网（需要 Linux 6.7 或更高版本）",
        ),
        ("network-namespace", "seccomp"),
        ("network",),
    ),
    _Layer(
        "landlock-signals",
        Text("no signals to other processes", "不能向其他进程发送信号"),
        Text(
            "submitted code can signal your other processes (Linux 6.12 or later)",
            "提交的代码可以向你的其他进程发送信号（需要 Linux 6.12 或更高版本）",
        ),
        ("seccomp", "unprivileged"),
        ("signal",),
    ),
)
ATTEMPTS = {
    "read": Text("reading a hidden suite", "读取隐藏测试"),
    "write": Text("writing outside its folder", "写入自己文件夹之外"),
    "process": Text("starting a process", "启动进程"),
    "network": Text("connecting to a port", "连接端口"),
    "signal": Text("signalling the grader", "向评分程序发送信号"),
    "threads": Text("too many threads", "启动过多线程"),
    "memory": Text("too much memory", "占用过多内存"),
}
UNPRIVILEGED = Text(
    "submitted code runs as a user of its own, who owns nothing",
    "提交的代码以一个专用的、不拥有任何文件的用户运行",
)
POWERLESS = Text(
    "submitted code runs as root, but without any of its powers (this Python is out of reach of nobody)",
    "提交的代码以 root 运行，但没有任何特权（nobody 用户无法访问此 Python）",
)
WITH_DEVICE = Text(
    "with `grade run --device` the limit of memory does not hold, and submitted code reaches the device's "
    "driver: for your own work only",
    "使用 `grade run --device` 时，内存上限不起作用，提交的代码还能访问设备的驱动程序：只用于自己的代码",
)
TRIED = Text("tried just now", "刚才试过")
PRIVILEGED = Text(
    "submitted code runs as root: start `grade` as an ordinary user instead",
    "提交的代码以 root 运行：请改用普通用户启动 `grade`",
)


def fit_for_strangers(layers: Collection[str], refused: Mapping[str, bool] | None = None) -> bool:
    """True when files, processes and resources are all confined, and what was tried was refused."""
    tried = refused or {}
    return {"limits", "landlock", "seccomp"} <= set(layers) and all(
        tried.get(n, True) for n in NEEDED_OF_STRANGERS
    )


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
        lines += _layer(layer, health, paper)
    lines += _rights(health, paper)
    lines += _attempts(health, paper)
    if health.device.startswith(("cuda", "mps")):
        lines += _row(False, "--device", WITH_DEVICE, paper)
    return [*lines, Styled(), *_verdict(health, paper)]


def _layer(layer: _Layer, health: Health, paper: Paper) -> list[Styled]:
    held: Collection[str] = health.layers or ()
    if layer.name in held:
        done = [ATTEMPTS[name] for name in layer.attempts if health.refused.get(name) is False]
        if not done:
            return _row(True, layer.name, layer.holds, paper)
        what = Text.join(done)
        words = Text(f"holds, it says, but {what.en} was not refused", f"据称有效，但{what.zh}没有被拒绝")
        return _row(False, layer.name, words, paper)
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


def _attempts(health: Health, paper: Paper) -> list[Styled]:
    """What was tried just now, rather than what is said."""
    if not health.refused:
        return []
    done = [words for name, words in ATTEMPTS.items() if health.refused.get(name) is False]
    count = len(health.refused)
    if not done:
        all_of = Text.join([ATTEMPTS[name] for name in health.refused if name in ATTEMPTS])
        words = Text(
            f"all of {count} attempts were refused ({all_of.en})", f"{count} 项尝试全部被拒绝（{all_of.zh}）"
        )
        return _row(True, paper.say(TRIED), words, paper)
    what = Text.join(done)
    words = Text(
        f"of {count} attempts these were not refused: {what.en}", f"{count} 项尝试中未被拒绝的有：{what.zh}"
    )
    return _row(False, paper.say(TRIED), words, paper)


def _row(good: bool, name: str, words: Text, paper: Paper) -> list[Styled]:
    sign = (paper.glyphs.passed, "green") if good else (paper.glyphs.failed, "red")
    sep = "：" if paper.language == "zh" else ": "
    head = Styled.assemble(sign, " ", (name, "bold"), sep, paper.prose(paper.say(words)))
    return paper.lines(head, "  ", "    ")


def _verdict(health: Health, paper: Paper) -> list[Styled]:
    if fit_for_strangers(health.layers or (), health.refused):
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
