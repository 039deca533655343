"""The autograder zip for Gradescope: the kit's own wheel, two scripts, and what the instructor chose."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

from grader.errors import KitError
from grader.export.bundle import Bundle, Item
from grader.export.harness import SETTINGS, Settings, unfinished
from grader.export.wheel import Wheel, wheel
from grader.reports.gradescope import not_graded
from grader.text import Text

__all__ = ["gradescope_bundle", "torch_version"]

PLATFORM = Path(__file__).parent / "platform"


def gradescope_bundle(settings: Settings, *, kit: Wheel | None = None) -> Bundle:
    """The files of the zip."""
    kit = kit or wheel()
    values = {"@WHEEL@": kit.name, "@TORCH@": torch_version(), "@SECONDS@": str(settings.seconds)}
    waiting = json.dumps(not_graded(unfinished(settings), settings.language), ensure_ascii=False)
    return Bundle(
        {
            "setup.sh": Item(_filled("setup.sh", values), runs=True),
            "run_autograder": Item(_filled("run_autograder", values), runs=True),
            SETTINGS: Item(settings.as_json().encode()),
            "not-graded.json": Item(waiting.encode()),
            kit.name: Item(kit.data),
        }
    )


def torch_version() -> str:
    """The version of torch that the exercises were tried with here, without importing it."""
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        raise KitError(
            Text("torch is not installed; install it, then export again", "没有安装 torch；请安装后再导出")
        ) from None


def _filled(name: str, values: dict[str, str]) -> bytes:
    text = (PLATFORM / name).read_text(encoding="utf-8")
    for sign, value in values.items():
        text = text.replace(sign, value)
    return text.encode()
