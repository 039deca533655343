"""Bytes to a `SourceFile`: what it holds, or the sentence that says why it cannot be read."""

from __future__ import annotations

import codecs
import io
import tokenize
import warnings
from functools import lru_cache

from grader.submission.bombs import parse
from grader.submission.files import Problem, SourceFile
from grader.text import Text

__all__ = ["MAX_FILE", "parse_source", "parse_text", "unreadable"]

MAX_FILE = 256 << 10
MAX_KEPT = 20_000  # characters

# encodings of host names and of escapes: no text of a program, and some take minutes for a long line
UNUSUAL = frozenset(
    {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7", "mbcs", "oem"}
)


def unreadable(module: str, name: str, text: Text, line: int | None = None) -> SourceFile:
    """A file that is there and cannot be used as text."""
    return SourceFile(module, name, "", None, Problem("unreadable-file", text, line))


def parse_source(module: str, name: str, data: bytes) -> SourceFile:
    """One file from its bytes: what it holds, or the `Problem` that keeps it from being graded."""
    if b"\0" in data:
        return unreadable(module, name, *_binary(name, data))
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if "unknown encoding" in str(error):
            text = Text(
                f"{name} declares an encoding that Python does not know: remove the `coding:` comment",
                f"{name} 声明了 Python 不认识的编码：请删去 `coding:` 注释",
            )
            return unreadable(module, name, text, 1)
        return unreadable(module, name, *_not_utf8(name, data))
    if codecs.lookup(encoding).name in UNUSUAL:
        text = Text(
            f"{name} declares the encoding {encoding}, which is not one for source text: save it as UTF-8",
            f"{name} 声明的编码 {encoding} 不适用于源代码：请存为 UTF-8 编码",
        )
        return unreadable(module, name, text, 1)
    try:
        words = data.decode(encoding)
    except (ValueError, LookupError):
        return unreadable(module, name, *_not_utf8(name, data))
    return parse_text(module, name, words.replace("\r\n", "\n").replace("\r", "\n"))


def parse_text(module: str, name: str, words: str) -> SourceFile:
    """One file from its text.

    Of the files that are read again at each save, all but one are what they were: their trees, which nobody
    changes, are kept.  The tree of a large file takes a hundred times its size.
    """
    return (_parsed if len(words) > MAX_KEPT else _kept)(module, name, words)


def _parsed(module: str, name: str, words: str) -> SourceFile:
    if not words.strip():
        return SourceFile(module, name, words, None, _empty(name, "is empty", "是空文件"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse(words, name)
            compile(words, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or None
        reason = getattr(error, "msg", None) or str(error)
        where = f"{name}:{line}" if line else name
        text = Text(f"syntax error at {where}: {reason}", f"{where} 处有语法错误：{reason}")
        return SourceFile(module, name, words, None, Problem("syntax-error", text, line))
    except (RecursionError, MemoryError):
        text = Text(f"{name} is nested too deeply to be read", f"{name} 嵌套过深，无法解析")
        return SourceFile(module, name, words, None, Problem("syntax-error", text))
    file = SourceFile(module, name, words, tree)
    if file.only_words():
        problem = _empty(name, "holds nothing but comments", "只有注释，没有代码")
        return SourceFile(module, name, words, None, problem)
    return file


_kept = lru_cache(maxsize=32)(_parsed)


def _empty(name: str, en: str, zh: str) -> Problem:
    text = Text(
        f"{name} {en}: write your solution in it, or take the skeleton that `grade init` makes",
        f"{name} {zh}：请写入你的实现，或使用 `grade init` 生成的骨架",
    )
    return Problem("not-implemented", text)


def _binary(name: str, data: bytes) -> tuple[Text, int]:
    """A NUL byte: UTF-16 or UTF-32, or no text at all."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data.count(0) > len(data) // 4:
        return (
            Text(
                f"{name} is not UTF-8 text (it looks like UTF-16): save the file as UTF-8",
                f"{name} 不是 UTF-8 文本（看起来是 UTF-16）：请把文件存为 UTF-8 编码",
            ),
            1,
        )
    line = data.count(b"\n", 0, data.index(0)) + 1
    return (
        Text(
            f"{name}:{line} holds a NUL byte, so the file is damaged or no text: save it again as UTF-8",
            f"{name}:{line} 含有 NUL 字节，文件已损坏或不是文本：请重新存为 UTF-8 编码",
        ),
        line,
    )


def _not_utf8(name: str, data: bytes) -> tuple[Text, int]:
    position = 0
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        position = error.start
    line = data.count(b"\n", 0, position) + 1
    guess_en = guess_zh = ""
    if _is_gbk(data):
        guess_en, guess_zh = " (it looks like GBK)", "（看起来是 GBK）"
    return (
        Text(
            f"{name}:{line} is not UTF-8 text{guess_en}: save the file as UTF-8",
            f"{name}:{line} 不是 UTF-8 文本{guess_zh}：请把文件存为 UTF-8 编码",
        ),
        line,
    )


def _is_gbk(data: bytes) -> bool:
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return True
