"""`grade doctor`: versions, isolation, device of this machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

import grader
from grader.cli.language import language_option, open_page
from grader.errors import GraderError
from grader.text import Text

if TYPE_CHECKING:
    from grader.reports.doctor import Health

__all__ = ["doctor"]

PACKAGES = ("torch", "pytest", "hypothesis")


@click.command(short_help="Show versions, isolation and device.")
@language_option
def doctor(lang: str | None, no_color: bool) -> None:
    """Show versions, how submitted code is confined here, and the device."""
    from grader.reports.doctor import checkup
    from grader.reports.paper import Paper
    from grader.reports.terminal import print_lines

    page = open_page(lang, no_color)
    paper = Paper.on(page.console, page.language)
    print_lines([*checkup(_examine(), paper)], page.console)


def _examine() -> Health:
    from grader.reports.doctor import Health
    from grader.submission.launcher import ZygoteLauncher, default_launcher

    layers: tuple[str, ...] | None = None
    refused: Mapping[str, bool] = {}
    problem: Text | None = None
    device = ""
    forks = False
    try:
        with default_launcher() as launcher:
            forks = isinstance(launcher, ZygoteLauncher)
            device = _device()
            from grader.submission.trial import attempt  # which imports torch

            layers, refused = attempt(launcher)
    except GraderError as error:
        problem = error.text
    except (OSError, ImportError) as error:
        problem = Text.same(f"{type(error).__name__}: {error}")
    versions = [("grade", grader.__version__), *((name, _version(name)) for name in PACKAGES)]
    return Health(
        versions=tuple(versions),
        system=f"Python {platform.python_version()}, {platform.platform()}",
        device=device or _device(),
        layers=layers,
        problem=problem,
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        forks=forks,
        refused=refused,
    )


def _version(package: str) -> str | None:
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _device() -> str:
    """What torch can compute on."""
    try:
        import torch
    except (ImportError, OSError) as error:
        return f"? (torch: {type(error).__name__}: {error})"
    if torch.cuda.is_available():
        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        return f"cuda ({', '.join(names)})"
    if torch.backends.mps.is_available():
        return "mps"
    return f"cpu ({os.cpu_count()})"
