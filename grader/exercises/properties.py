"""How the suites use hypothesis: the same examples on every run, few of them, no database."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

__all__ = ["quick"]

quick = settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
