"""Pages: one self-contained HTML file, made of templates and frozen records.

`base.html.j2` is the frame of every page, `parts.html.j2` holds what pages share.  Imports jinja2, so
a command imports this package only when it writes a page.
"""

from __future__ import annotations

from grader.reports.html.environment import page_environment
from grader.reports.html.page import render_report_page

__all__ = ["page_environment", "render_report_page"]
