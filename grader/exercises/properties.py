"""How the suites use hypothesis: the same examples on every run, few of them, no database."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.configuration import set_hypothesis_home_dir

__all__ = ["quick"]

# hypothesis keeps notes in a folder; the learner's is not the place for it
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "grade-hypothesis")

quick = settings(
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
