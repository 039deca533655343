"""The table that tells whose a submission is, where its name does not: a CSV with a first row of names.

==============  ==================================================================================
``submission``  the entry in the folder: a folder or a file, as it is called there
``student``     the id for the mark sheet
``name``        (may be missing) a name for people
``handed_at``   (may be missing) when it was handed in, as 2027-03-01 18:30 or 2027-03-01T18:30+01:00
==============  ==================================================================================

Entries that the table leaves out keep what their own names say.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from grader.course.handed import Handed, go_together
from grader.errors import UsageError
from grader.text import Text

__all__ = ["Owner", "read_mapping", "refuse_shared"]

NEEDED = ("submission", "student")
COLUMNS = (*NEEDED, "name", "handed_at")
LARGEST = 16 << 20


@dataclass(frozen=True)
class Owner:
    """One row: at is None where the table has no time; number: of the row in the file."""

    student: str
    name: str | None
    at: datetime | None
    number: int = 0


def read_mapping(path: Path, entries: Sequence[str]) -> dict[str, Owner]:
    """The rows by the name of the entry.  Raises `UsageError` with the number of the row."""
    rows = _rows(path)
    found: dict[str, Owner] = {}
    for number, row in rows:
        entry = row["submission"].rstrip("/\\")
        if not entry or not row["student"]:
            missing = "submission" if not entry else "student"
            raise _wrong(path, number, Text(f"{missing} is empty", f"{missing} 为空"))
        if entry not in entries:
            raise _wrong(path, number, _not_there(entry, entries))
        if entry in found:
            words = Text(f"{entry} is in the table twice", f"{entry} 在表中出现两次")
            raise _wrong(path, number, words)
        found[entry] = Owner(row["student"], row.get("name") or None, _time(path, number, row), number)
    return found


def refuse_shared(path: Path, owners: Mapping[str, Owner], found: Sequence[Handed]) -> None:
    """Raises `UsageError` where the table gives one student two entries that are no parts of one."""
    groups: dict[str, list[Handed]] = {}
    for handed in found:
        if handed.place.name in owners:
            groups.setdefault(handed.student, []).append(handed)
    for student, group in groups.items():
        if len(group) > 1 and not go_together(group):
            rows = sorted((owners[h.place.name].number, h.place.name) for h in group)
            listed = ", ".join(f"{number} ({name})" for number, name in rows)
            raise UsageError(
                Text(
                    f"{path.name}, rows {listed}: all are given to {student}; a student has one submission",
                    f"{path.name} 第 {listed} 行：都对应 {student}；每个学生只能有一份提交",
                )
            )


def _rows(path: Path) -> list[tuple[int, Mapping[str, str]]]:
    """The rows with their numbers in the file (the first one, with the names, is 1)."""
    try:
        data = path.read_bytes()[:LARGEST]
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            Text(f"{path} is not UTF-8: save it as UTF-8", f"{path} 不是 UTF-8 编码：请存为 UTF-8")
        ) from error
    except OSError as error:
        raise UsageError(
            Text(f"{path} cannot be read: {error.strerror}", f"无法读取 {path}：{error.strerror}")
        ) from error
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        head = [word.strip().lower() for word in next(reader, [])]
        _check_head(path, head)
        found: list[tuple[int, Mapping[str, str]]] = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(head):
                words = Text(
                    f"it has {len(cells)} cells, but there are {len(head)} columns",
                    f"有 {len(cells)} 个单元格，但只有 {len(head)} 列",
                )
                raise _wrong(path, reader.line_num, words)
            cells += [""] * (len(head) - len(cells))
            found.append((reader.line_num, {n: c.strip() for n, c in zip(head, cells)}))
    except csv.Error as error:
        raise _wrong(path, reader.line_num, Text.same(str(error))) from error
    return found


def _check_head(path: Path, head: Sequence[str]) -> None:
    for name in head:
        if name not in COLUMNS:
            close = difflib.get_close_matches(name, COLUMNS, 1, 0.5)
            hint = Text(f"; did you mean {close[0]}?", f"；是否应为 {close[0]}？") if close else Text("", "")
            listed = ", ".join(COLUMNS)
            words = Text(f"no column is called {name!r}", f"没有名为 {name!r} 的列") + hint
            raise _wrong(path, 1, words + Text(f" (the columns are {listed})", f"（可用的列：{listed}）"))
    for name in NEEDED:
        if name not in head:
            raise _wrong(path, 1, Text(f"the column {name} is missing", f"缺少 {name} 列"))
    if len(set(head)) < len(head):
        raise _wrong(path, 1, Text("a column is there twice", "有重复的列"))


def _not_there(entry: str, entries: Sequence[str]) -> Text:
    close = difflib.get_close_matches(entry, entries, 1, 0.6)
    words = Text(f"there is no submission {entry!r}", f"没有名为 {entry!r} 的提交")
    return words + Text(f"; did you mean {close[0]!r}?", f"；是否应为 {close[0]!r}？") if close else words


def _time(path: Path, number: int, row: Mapping[str, str]) -> datetime | None:
    words = row.get("handed_at", "")
    if not words:
        return None
    with contextlib.suppress(ValueError):
        date.fromisoformat(words)
        text = Text(
            f"{words!r} is a day without an hour: write it as {words} 18:30",
            f"{words!r} 只有日期，没有时刻：请写成 {words} 18:30",
        )
        raise _wrong(path, number, text)
    try:
        return datetime.fromisoformat(words.removesuffix("Z") + ("+00:00" if words.endswith("Z") else ""))
    except ValueError:
        text = Text(
            f"{words!r} is no time: write it as 2027-03-01 18:30",
            f"{words!r} 不是时间：请写成 2027-03-01 18:30",
        )
        raise _wrong(path, number, text) from None


def _wrong(path: Path, number: int, words: Text) -> UsageError:
    return UsageError(
        Text(f"{path.name}, row {number}: {words.en}", f"{path.name} 第 {number} 行：{words.zh}")
    )
