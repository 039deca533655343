"""The environment of the templates: everything is cleaned and escaped unless it is markup of ours."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from grader.reports.cleaning import clean, clean_line
from grader.reports.words import CONFIDENCE, STATUS, points
from grader.text import Text

__all__ = ["page_environment"]

TEMPLATES = Path(__file__).parent
SIGNS = {"passed": "✓", "failed": "✗", "incomplete": "☐", "blocked": "–", "skipped": "–"}
OUTCOME = {"passed": STATUS["passed"], "failed": STATUS["failed"], "skipped": Text("not run", "没有运行")}


def page_environment(language: str = "en", *folders: Path) -> jinja2.Environment:
    """An environment for pages in `language`, with the templates of `folders` before those here, in which

    - a `Text` is written in the page's language, and every string is cleaned (`reports.cleaning`) and
      escaped, also where a template forgets to;
    - ``say(en, zh)`` is a sentence of the template's own;
    - the filters ``line`` (one line), ``prose`` (`code` between backticks), ``paragraphs`` and
      ``points`` help with words, and ``csp_hash`` allows a script of ours.
    """

    def spoken(value: Any) -> Any:
        if isinstance(value, Text):
            value = value.in_(language)
        return value if isinstance(value, Markup) or not isinstance(value, str) else clean(value)

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES], encoding="utf-8"),
        autoescape=True,
        finalize=spoken,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "language": language,
        "language_tag": "zh-Hans" if language == "zh" else "en",
        "say": lambda en, zh: zh if language == "zh" else en,
        "colon": "：" if language == "zh" else ": ",
        "STATUS": STATUS,
        "CONFIDENCE": CONFIDENCE,
        "SIGNS": SIGNS,
        "OUTCOME": OUTCOME,
    }
    filters: dict[str, Callable[..., Any]] = {
        "line": lambda value: clean_line(str(spoken(value)), 600),
        "short": lambda value: clean_line(str(spoken(value)), 120),
        "prose": lambda value: _prose(str(spoken(value))),
        "paragraphs": lambda value: _paragraphs(str(spoken(value))),
        "points": points,
        "csp_hash": _csp_hash,
    }
    environment.filters |= filters
    return environment


def _prose(words: str) -> Markup:
    """Escaped words, with what stands between backticks as code."""
    parts = re.split(r"`([^`\n]+)`", clean(words))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def _paragraphs(words: str) -> Markup:
    lines = [line for line in clean(words).splitlines() if line.strip()]
    return Markup("").join(Markup("<p>{}</p>").format(_prose(line)) for line in lines)


def _csp_hash(script: str) -> str:
    """What a Content-Security-Policy says of an inline script that may run."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
