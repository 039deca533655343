"""``course.toml``: points, weights, which exercises count, late work, rounding.  See docs/course.md.

Reading it is strict: a key that is unknown, or a value of another type, is an error with its place, never
a default.  Nothing in it but `exercises` changes what is graded, so a change of rules grades nothing anew.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.course.checking import Table, wrong_toml
from grader.errors import UsageError
from grader.exercises.registry import exercise, module_names
from grader.text import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = ("title", "exercises", "edge_checks", "total", "round_to", "points", "weights", "late", "anonymous")

FINEST = 1e-6  # step of a mark

__all__ = ["Course", "Late", "parse_course", "read_course", "template"]


@dataclass(frozen=True)
class Late:
    """What late work costs: penalty_per_day in percent of the mark for each day begun after the deadline
    and the minutes of grace; at_most: the most that is taken off, in percent; none_after: days after which
    there is no mark at all."""

    deadline: datetime
    penalty_per_day: float = 0.0
    grace_minutes: float = 0.0
    at_most: float = 100.0
    none_after: float | None = None


@dataclass(frozen=True)
class Course:
    """The rules of a course.

    points: what each exercise is worth (the kit's own points where nothing is said); weights: factors;
    edge_checks: False leaves the edge checks out; round_to: the step of the final mark, 0 for none; total:
    the sum that the points are scaled to, None for their own; salt: for pseudonyms, None for the store's.
    """

    title: str = ""
    exercises: tuple[str, ...] = field(default_factory=module_names)
    edge_checks: bool = True
    points: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    total: float | None = None
    round_to: float = 0.01
    late: Late | None = None
    salt: str | None = None


def read_course(path: Path) -> Course:
    """Reads the file.  Raises `UsageError` with the line of what is wrong, where it has one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            Text(f"{path} is not UTF-8: save it as UTF-8", f"{path} 不是 UTF-8 编码：请存为 UTF-8")
        ) from error
    except OSError as error:
        why = error.strerror
        raise UsageError(Text(f"{path} cannot be read: {why}", f"无法读取 {path}：{why}")) from error
    return parse_course(text, path.name)


def parse_course(text: str, name: str = "course.toml") -> Course:
    """The rules from the text of a ``course.toml``."""
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise wrong_toml(name, error) from error
    top = Table(name, text, data, KEYS)
    ids = top.names("exercises", module_names()) or module_names()
    tables = {n: top.table(n, module_names()) for n in ("points", "weights")}
    worth = {n: {e: t.number(e, 0.0, low=0.0) for e in t.data} for n, t in tables.items()}
    anonymous = top.table("anonymous", ("salt",))
    salt = anonymous.words("salt")
    if salt is not None and not salt.strip():
        raise anonymous.wrong(
            "salt", Text("is empty: write a long secret, or leave it out", "为空：请写一段长的密语，或删去")
        )
    counted = [e for e in module_names() if e in ids]
    if not any(_worth(e, worth) for e in counted):
        raise top.wrong("points", Text("are 0 for all that counts", "对所有计分的练习都是 0"))
    step = top.number("round_to", 0.01, low=0.0)
    if 0.0 < step < FINEST:
        raise top.wrong(
            "round_to",
            Text(f"is {step:g}, but must be 0 or >= {FINEST:g}", f"是 {step:g}，应为 0 或 >= {FINEST:g}"),
        )
    return Course(
        title=top.words("title") or "",
        exercises=tuple(e for e in module_names() if e in ids),
        edge_checks=top.flag("edge_checks", True),
        points=worth["points"],
        weights=worth["weights"],
        total=top.number("total", None, low=0.0, open_low=True),
        round_to=step,
        late=_late(top),
        salt=salt,
    )


def _worth(name: str, worth: Mapping[str, Mapping[str, float]]) -> float:
    return worth["points"].get(name, exercise(name).max_score) * worth["weights"].get(name, 1.0)


def _late(top: Table) -> Late | None:
    known = ("deadline", "time_zone", "penalty_per_day", "grace_minutes", "at_most", "none_after")
    table = top.table("late", known)
    if not table.data:
        return None
    return Late(
        deadline=table.moment("deadline", "time_zone"),
        penalty_per_day=table.number("penalty_per_day", 0.0, low=0.0, high=100.0),
        grace_minutes=table.number("grace_minutes", 0.0, low=0.0),
        at_most=table.number("at_most", 100.0, low=0.0, high=100.0),
        none_after=table.number("none_after", None, low=0.0),
    )


def template(language: str = "en") -> str:
    """A ``course.toml`` with every key, its default and what it means, in that language."""
    ids = module_names()
    listed = "".join(f'  "{name}",\n' for name in ids)
    points = "".join(f"# {name} = {exercise(name).max_score:g}\n" for name in ids)
    weights = "".join(f"# {name} = 1\n" for name in ids)
    text = CHINESE if language == "zh" else TEMPLATE
    return text.format(exercises=listed, points=points, weights=weights)


TEMPLATE = """\
# The rules of a course, for `grade batch --course course.toml`.  docs/course.md explains every key.
# What is commented out shows the default, or an example of something that is off.

# title = "Transformers, spring term"     # on the class report

exercises = [                             # those that count
{exercises}]

edge_checks = true                        # false: edge checks earn and cost nothing
round_to = 0.01                           # step of the final mark: 1, 0.5, ...; 0 does not round
# total = 100                             # scale all points to this sum

[points]                                  # what an exercise is worth; otherwise its own points
{points}
[weights]                                 # a factor for its points
{weights}
# [late]
# deadline = 2027-03-01T23:59:00          # a local time, in the zone below; or with an offset: ...+01:00
# time_zone = "Europe/Berlin"
# penalty_per_day = 10                    # percent of the mark, for each day that has begun
# grace_minutes = 15                      # after the deadline, without penalty
# at_most = 50                            # percent that is taken off at most
# none_after = 7                          # days after which there is no mark

[anonymous]
# salt = "a long secret sentence"         # pseudonyms are the same wherever this is; keep it to yourself
"""

CHINESE = """\
# 课程的规则，用于 `grade batch --course course.toml`。每一项的说明见 docs/course.md。
# 以 # 开头的行写的是默认值，或是某个未启用项的例子。

# title = "Transformer，春季学期"          # 班级报告的标题

exercises = [                             # 计分的练习
{exercises}]

edge_checks = true                        # false：边界检查不加分也不扣分
round_to = 0.01                           # 最终成绩的步长：1、0.5 等；0 表示不取整
# total = 100                             # 把总分换算成这个数

[points]                                  # 每个练习的分值；不写则用它自己的分值
{points}
[weights]                                 # 分值的倍数
{weights}
# [late]
# deadline = 2027-03-01T23:59:00          # 下面时区的当地时间；或带偏移：...+08:00
# time_zone = "Asia/Shanghai"
# penalty_per_day = 10                    # 每迟一天（不足一天按一天）扣成绩的百分之几
# grace_minutes = 15                      # 截止后不扣分的分钟数
# at_most = 50                            # 最多扣百分之几
# none_after = 7                          # 超过这些天就没有成绩

[anonymous]
# salt = "一段很长的密语"                 # 密语相同则化名相同；请勿外传
"""
