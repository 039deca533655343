"""Files that cannot be used, or only in part: one clear sentence each, and the others are graded.

Every row is graded as a folder; the sentence is the `note` of the exercise, in both languages.
"""

# ruff: noqa: E501 (one row a line: what is handed in, and what is said)

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support import ROOT, Grader

SOLUTION = {p.stem: p.read_text(encoding="utf-8") for p in (ROOT / "solutions").glob("*.py")}
SKELETON = {p.stem: p.read_text(encoding="utf-8") for p in (ROOT / "skeletons").glob("*.py")}
ATTENTION, MASKS, HEADS = SOLUTION["attention"], SOLUTION["masks"], SOLUTION["multi_head_attention"]
END = ATTENTION.count("\n") + 1  # the line of a statement that is added at the end
IMPORT = "from attention import scaled_dot_product_attention"
AT = HEADS[: HEADS.index(IMPORT)].count("\n") + 1
NAME = "scaled_dot_product_attention"
STEPS = "    w = torch.softmax(query @ key.transpose(-1, -2), -1)\n"


def taking(parameters: str, result: str = "    return w @ value, w\n") -> str:
    return f"import torch\ndef {NAME}({parameters}):\n{STEPS}{result}"


@dataclass(frozen=True)
class Row:
    """expected: exercise to status, or to status and sentences; fault: the first one, and its line."""

    id: str
    files: dict[str, str | bytes]
    expected: dict[str, str | tuple[str, str, str]]
    fault: str | None = None
    line: int | None = None
    place: str = "attention.py"
    score: float | None = None
    budget: dict[str, float] = field(default_factory=dict)


def only(text: str | bytes, status: str, en: str = "", zh: str = "", **more: object) -> tuple[object, ...]:
    return {"attention": text}, {"attention": (status, en, zh) if en else status}, more


def later(
    text: str | bytes, status: str, en: str, zh: str, why_en: str = "", why_zh: str = "", **more: object
) -> tuple[object, ...]:
    """A broken attention.py below a right multi_head_attention.py, which is blocked."""
    blocked_en = why_en or f"needs attention.py, which cannot be used: {en}"
    blocked_zh = why_zh or f"需要 attention.py，但它无法使用：{zh}"
    return (
        {"attention": text, "multi_head_attention": HEADS, "masks": MASKS},
        {
            "attention": (status, en, zh),
            "masks": "passed",
            "multi_head_attention": ("blocked", blocked_en, blocked_zh),
        },
        more,
    )


def added(code: str) -> str:
    return f"{ATTENTION}{code}\n"


EMPTY_EN = "write your solution in it, or take the skeleton that `grade init` makes"
EMPTY_ZH = "请写入你的实现，或使用 `grade init` 生成的骨架"
GUARD_EN = 'move code that runs at import under `if __name__ == "__main__":`'
GUARD_ZH = '请把导入时运行的代码放到 `if __name__ == "__main__":` 之下'
WRITE_FIRST_EN, WRITE_FIRST_ZH = "write that exercise first", "请先完成那个练习"
USE_EN = "use PyTorch, the standard library and .py files of your own beside it"
USE_ZH = "请只用 PyTorch、标准库和放在同一文件夹里的 .py 文件"
HALF = (
    SKELETON["masks"]
    .replace('raise NotImplementedError("TODO: padding_mask")', "return (token_ids != pad_id)[:, None, None]")
    .replace(
        'raise NotImplementedError("TODO: causal_mask")',
        "return torch.ones(size, size, dtype=torch.bool, device=device).tril()",
    )
)
COMBINE = HALF[: HALF.index('raise NotImplementedError("TODO: combine')].count("\n") + 1
TODO = SKELETON["attention"][: SKELETON["attention"].index("raise Not")].count("\n") + 1
OPEN_EN, OPEN_ZH = (
    f"not written yet: the TODO at attention.py:{TODO}",
    f"尚未完成：attention.py:{TODO} 处的 TODO",
)
SAVE_EN, SAVE_ZH = "save the file as UTF-8", "请把文件存为 UTF-8 编码"
CHINESE = '"""中文说明。"""\n' + ATTENTION

# fmt: off
TABLE: dict[str, tuple[object, ...]] = {
    # nothing in it
    "empty": only("", "incomplete", f"attention.py is empty: {EMPTY_EN}", f"attention.py 是空文件：{EMPTY_ZH}", fault="not-implemented"),
    "white space": only(" \n\t\n", "incomplete", f"attention.py is empty: {EMPTY_EN}", f"attention.py 是空文件：{EMPTY_ZH}"),
    "comments": only("# to do\n", "incomplete", f"attention.py holds nothing but comments: {EMPTY_EN}", f"attention.py 只有注释，没有代码：{EMPTY_ZH}"),
    "docstring": only('"""To do."""\n', "incomplete", f"attention.py holds nothing but comments: {EMPTY_EN}", f"attention.py 只有注释，没有代码：{EMPTY_ZH}"),
    "imports only": only("import torch\n", "incomplete", f"attention.py does not define {NAME}", f"attention.py 没有定义 {NAME}", fault="missing-name"),
    # no Python
    "syntax": later("def f(:\n", "error", "syntax error at attention.py:1: invalid syntax", "attention.py:1 处有语法错误：invalid syntax", fault="syntax-error", line=1),
    "full-width comma": only(ATTENTION.replace("query", "query，", 1), "error"),
    "notebook magic": only("%matplotlib inline\n" + ATTENTION, "error", "syntax error at attention.py:1: invalid syntax", "attention.py:1 处有语法错误：invalid syntax"),
    "nested deeply": only("x = " + "-" * 90_000 + "1\n", "error", "attention.py is nested too deeply to be read", "attention.py 嵌套过深，无法解析"),
    # no text
    "GBK": only(CHINESE.encode("gbk"), "error", f"attention.py:1 is not UTF-8 text (it looks like GBK): {SAVE_EN}", f"attention.py:1 不是 UTF-8 文本（看起来是 GBK）：{SAVE_ZH}", fault="unreadable-file", line=1),
    "GBK that says so": only(b"# coding: gbk\n" + CHINESE.encode("gbk"), "passed"),
    "unknown encoding": only(b"# coding: klingon\nx = 1\n", "error", "attention.py declares an encoding that Python does not know: remove the `coding:` comment", "attention.py 声明了 Python 不认识的编码：请删去 `coding:` 注释"),
    "UTF-16": only(ATTENTION.encode("utf-16"), "error", f"attention.py is not UTF-8 text (it looks like UTF-16): {SAVE_EN}", f"attention.py 不是 UTF-8 文本（看起来是 UTF-16）：{SAVE_ZH}"),
    "UTF-16 without a mark": only(ATTENTION.encode("utf-16-le"), "error", f"attention.py is not UTF-8 text (it looks like UTF-16): {SAVE_EN}", f"attention.py 不是 UTF-8 文本（看起来是 UTF-16）：{SAVE_ZH}"),
    "latin-1": only(b"x = 1\n# caf\xe9 na\xefve\n" + ATTENTION.encode(), "error", f"attention.py:2 is not UTF-8 text: {SAVE_EN}", f"attention.py:2 不是 UTF-8 文本：{SAVE_ZH}", line=2),
    "byte order mark": only(b"\xef\xbb\xbf" + ATTENTION.encode(), "passed"),
    "CRLF": only(ATTENTION.replace("\n", "\r\n"), "passed"),
    "CR": only(ATTENTION.replace("\n", "\r"), "passed"),
    "NUL": only(ATTENTION + "\0\n", "error", f"attention.py:{END} holds a NUL byte, so the file is damaged or no text: save it again as UTF-8", f"attention.py:{END} 含有 NUL 字节，文件已损坏或不是文本：请重新存为 UTF-8 编码"),
    "2 MiB": only(added("#" * (2 << 20)), "error", "attention.py is larger than 256 KiB", "attention.py 超过 256 KiB", fault="unreadable-file"),
    # what happens at import
    "prints": only(added("print('hello')"), "passed"),
    "input": only("n = input()\n" + ATTENTION, "error", "attention.py:1 asks for input while the file is imported: remove the call of input()", "attention.py:1 在导入时要求输入：请去掉 input() 调用", line=1),
    "exits": later(added("exit()"), "error", f"attention.py:{END} exits while the file is imported: remove that call", f"attention.py:{END} 在导入时退出了程序：请去掉这个调用", fault="import-error", line=END),
    "leaves": later(added("import os; os._exit(3)"), "stopped", "importing attention.py ended the process (exit code 3)", "导入 attention.py 时进程结束了（退出码 3）", fault="crash"),
    "loops": later(added("while True: pass"), "stopped", f"importing attention.py:{END} took longer than 0.5 s: {GUARD_EN}", f"导入 attention.py:{END} 超过 0.5 秒：{GUARD_ZH}", fault="timeout", line=END, budget={"load": 0.5}),
    "50 GB": later(added("x = bytearray(50 << 30)"), "stopped", f"attention.py:{END} asks for too much memory while the file is imported", f"attention.py:{END} 在导入时申请了过多内存", fault="out-of-memory", line=END),
    "raises": later(added("1 / 0"), "error", f"attention.py:{END} fails when the file is imported: ZeroDivisionError: division by zero", f"attention.py:{END} 在导入时出错：ZeroDivisionError：division by zero", fault="import-error", line=END),
    "raises nothing to read": only(added("raise KeyboardInterrupt"), "error", f"attention.py:{END} fails when the file is imported: KeyboardInterrupt", f"attention.py:{END} 在导入时出错：KeyboardInterrupt"),
    # imports
    "third party": later("import flash_attn\n", "error", f"attention.py:1 imports flash_attn, which is not there: {USE_EN}", f"attention.py:1 导入了 flash_attn，但它不存在：{USE_ZH}"),
    "grader": only("import grader.exercises.attention.model\n", "error", f"attention.py:1 imports grader.exercises, which is not there: {USE_EN}", f"attention.py:1 导入了 grader.exercises，但它不存在：{USE_ZH}"),
    "itself": only("from attention import x\n", "error", "attention.py:1 imports itself", "attention.py:1 导入了它自己"),
    "round in a circle": later(f"from multi_head_attention import MultiHeadAttention\n{ATTENTION}", "error", "attention.py:1 imports multi_head_attention, which itself builds on it: remove this import", "attention.py:1 导入了 multi_head_attention，而后者依赖于它：请去掉这个导入", line=1),
    "earlier without the name": later(ATTENTION.replace(NAME, "attend"), "incomplete", f"attention.py does not define {NAME}", f"attention.py 没有定义 {NAME}", f"multi_head_attention.py:{AT} imports {NAME} from attention.py, which does not define it", f"multi_head_attention.py:{AT} 从 attention.py 导入 {NAME}，但其中没有定义它"),
    "earlier to do": later(SKELETON["attention"], "incomplete", OPEN_EN, OPEN_ZH, f"needs attention.py, whose TODO is still open; {WRITE_FIRST_EN}", f"需要 attention.py，但其中的 TODO 尚未完成；{WRITE_FIRST_ZH}"),
    # kinds
    "class": only(f"class {NAME}:\n    pass\n", "incomplete", f"attention.py:1: {NAME} should be a function, and is a class", f"attention.py:1：{NAME} 应是函数，却是类", fault="missing-name", line=1),
    "constant": only(f"\n{NAME} = 3\n", "incomplete", f"attention.py:2: {NAME} should be a function, and is an int", f"attention.py:2：{NAME} 应是函数，却是 int", line=2),
    "none": only(f"{NAME} = None\n", "incomplete", f"attention.py:1: {NAME} should be a function, and is None", f"attention.py:1：{NAME} 应是函数，却是 None"),
    "async": only(f"async def {NAME}(q): return q\n", "incomplete", f"attention.py:1: {NAME} gives no result when it is called: write `def`, not `async def`", f"attention.py:1：调用 {NAME} 得不到结果：请写 `def`，不要写 `async def`", line=1),
    "generator": only(f"def {NAME}(q): yield q\n", "incomplete", f"attention.py:1: {NAME} gives no result when it is called: write `return`, not `yield`", f"attention.py:1：调用 {NAME} 得不到结果：请写 `return`，不要写 `yield`"),
    "misspelt": only("\ndef scaled_dot_product_atention(q): return q\n", "incomplete", f"attention.py does not define {NAME} (there is scaled_dot_product_atention at line 2: rename it?)", f"attention.py 没有定义 {NAME}（第 2 行有 scaled_dot_product_atention：是否应改名？）", fault="missing-name", line=2),
    "behind a condition": only("if True:\n" + "".join(f"    {li}\n" for li in ATTENTION.splitlines()), "passed"),
    "decorated": only(ATTENTION.replace("def ", "def same(f):\n    return lambda *a, **k: f(*a, **k)\n\n\n@same\ndef ", 1), "passed"),
    # results and parameters
    "returns nothing": only(taking("query, key, value, mask=None, dropout=None", ""), "failed", fault="not-implemented", line=3),
    "parameter missing": only(taking("query, key, value, mask=None"), "failed", fault="wrong-signature", line=2),
    "parameter renamed": only(taking("query, key, value, m=None, dropout=None"), "failed", fault="wrong-signature", line=2),
    "parameter required": only(taking("query, key, value, d_k, mask=None, dropout=None"), "failed", fault="wrong-signature", line=2),
    # TODOs
    "skeleton": only(SKELETON["attention"], "incomplete", OPEN_EN, OPEN_ZH, fault="not-implemented", line=TODO),
    "skeleton above": only(f"{SKELETON['attention']}\n{ATTENTION}", "passed"),
    "raise left below": only(added("    raise NotImplementedError('TODO')"), "passed"),
    "TODO in a comment": only(ATTENTION.replace("    return", "    # TODO: rename\n    return"), "passed"),
    "written twice": only(f"{ATTENTION}\n{ATTENTION}".replace("/ math.sqrt", "* math.sqrt", 1), "passed"),
}
OTHERS = [
    Row("half of the masks", {"masks": HALF}, {"masks": ("incomplete", f"combine_masks, apply_mask are not written yet (the TODO at masks.py:{COMBINE})", f"combine_masks、apply_mask 尚未完成（masks.py:{COMBINE} 处的 TODO）")}, "not-implemented", COMBINE, "masks.py", 4.75),
    Row("half, and one is wrong", {"masks": HALF.replace("tril", "triu")}, {"masks": "incomplete"}, "causal-mask-transposed", HALF[: HALF.index("tril")].count("\n") + 1, "masks.py"),
    Row("half of the names", {"masks": HALF[: HALF.index("def combine")]}, {"masks": ("incomplete", "masks.py does not define combine_masks; masks.py does not define apply_mask", "masks.py 没有定义 combine_masks；masks.py 没有定义 apply_mask")}, "missing-name", None, "masks.py", 4.75),
    Row("earlier is missing", {"multi_head_attention": HEADS}, {"multi_head_attention": ("blocked", f"needs attention.py, which is not there; {WRITE_FIRST_EN}", f"需要 attention.py，但没有这个文件；{WRITE_FIRST_ZH}")}),
    Row("earlier is missing, another way is tried", {"fallback": ATTENTION, "multi_head_attention": HEADS.replace(IMPORT, f"try:\n    {IMPORT}\nexcept ImportError:\n    {IMPORT.replace('attention', 'fallback', 1)}")}, {"multi_head_attention": "passed"}),
    Row("a name of one's own", {"attention": ATTENTION, "multi_head_attention": f"from attention import my_softmax\n{HEADS}"}, {"attention": "passed", "multi_head_attention": ("error", "multi_head_attention.py:1 imports my_softmax from attention.py, which does not define it", "multi_head_attention.py:1 从 attention.py 导入 my_softmax，但其中没有定义它")}),
    Row("wrong capitals", {"attention": ATTENTION, "multi_head_attention": HEADS.replace("from attention", "from Attention")}, {"attention": "passed", "multi_head_attention": ("error", f"multi_head_attention.py:{AT} imports Attention, which is not there (there is attention.py): {USE_EN}", f"multi_head_attention.py:{AT} 导入了 Attention，但它不存在（有 attention.py）：{USE_ZH}")}),
    Row("star import", {"attention": ATTENTION, "multi_head_attention": HEADS.replace(IMPORT, "from attention import *")}, {"attention": "passed", "multi_head_attention": "passed"}),
    Row("relative import", {"attention": ATTENTION, "multi_head_attention": HEADS.replace("from attention", "from .attention")}, {"attention": "passed", "multi_head_attention": ("error", f"multi_head_attention.py:{AT} is a relative import: write `from attention import ...`, without the dot", f"multi_head_attention.py:{AT} 是相对导入：请去掉点号，写成 `from attention import ...`")}, None, None),
    Row("helper", {"attention": f"from helpers import {NAME}\n", "helpers": ATTENTION}, {"attention": "passed"}),
    Row("helper is missing", {"attention": "import helpers\n"}, {"attention": ("error", f"attention.py:1 imports helpers, which is not there: {USE_EN}", f"attention.py:1 导入了 helpers，但它不存在：{USE_ZH}")}),
    Row("helper is no Python", {"attention": "import helpers\n", "helpers": "\ndef f(:\n"}, {"attention": ("error", "needs helpers.py, which cannot be used: syntax error at helpers.py:2: invalid syntax", "需要 helpers.py，但它无法使用：helpers.py:2 处有语法错误：invalid syntax")}, "syntax-error", 2, "helpers.py"),
    Row("helper raises", {"attention": "import helpers\n", "helpers": "1 / 0\n"}, {"attention": ("error", "helpers.py:1 fails when the file is imported: ZeroDivisionError: division by zero", "helpers.py:1 在导入时出错：ZeroDivisionError：division by zero")}, "import-error", 1, "helpers.py"),
    Row("names of the library", {"attention": ATTENTION, "torch": "1 / 0", "typing": "1 / 0", "math": "1 / 0", "numpy": "1 / 0"}, {"attention": "passed"}),
    Row("three hundred files", {"attention": ATTENTION, **{f"a{n}": "x = 1" for n in range(300)}}, {"attention": "passed"}),
    Row("large helpers", {"attention": ATTENTION, **{f"a{n}": "#" + "中" * 80_000 for n in range(30)}}, {"attention": "passed"}),
    Row("function for a class", {"multi_head_attention": "def MultiHeadAttention(d_model, num_heads): return 1\n"}, {"multi_head_attention": ("incomplete", "multi_head_attention.py:1: MultiHeadAttention should be a class, and is a function", "multi_head_attention.py:1：MultiHeadAttention 应是类，却是函数")}, "missing-name", 1, "multi_head_attention.py"),
    Row("class without a base", {"multi_head_attention": "class MultiHeadAttention:\n    pass\n"}, {"multi_head_attention": ("incomplete", "multi_head_attention.py:1: MultiHeadAttention is no nn.Module: write `(nn.Module)` behind its name", "multi_head_attention.py:1：MultiHeadAttention 不是 nn.Module：请在类名后面写上 `(nn.Module)`")}, "missing-name", 1, "multi_head_attention.py"),
    Row("empty helper method", {"layer_norm": SOLUTION["layer_norm"].replace("    def forward", "    def hook(self):\n        pass\n\n    def forward")}, {"layer_norm": "passed"}),
]
# fmt: on
ROWS = [Row(name, files, expected, **more) for name, (files, expected, more) in TABLE.items()] + OTHERS  # type: ignore[arg-type, misc]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_one_clear_sentence(grader: Grader, row: Row, tmp_path: Path) -> None:
    from grader.marking.run import grade
    from grader.submission.source import read_submission

    for name, text in row.files.items():
        (tmp_path / f"{name}.py").write_bytes(text.encode() if isinstance(text, str) else text)
    report = grade(read_submission(tmp_path), grader.launcher, budget=row.budget)
    found = {e.id: e for e in report.exercises}
    assert found.keys() == row.expected.keys()
    for name, wanted in row.expected.items():
        result = found[name]
        status, *sentences = (wanted,) if isinstance(wanted, str) else wanted
        assert result.status == status
        if sentences:
            assert result.note is not None
            assert [result.note.en, result.note.zh] == sentences
        if all(c.outcome == "skipped" for c in result.checks):  # the JSON has no other place for it
            assert {c.message for c in result.checks} == {result.note}
        if status == "blocked":
            assert not result.diagnoses
    first = next(iter(found.values()))
    if row.fault is not None:
        fault = first.diagnoses[0].faults[0]
        assert (fault.id, fault.line, fault.file) == (row.fault, row.line, row.place)
        assert len(fault.hints) == 3
    if row.score is not None:
        assert first.score == row.score
