"""The file beside the submissions that Gradescope exports: who handed in which, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.text import Text

__all__ = ["METADATA", "Person", "read_metadata"]

METADATA = "submission_metadata.yml"


@dataclass(frozen=True)
class Person:
    """One of those who handed in a submission."""

    student: str
    name: str | None
    at: datetime | None


def read_metadata(path: Path) -> dict[str, list[Person]]:
    """The people of each folder; several where it was handed in as a group."""
    import yaml  # type: ignore[import-untyped]

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # a safe one
    except (OSError, ValueError, yaml.YAMLError) as error:
        why = str(error).splitlines()[0]
        raise UsageError(Text(f"{path} cannot be read: {why}", f"无法读取 {path}：{why}")) from error
    if not isinstance(data, dict):
        raise UsageError(
            Text(
                f"{path} is not what Gradescope writes: export the submissions again, or remove the file",
                f"{path} 不是 Gradescope 导出的格式：请重新导出提交，或删除该文件",
            )
        )
    return {str(key): _people(str(key), entry) for key, entry in data.items() if isinstance(entry, dict)}


def _people(folder: str, entry: dict[Any, Any]) -> list[Person]:
    at = _time(entry.get(":created_at"))
    submitters = entry.get(":submitters")
    people = []
    for row in submitters if isinstance(submitters, list) else []:
        if isinstance(row, dict):
            name = row.get(":name")
            student = next((row[k] for k in (":sid", ":email", ":name") if row.get(k)), None)
            if student is not None:
                people.append(Person(str(student), str(name) if name else None, at))
    return people or [Person(folder, None, at)]


def _time(value: object) -> datetime | None:
    """A time of Gradescope's; one without a zone is UTC.  A day alone is no time."""
    if isinstance(value, str) and ":" in value:
        try:
            value = datetime.fromisoformat(value.replace(" Z", "+00:00").replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
    return None
