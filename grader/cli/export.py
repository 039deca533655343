"""`grade export`: what a course platform needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.language import Page
    from grader.export.bundle import Bundle

__all__ = ["export"]

OUT = click.Path(path_type=Path)
PACKED = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tbz2", ".tgz", ".txz", ".xz", ".zst")  # what is not written


@click.group(short_help="Make what Gradescope, GitHub or students need.")
def export() -> None:
    """Make what a course platform needs, out of the kit that is installed here.

    \b
    grade export gradescope   an autograder to upload
    grade export github       a workflow for a template repository
    grade export student-kit  skeletons and public checks, nothing hidden
    """


@export.command("gradescope", short_help="An autograder for Gradescope.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option("--out", type=OUT, default=Path("gradescope.zip"), show_default=True, help="The zip to write.")
@click.option("--force", is_flag=True, help="Replace a zip that is there.")
@click.option(
    "--edges",
    type=click.Choice(["visible", "after_due_date", "after_published", "hidden"]),
    default="after_published",
    show_default=True,
    help="When students see edge checks.",
)
@click.option(
    "--seconds", type=click.IntRange(60), default=540, show_default=True, help="For one submission."
)
@click.option("--allow-weak-isolation", is_flag=True, help="Grade in a container that confines too little.")
@limit_options
@language_option
def _gradescope(
    exercises: tuple[str, ...],
    *,
    out: Path,
    force: bool,
    edges: str,
    seconds: int,
    allow_weak_isolation: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Make the autograder zip of a Gradescope programming assignment; all exercises, or those named.

    Its report is in the language of --lang. It brings this very kit along, and needs a network only while
    Gradescope builds the image.
    """
    from grader.cli.targets import find_exercises
    from grader.exercises.registry import exercise, module_names
    from grader.export.gradescope import gradescope_bundle
    from grader.export.harness import Settings

    page = open_page(lang, no_color)
    ids = find_exercises(exercises, module_names())
    settings = Settings(ids, page.language, edges, budget, allow_weak_isolation, seconds)
    _write(gradescope_bundle(settings), out, page, force=force)
    most = sum(exercise(name).max_score for name in ids)
    _say(
        page,
        Text(
            f"Upload it under Configure Autograder (Ubuntu 22.04 or later), with {most:g} autograder points.",
            f"请在 Configure Autograder 中上传（Ubuntu 22.04 或更高版本），autograder points 填 {most:g}。",
        ),
    )
    if edges != "visible":
        _say(
            page,
            Text(
                "Gradescope shows no total while some checks are hidden; --edges visible shows them all.",
                "有检查被隐藏时，Gradescope 不显示总分；--edges visible 会全部显示。",
            ),
        )
    if allow_weak_isolation:
        _say(
            page,
            Text(
                "Isolation is not asked for: a submission may read the hidden suites, or change its marks.",
                "没有要求隔离：提交的代码可能读取隐藏测试，或修改自己的分数。",
            ),
        )


@export.command("github", short_help="A workflow for GitHub Actions.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option("--out", type=OUT, default=Path("."), show_default=True, help="The repository's folder.")
@click.option("--path", default=".", show_default=True, help="The folder of the exercises in the repository.")
@click.option("--kit", metavar="REQUIREMENT", help="Install the whole kit, from where you host it.")
@click.option("--vendor", is_flag=True, help="Put the whole kit into the repository.")
@language_option
def _github(
    exercises: tuple[str, ...],
    *,
    out: Path,
    path: str,
    kit: str | None,
    vendor: bool,
    lang: str | None,
    no_color: bool,
) -> None:
    """Write a workflow for a template repository: each push is graded, with annotations and a summary.

    Whatever runs in a learner's repository can be read by the learner. So the workflow runs the public
    checks, unless --kit or --vendor says otherwise: then the hidden suites and the solutions can be read.
    """
    from grader.cli.targets import find_exercises
    from grader.errors import UsageError
    from grader.exercises.registry import module_names
    from grader.export.github import GithubSettings, github_bundle

    page = open_page(lang, no_color)
    if kit is not None and vendor:
        raise UsageError(Text("give --kit or --vendor, not both", "--kit 和 --vendor 只能给一个"))
    ids = find_exercises(exercises, module_names())
    settings = GithubSettings(ids, page.language, kit, vendor, path)
    bundle = github_bundle(settings)
    bundle.write_folder(out)
    for name, _ in bundle:
        _say(page, Text.same(f"  {out / name}"))
    if settings.public:
        words = Text(
            "Students see the public checks there; grade the hidden ones with `grade batch`.",
            "学生在那里看到的是公开检查；隐藏的检查请用 `grade batch` 评分。",
        )
    else:
        words = Text(
            "Every student can read what this workflow installs, the hidden suites and the solutions too, "
            "and can change it: use it for feedback, and `grade batch` for marks.",
            "每个学生都能读到这个工作流所安装的内容，包括隐藏测试和参考答案，也能修改它："
            "请只用于反馈，成绩请用 `grade batch` 评定。",
        )
    _say(page, words)


@export.command("student-kit", short_help="Skeletons and public checks.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option(
    "--out", type=OUT, default=Path("student-kit.zip"), show_default=True, help="A .zip or a folder."
)
@click.option("--force", is_flag=True, help="Replace a zip that is there.")
@language_option
def _student_kit(
    exercises: tuple[str, ...], *, out: Path, force: bool, lang: str | None, no_color: bool
) -> None:
    """Make what students are given: skeletons, public checks and a program that runs them.

    It is searched for solutions, suites and models, and not written where a line of them is in it.
    """
    from grader.cli.targets import find_exercises
    from grader.errors import UsageError
    from grader.exercises.registry import module_names
    from grader.export.student import student_bundle

    page = open_page(lang, no_color)
    ids = find_exercises(exercises, module_names())
    if out.suffix.lower() in PACKED:
        raise UsageError(
            Text(
                f"{out} would be no {out.suffix}: a .zip is written, or a folder (any other name)",
                f"不会写出 {out.suffix} 格式的 {out}：只写 .zip，或文件夹（其他名称）",
            )
        )
    bundle = student_bundle(ids)
    if out.suffix.lower() == ".zip":
        _write(bundle.under("transformer"), out, page, force=force)
    else:
        bundle.write_folder(out)
        _say(page, Text(f"wrote {out}", f"已写出 {out}"))
    _say(
        page,
        Text(
            "Nothing of the solutions, suites and models is in it. Students run `python check.py`.",
            "其中没有参考答案、隐藏测试和模型的任何内容。学生运行 `python check.py`。",
        ),
    )


def _write(bundle: Bundle, out: Path, page: Page, *, force: bool) -> None:
    bundle.write_zip(out, replace=force)
    _say(page, Text(f"wrote {out}", f"已写出 {out}"))


def _say(page: Page, words: Text) -> None:
    from grader.reports.cleaning import clean

    page.console.print(clean(words.in_(page.language)), soft_wrap=True)
