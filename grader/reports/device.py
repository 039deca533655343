"""What a run on a device found, below the report: errors in roundings, and the memory it took."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text as Styled

from grader.devices.records import DeviceCall, DeviceRun, Way
from grader.reports.cleaning import clean
from grader.reports.paper import Paper
from grader.reports.precision import SHORT
from grader.text import Text

__all__ = ["device_lines", "device_object"]

COLUMNS = (
    Text("forward", "前向"),
    Text("backward", "反向"),
    Text("memory", "内存"),
    Text("in S × S", "折合 S × S"),
)
WIDTH = 11
LEGEND = Text(
    "Errors are in roundings of float32, and of bfloat16 under autocast, against the float64 model on the "
    "CPU. Memory is the most that tensors took at once, of forward and backward together; S × S is one "
    "tensor of the size of all attention weights in float32.",
    "误差以 float32（autocast 下为 bfloat16）的舍入单位计，对照的是 CPU 上的 float64 模型。内存是前向和反向"
    "过程中张量同时占用的最大值；S × S 指一个与全部注意力权重同样大小的 float32 张量。",
)
WEAKER = Text(
    "With an accelerator the code is confined less well: its driver is reachable, and memory has no limit. "
    "The marks above were given without it.",
    "使用加速器时，代码的隔离较弱：它能访问驱动程序，内存也没有上限。上面的分数是在没有加速器的情况下给出的。",
)


def device_lines(run: DeviceRun, paper: Paper) -> list[Styled]:
    """A table, what is wrong, and what the numbers mean."""
    sizes = Text(
        f"On {run.device}: batch {run.batch}, {run.heads} heads, {run.positions} positions",
        f"在 {run.device} 上：批大小 {run.batch}，{run.heads} 个头，{run.positions} 个位置",
    )
    lines = [Styled(), *paper.lines(Styled(paper.say(sizes), "bold"))]
    if run.calls:
        width = min(max(cell_len(_name(c, w)) for c in run.calls for w in c.ways), 44)
        head = Styled(" " * (width + 4))
        for words in COLUMNS:
            _cell(head, paper.say(words), "dim")
        lines.append(head)
        for call in run.calls:
            for way in call.ways:
                lines += _row(call, way, width, paper)
    if run.left_out:
        names = Text.join([Text.same(name) for name in run.left_out])
        words = Text(
            f"Not tried, since not passed: {names.en}.", f"未通过，因此没有在设备上尝试：{names.zh}。"
        )
        lines += paper.lines(paper.say(words))
    lines += paper.lines(paper.say(LEGEND), style="dim") if run.calls else []
    return lines + ([] if run.device == "cpu" else paper.lines(paper.say(WEAKER), style="dim"))


def _row(call: DeviceCall, way: Way, width: int, paper: Paper) -> list[Styled]:
    sign = (paper.glyphs.passed, "green") if way.right else (paper.glyphs.failed, "red")
    name = Styled(_name(call, way))
    name.truncate(width, overflow="ellipsis", pad=True)
    line = Styled.assemble("  ", sign, " ", name)
    for number in (way.forward, way.backward):
        _cell(line, "" if number is None else f"{number:.1f}")
    if way.held is not None:
        _cell(line, f"{way.held / 2**20:,.0f} MiB")
        _cell(line, "" if call.square is None else f"{way.held / call.square:.1f}")
    lines = [line]
    if way.note is not None:
        spot = paper.in_brackets(paper.spot(way.file, way.line))
        lines += paper.lines(Styled.assemble(paper.prose(paper.say(way.note)), spot), "    ")
    return lines


def _cell(line: Styled, words: str, style: str = "") -> None:
    line.append(" " * max(1, WIDTH - cell_len(words)) + words, style or None)


def _name(call: DeviceCall, way: Way) -> str:
    return f"{SHORT.get(call.target, call.target)}, {way.precision}"


def device_object(run: DeviceRun, language: str) -> dict[str, object]:
    """For the JSON result, under ``device``."""
    return {
        "name": run.device,
        "right": run.right,
        "batch": run.batch,
        "heads": run.heads,
        "positions": run.positions,
        "layers": list(run.layers),
        "left_out": list(run.left_out),
        "calls": [
            {
                "exercise": call.exercise,
                "target": call.target,
                "square_bytes": call.square,
                **{way.precision: _plain(way, language) for way in call.ways},
            }
            for call in run.calls
        ],
    }


def _plain(way: Way, language: str) -> dict[str, object]:
    return {
        "right": way.right,
        "forward": way.forward,
        "backward": way.backward,
        "allowed": way.allowed,
        "held_bytes": way.held,
        "note": None if way.note is None else clean(way.note.in_(language)),
    }
