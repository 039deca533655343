"""The report on one exercise as HTML for the output of a cell.

Notebooks show it in pages of their own, and some take out style sheets and scripts: every style stands with
its element, and colours are chosen to be read on white and on black.
"""

from __future__ import annotations

from pathlib import Path

from grader.marking.records import Report
from grader.reports.html.environment import page_environment

__all__ = ["cell_html"]

FOLDER = Path(__file__).parent


def cell_html(report: Report, language: str) -> str:
    """What is shown below the cell that grades."""
    result = report.exercises[0]
    failed = [c for c in result.checks if c.outcome == "failed"]
    failed.sort(key=lambda c: (c.tier != "core", -c.max_points))
    core = [d for d in result.diagnoses if d.tier == "core"]
    shown = core or list(result.diagnoses)
    hints = [f.hints[0] for d in shown for f in d.faults if f.hints]
    template = page_environment(language, FOLDER).get_template("cell.html.j2")
    return template.render(
        result=result,
        notes=report.notes,
        core=core,
        edge=[d for d in result.diagnoses if d.tier != "core"],
        failed_core=[c for c in failed if c.tier == "core"],
        failed_edge=[c for c in failed if c.tier != "core"],
        hint=hints[0] if hints else None,
    )
