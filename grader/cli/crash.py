"""An exception that nobody expected: the details go to a file, the user reads one sentence."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback

import grader
from grader.errors import KitError
from grader.text import Text

__all__ = ["crash"]


def crash(error: BaseException) -> KitError:
    """Writes the traceback to the temp folder; the error that says where."""
    what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    lines = f"grade {grader.__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    lines += f"{sys.argv}\n\n{details}"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="grade-crash-",
            suffix=".log",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(lines)
    except OSError:
        return KitError(
            Text(
                f"a fault of the kit, not of your code: {what}",
                f"这是评分工具自身的错误，与你的代码无关：{what}",
            )
        )
    return KitError(
        Text(
            f"a fault of the kit, not of your code: {what}; please report it with {file.name}",
            f"这是评分工具自身的错误，与你的代码无关：{what}；报告时请附上 {file.name}",
        )
    )
