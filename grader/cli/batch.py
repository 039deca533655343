"""`grade batch`: the submissions of a course."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.files import STDOUT, must_be_writable, must_differ, write_atomically, write_json
from grader.cli.language import Page, language_option, open_page
from grader.cli.limits import limit_options
from grader.errors import GraderError, Interrupted, UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.course.batch import Asked, Marked, Spread
    from grader.course.records import ClassStatistics
    from grader.course.rules import Course
    from grader.course.similar.records import Found

__all__ = ["batch"]

PATH = click.Path(path_type=Path)
SIMILAR = "similar.html"
PAGES = ".feedback"  # which pages of feedback the kit has written


def _no_device(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """The code of strangers gets no accelerator: its driver is a way round the wall."""
    if value is not None:
        raise UsageError(
            Text(
                "grade batch has no --device: with an accelerator submitted code is not confined well enough "
                "(see SECURITY.md); try single submissions with `grade run --device`",
                "grade batch 没有 --device：使用加速器时，提交代码的隔离不够强（见 SECURITY.md）；"
                "可以用 `grade run --device` 尝试单份提交",
            )
        )


@click.command(short_help="Grade the submissions of a course.")
@click.argument("folder", type=PATH, required=False, metavar="DIR")
@click.option(
    "--course", "rules", type=PATH, help="The rules of the course: points, late work (course.toml)."
)
@click.option("--out", type=PATH, help="Where the results go (otherwise DIR-marks, beside DIR).")
@click.option("--jobs", type=click.IntRange(1), help="Submissions at once (otherwise one for each core).")
@click.option("--scheduler", metavar="ADDRESS", help="Grade on a Dask cluster: tcp://HOST:8786.")
@click.option("--mapping", type=PATH, help="A CSV that says whose an entry is: submission,student,...")
@click.option("--json", "json_to", metavar="FILE|-", help="Also write the results as JSON lines there.")
@click.option("--csv", "csv_to", metavar="FILE|-", help="Also write the mark sheet there.")
@click.option("--anonymous", is_flag=True, help="The class report has pseudonyms instead of names.")
@click.option("--similar", is_flag=True, help="Also compare the submissions: OUT/similar.html.")
@click.option("--again", is_flag=True, help="Grade anew what is unchanged, too.")
@click.option(
    "--allow-weak-isolation", is_flag=True, help="Run also where submitted code is not confined well."
)
@click.option(
    "--write-course", type=PATH, metavar="FILE", help="Write a course.toml with every key, and end."
)
@click.option("--device", hidden=True, expose_value=False, callback=_no_device)
@limit_options
@language_option
@click.pass_context
def batch(
    context: click.Context,
    folder: Path | None,
    rules: Path | None,
    out: Path | None,
    jobs: int | None,
    scheduler: str | None,
    mapping: Path | None,
    json_to: str | None,
    csv_to: str | None,
    *,
    anonymous: bool,
    similar: bool,
    again: bool,
    allow_weak_isolation: bool,
    write_course: Path | None,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Grade every submission in DIR, and write marks, feedback and a report on the class.

    Each subfolder, .zip, .py or .ipynb is one student's; downloads of Moodle, Canvas, Gradescope and GitHub
    Classroom are recognised. What is unchanged is not graded again, and a run that was interrupted goes on
    where it stopped.

    \b
    grade batch submissions
    grade batch submissions --course course.toml --out marks
    """
    page = open_page(lang, no_color, to_stderr=STDOUT in (json_to, csv_to))
    if write_course is not None:
        _write_course(write_course, page)
        context.exit(0)
    if folder is None:
        raise UsageError(Text("give the folder that holds the submissions", "请给出存放各份提交的文件夹"))
    if scheduler is not None and jobs is not None:
        raise UsageError(
            Text(
                "--jobs is for this machine: with --scheduler the cluster's workers say how many run at once",
                "--jobs 只用于本机：使用 --scheduler 时，同时评分的数量由集群的 worker 决定",
            )
        )
    if json_to == csv_to == STDOUT:
        raise UsageError(
            Text(
                "--json - and --csv - cannot both go to the output",
                "--json - 和 --csv - 不能同时写到标准输出",
            )
        )
    for path in (json_to, csv_to):
        if path is not None and path != STDOUT:
            must_be_writable(Path(path))
    must_differ({"--csv": csv_to, "--json": json_to, "--course": rules, "--mapping": mapping})
    from grader.course.batch import Asked
    from grader.course.cluster import ClusterSpread
    from grader.course.local import LocalSpread
    from grader.course.rules import Course, read_course

    course = read_course(rules) if rules is not None else Course()
    place = _prepared(folder, out)
    for option, path in (("--csv", csv_to), ("--json", json_to)):
        if path is not None and path != STDOUT:
            _must_be_elsewhere(option, Path(path), folder, place)
    asked = Asked(folder, place / "store.sqlite", course, budget, mapping, again)
    spread: Spread = LocalSpread(
        jobs or _cores(), allow_weak_isolation, place / "exercises.sqlite", anew=again
    )
    if scheduler is not None:
        spread = ClusterSpread(scheduler, allow_weak_isolation)
    marked = _graded(asked, spread, page)
    stats = _statistics(marked, course, anonymous)
    files = _write(place, marked, stats, course, page)
    if json_to is not None:
        write_json(files["results.jsonl"].rstrip("\n"), json_to)
    if csv_to is not None:
        write_json(files["marks.csv"].rstrip("\n"), csv_to)
    alike = _compared(place, marked, anonymous, page) if similar else None
    _tell(place, marked, stats, alike, page)
    context.exit(1 if stats.counts.get("not graded") or stats.counts.get("waiting") else 0)


def _write_course(path: Path, page: Page) -> None:
    from grader.cli.files import create_only
    from grader.course.rules import template

    must_be_writable(path)
    if not create_only(path, template(page.language).encode()):
        raise UsageError(
            Text(
                f"{path} is there already, and stays as it is: give another name",
                f"{path} 已存在，保持不变：请换一个名字",
            )
        )
    words = Text(
        f"{path} is written; change it, then `grade batch DIR --course {path}`",
        f"已写入 {path}；修改后运行 `grade batch DIR --course {path}`",
    )
    page.console.print(words.in_(page.language), soft_wrap=True)


def _prepared(folder: Path, out: Path | None) -> Path:
    """The folder for the results; it may not lie among the submissions."""
    whole = folder.absolute()
    beside = folder if folder.name not in ("", "..") else whole.resolve()
    place = out if out is not None else beside.with_name(f"{beside.name or 'course'}-marks")
    if whole.is_dir() and place.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            Text(
                f"{place} lies inside {folder}, where it would be taken for a submission: give another --out",
                f"{place} 位于 {folder} 之内，会被当作一份提交：请换一个 --out",
            )
        )
    if place.exists() and not place.is_dir():
        raise UsageError(
            Text(
                f"{place} is a file: --out takes the name of a folder",
                f"{place} 是文件：--out 应为文件夹的名字",
            )
        )
    if whole.is_dir():
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                Text(f"cannot write {place}: {error.strerror}", f"无法写入 {place}：{error.strerror}")
            ) from error
    return place


def _must_be_elsewhere(option: str, path: Path, folder: Path, place: Path) -> None:
    """An additional file is none that the kit keeps for itself, and none of the submissions."""
    real = path.resolve()
    if real.parent == place.resolve() and real.name.startswith(("store.sqlite", "exercises.sqlite")):
        raise UsageError(
            Text(
                f"{path} holds the results of this course: give {option} another name",
                f"{path} 保存着这门课的结果：请为 {option} 换一个名字",
            )
        )
    if folder.is_dir() and real.is_relative_to(folder.resolve()):
        raise UsageError(
            Text(
                f"{path} lies inside {folder}, among the submissions: give {option} another name",
                f"{path} 位于 {folder} 之内，与提交混在一起：请为 {option} 换一个名字",
            )
        )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _graded(asked: Asked, spread: Spread, page: Page) -> Marked:
    """Grades, and says how to go on where it is stopped."""
    import sqlite3

    from grader.cli.progress import batch_progress
    from grader.course.batch import grade_batch

    with batch_progress(page.language) as progress:
        try:
            return grade_batch(asked, spread, progress)
        except KeyboardInterrupt:
            done = progress.done
            raise Interrupted(
                Text(
                    f"stopped; {done} graded in this run are kept, and the same command goes on from there",
                    f"已中止；本次已评的 {done} 份结果已保存，再次运行同一命令即可继续",
                )
            ) from None
        except sqlite3.Error as error:
            raise GraderError(
                Text(
                    f"the results cannot be written to {asked.store}: {error}",
                    f"无法将结果写入 {asked.store}：{error}",
                )
            ) from error


def _statistics(marked: Marked, course: Course, anonymous: bool) -> ClassStatistics:
    from urllib.parse import quote

    from grader.course.anonymous import pseudonyms
    from grader.course.outputs import FEEDBACK, file_names
    from grader.course.statistics import class_statistics

    students = [m.row.student for m in marked.marks]
    if anonymous:
        return class_statistics(marked.marks, course, key=pseudonyms(students, marked.salt).__getitem__)
    names = {s: f"{FEEDBACK}/{quote(name)}.html" for s, name in file_names(students).items()}
    return class_statistics(marked.marks, course, page=names.get)


def _write(place: Path, marked: Marked, stats: ClassStatistics, course: Course, page: Page) -> dict[str, str]:
    """All files under OUT/; the tables as text besides."""
    from grader.cli.progress import batch_progress
    from grader.course.outputs import FEEDBACK, feedback, tables

    files = dict(tables(marked.marks, stats, course.exercises, page.language))
    for name, text in files.items():
        write_atomically(place / name, text)
    try:
        (place / FEEDBACK).mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            Text(
                f"cannot write {place / FEEDBACK}: {error.strerror}",
                f"无法写入 {place / FEEDBACK}：{error.strerror}",
            )
        ) from error
    with batch_progress(page.language) as progress:
        progress.begin("writing", 2 * len(marked.marks))
        written = []
        for name, text in feedback(marked.marks, marked.handed, course.exercises, page.language):
            write_atomically(place / name, text)
            written.append(Path(name).name)
            progress.step()
    _without_old_pages(place / FEEDBACK, place / PAGES, written)
    return files


def _without_old_pages(folder: Path, listing: Path, written: Sequence[str]) -> None:
    """Takes away the pages of an earlier run that nobody has any more; what others have put there stays."""
    try:
        before = listing.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        before = []
    for name in {name for name in before if name == Path(name).name}.difference(written):
        if name.endswith((".html", ".md")):
            with contextlib.suppress(OSError):  # open elsewhere, say: the next run tries again
                (folder / name).unlink()
    kept = [name for name in before if (folder / name).exists()]
    written = list(dict.fromkeys([*written, *kept]))
    write_atomically(listing, "".join(f"{name}\n" for name in written))


def _compared(place: Path, marked: Marked, anonymous: bool, page: Page) -> Found:
    """The submissions that are alike, with a page; anonymous: under the pseudonyms of the class report."""
    from grader.cli.progress import batch_progress
    from grader.course.similar.among import similar_among
    from grader.course.similar.page import render_similar_page

    handed = marked.handed.values()
    with batch_progress(page.language) as progress:
        progress.begin("comparing", len(handed))
        secret = marked.salt if anonymous else None
        found = similar_among(handed, sides=True, secret=secret, step=progress.step)
    write_atomically(place / SIMILAR, render_similar_page(found, page.language))
    return found


def _tell(place: Path, marked: Marked, stats: ClassStatistics, alike: Found | None, page: Page) -> None:
    from grader.reports.batch import batch_lines
    from grader.reports.paper import Paper
    from grader.reports.terminal import print_lines

    paper = Paper.on(page.console, page.language)
    print_lines([*batch_lines(stats, marked.new, marked.ignored, str(place), paper)], page.console)
    if alike is not None:
        from grader.course.similar.lines import place_words, similar_lines

        page.console.print()
        print_lines([*similar_lines(alike, paper)], page.console)
        page.console.print(place_words(alike, str(place / SIMILAR)).in_(page.language), soft_wrap=True)
