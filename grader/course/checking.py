"""Reads values out of a TOML table, strictly, and says where a wrong one stands."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from grader.errors import UsageError
from grader.text import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Table", "wrong_toml"]

T = TypeVar("T")
MOST = 1e6  # of any number: points, factors, minutes
KINDS = {
    bool: Text("true or false", "true 或 false"),
    str: Text("text in quotes", "引号中的文字"),
    int: Text("a number", "数字"),
    float: Text("a number", "数字"),
    list: Text("a list", "列表"),
    dict: Text("a table", "表"),
}


def wrong_toml(name: str, error: tomllib.TOMLDecodeError) -> UsageError:
    """The file is no TOML at all."""
    return UsageError(Text(f"{name} is not valid TOML: {error}", f"{name} 不是有效的 TOML：{error}"))


@dataclass(frozen=True)
class Table:
    """One table of the file `name`; an unknown key in it is an error."""

    name: str
    text: str
    data: Mapping[str, Any]
    known: Collection[str]
    path: str = ""

    def __post_init__(self) -> None:
        for key in self.data:
            if key not in self.known:
                close = difflib.get_close_matches(key, self.known, 1, 0.5)
                hint = (
                    Text(f"; did you mean {close[0]}?", f"；是否应为 {close[0]}？")
                    if close
                    else _listed(self)
                )
                raise self.wrong(key, Text("is not known", "未知") + hint)

    # -- values -------------------------------------------------------------------------------------

    def table(self, key: str, known: Collection[str]) -> Table:
        """A table within this one; empty where it is missing."""
        data = self._typed(key, (dict,), {})
        return Table(self.name, self.text, data, known, f"{self.path}{key}.")

    def words(self, key: str) -> str | None:
        found: str | None = self._typed(key, (str,), None)
        return found

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, (bool,), default))

    def number(
        self, key: str, default: T, *, low: float, high: float = MOST, open_low: bool = False
    ) -> float | T:
        """A number between `low` and `high`; `default` where the key is missing."""
        value = self._typed(key, (int, float), None)
        if value is None:
            return default
        above = value > low if open_low else value >= low
        if not above or not value <= high:
            least = f"> {low:g}" if open_low else f">= {low:g}"
            bound = f"{low:g} – {high:g}" if high < MOST and not open_low else f"{least}, <= {high:g}"
            is_now = f"{value:g}" if isinstance(value, float) or abs(value) <= MOST else "too large"
            words = Text(f"is {is_now}, but must be {bound}", f"是 {is_now}，应为 {bound}")
            raise self.wrong(key, words if is_now != "too large" else _too_large(bound))
        return float(value)

    def names(self, key: str, allowed: Sequence[str]) -> tuple[str, ...]:
        """A list of names out of `allowed`, each once; empty where the key is missing."""
        value = self._typed(key, (list,), None)
        if value is None:
            return ()
        if not value:
            raise self.wrong(key, Text("is empty", "为空"))
        for name in value:
            if not isinstance(name, str) or name not in allowed:
                close = difflib.get_close_matches(str(name), allowed, 1, 0.5)
                listed = ", ".join(allowed)
                hint = Text(f"the exercises are {listed}", f"练习有 {listed}")
                if close:
                    hint = Text(f"did you mean {close[0]}?", f"是否应为 {close[0]}？")
                words = Text(f"holds {name!r}, which is no exercise; ", f"中的 {name!r} 不是练习；")
                raise self.wrong(key, words + hint)
            if value.count(name) > 1:
                raise self.wrong(key, Text(f"holds {name} twice", f"中 {name} 出现两次"))
        return tuple(value)

    def moment(self, key: str, zone_key: str) -> datetime:
        """A time with its zone: an offset of its own, or the zone that `zone_key` names."""
        value = self.data.get(key)
        if value is None:
            raise self.wrong("", Text(f"needs a {key}", f"缺少 {key}"))
        if not isinstance(value, datetime):
            example = "2027-03-01T23:59:00"
            extra = (
                Text(" (a day alone has no hour)", "（只有日期，没有时刻）")
                if isinstance(value, date)
                else Text("", "")
            )
            raise self.wrong(
                key,
                Text(f"must be a time, without quotes: {example}", f"应为不带引号的时间：{example}") + extra,
            )
        zone = self.words(zone_key)
        if value.tzinfo is not None:
            if zone is not None:
                words = Text(
                    f"is not needed: {key} has an offset of its own; keep one of the two",
                    f"是多余的：{key} 已有时区偏移；请只保留一个",
                )
                raise self.wrong(zone_key, words)
            return value
        if zone is None:
            words = Text(
                f'has no time zone: add {zone_key} = "Europe/Berlin" (or yours), or an offset: '
                f"{value.isoformat()}+01:00",
                f'没有时区：请加上 {zone_key} = "Asia/Shanghai"（或你的时区），或写明偏移：'
                f"{value.isoformat()}+08:00",
            )
            raise self.wrong(key, words)
        try:
            return value.replace(tzinfo=ZoneInfo(zone))
        except (KeyError, ValueError, OSError) as error:
            words = Text(
                f"{zone!r} is not known on this machine: write Area/City, as Europe/Berlin",
                f"{zone!r} 在本机未知：请写成 地区/城市，如 Asia/Shanghai",
            )
            raise self.wrong(zone_key, words) from error

    # -- errors -------------------------------------------------------------------------------------

    def wrong(self, key: str, words: Text) -> UsageError:
        """The error at a key, with its line where it can be found in the text."""
        line = _line(self.text, self.path, key)
        at = f"{self.name}:{line}" if line else self.name
        full = f"{self.path}{key}".strip(".")
        return UsageError(Text(f"{at}: {full} {words.en}", f"{at}：{full} {words.zh}"))

    def _typed(self, key: str, kinds: tuple[type, ...], default: Any) -> Any:
        value = self.data.get(key)
        if value is None:
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            kind = KINDS[kinds[0]]
            raise self.wrong(
                key, Text(f"must be {kind.en}, not {value!r}", f"应为{kind.zh}，而不是 {value!r}")
            )
        return value


def _too_large(bound: str) -> Text:
    return Text(f"is too large: it must be {bound}", f"太大：应为 {bound}")


def _listed(table: Table) -> Text:
    names = ", ".join(table.known)
    return Text(f"; the keys here are {names}", f"；可用的键：{names}")


def _line(text: str, path: str, key: str) -> int | None:
    """The line of ``key =`` in its table, as a person would look for it."""
    table = path.rstrip(".")
    here = ""
    last: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\s*([\w.\"-]+)\s*\]", line)
        if head is not None:
            here = head[1].replace('"', "")
            if here == (table or key) and (not key or not table):
                return number
            continue
        if key and here == table and re.match(rf"\s*\"?{re.escape(key)}\"?\s*(=|\.)", line):
            return number
        if not here and table and re.match(rf"\s*{re.escape(table)}\s*(=|\.)", line):
            last = number
    return last
