"""The one fixture of a suite: the lab of its exercise, held by the `SuitePlugin` of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.marking.lab import Lab
from grader.marking.plugin import SuitePlugin

__all__ = ["lab"]


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest) -> Lab:
    """The lab of the exercise whose suite this is."""
    plugin = request.config.pluginmanager.get_plugin(SuitePlugin.NAME)
    assert isinstance(plugin, SuitePlugin)
    found = plugin.lab_for(plugin.exercises[Path(request.path)])
    assert found is not None
    return found
