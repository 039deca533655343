"""One sentence on a file that could not be imported, and whose mistake that is."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from grader.exercises.registry import exercise, module_names
from grader.submission.files import SourceFile
from grader.submission.observation import ErrorInfo, Frame, Observation, Outcome
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["Failure", "why_not_loaded"]

NO_NAME = re.compile(r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'")


@dataclass(frozen=True)
class Failure:
    """The status of the exercise, and what it rests on; place: the file of the line, if another."""

    status: str
    fault: str | None
    text: Text
    line: int | None = None
    place: str | None = None


def why_not_loaded(submission: Submission, file: SourceFile, loaded: Observation) -> Failure:
    """What is to be said of a module whose import did not succeed."""
    error = loaded.error
    where = error.where if error is not None else None
    if loaded.outcome is Outcome.RAISED and error is not None:
        if error.type == "ForbiddenOperation":
            return _elsewhere_or(submission, file, _forbidden(error, where or Frame(file.name, 0, "")), where)
        if "ImportError" in error.bases:
            return _import_error(submission, file, error, where)
        return _elsewhere_or(submission, file, _raised(error, where or Frame(file.name, 0, "")), where)
    return _elsewhere_or(submission, file, _stopped(file, loaded, where), where)


def _elsewhere_or(submission: Submission, file: SourceFile, text: Failure, where: Frame | None) -> Failure:
    """The same failure as one of an earlier exercise, where it happened in the file of one."""
    if where is None or where.file == file.name:
        return text
    culprit = next((f for f in submission.files.values() if f.name == where.file), None)
    if culprit is None or culprit.module not in module_names():
        return Failure(text.status, text.fault, text.text, where.line, where.file)
    return Failure(
        "blocked",
        None,
        Text(
            f"needs {where.file}, which cannot be used: {text.text.en}",
            f"需要 {where.file}，但它无法使用：{text.text.zh}",
        ),
    )


def _forbidden(error: ErrorInfo, where: Frame) -> Failure:
    spot = f"{where.file}:{where.line}" if where.line else where.file
    text = Text(
        f"{spot} uses what is not allowed: {error.message}",
        f"{spot} 使用了不允许的操作：{error.message}（请自己实现）",
    )
    return Failure("error", "forbidden-api", text, where.line or None)


def _raised(error: ErrorInfo, where: Frame) -> Failure:
    spot = f"{where.file}:{where.line}" if where.line else where.file
    line = where.line or None
    if "EOFError" in error.bases:
        text = Text(
            f"{spot} asks for input while the file is imported: remove the call of input()",
            f"{spot} 在导入时要求输入：请去掉 input() 调用",
        )
    elif "SystemExit" in error.bases:
        text = Text(
            f"{spot} exits while the file is imported: remove that call",
            f"{spot} 在导入时退出了程序：请去掉这个调用",
        )
    else:
        said = _one_line(error.message)
        text = Text(
            f"{spot} fails when the file is imported: {error.type}" + (f": {said}" if said else ""),
            f"{spot} 在导入时出错：{error.type}" + (f"：{said}" if said else ""),
        )
    return Failure("error", "import-error", text, line)


def _stopped(file: SourceFile, loaded: Observation, where: Frame | None) -> Failure:
    name = file.name
    if loaded.outcome is Outcome.TIMED_OUT:
        line = file.endless_loop_line()
        spot = f"{name}:{line}" if line else name
        text = Text(
            f"importing {spot} took longer than {loaded.seconds:g} s: move code that runs at import under "
            '`if __name__ == "__main__":`',
            f"导入 {spot} 超过 {loaded.seconds:g} 秒：请把导入时运行的代码放到 "
            '`if __name__ == "__main__":` 之下',
        )
        return Failure("stopped", "timeout", text, line)
    if loaded.outcome is Outcome.OUT_OF_MEMORY:
        spot = f"{where.file}:{where.line}" if where is not None else name
        text = Text(
            f"{spot} asks for too much memory while the file is imported",
            f"{spot} 在导入时申请了过多内存",
        )
        return Failure("stopped", "out-of-memory", text, where.line if where is not None else None)
    if loaded.outcome is Outcome.OUT_OF_DISK:
        text = Text(
            f"{name} writes more files, or larger ones, than allowed while it is imported",
            f"{name} 在导入时写入的文件过多或过大",
        )
        return Failure("stopped", "crash", text)
    if loaded.outcome is Outcome.MALFORMED:
        text = Text(
            f"{name} interferes with the process that runs it: the answer was none that the protocol knows",
            f"{name} 干扰了运行它的进程：返回的内容不符合协议",
        )
        return Failure("stopped", "crash", text)
    status = loaded.exit_status
    how_en = how_zh = ""
    if status is not None and status < 0:
        how_en, how_zh = f" (killed by signal {-status})", f"（被信号 {-status} 终止）"
    elif status is not None:
        how_en, how_zh = f" (exit code {status})", f"（退出码 {status}）"
    text = Text(f"importing {name} ended the process{how_en}", f"导入 {name} 时进程结束了{how_zh}")
    return Failure("stopped", "crash", text)


# -- ImportError ------------------------------------------------------------------------------------


def _import_error(submission: Submission, file: SourceFile, error: ErrorInfo, where: Frame | None) -> Failure:
    place = where.file if where is not None else file.name
    line = where.line if where is not None else None
    spot = f"{place}:{line}" if line else place
    found = NO_NAME.search(error.message)
    if found is not None and found[2] in submission.files:
        name, module = found[1], found[2]
        if "partially initialized" in error.message:
            return _circular(submission, file, spot, line)
        there = submission.files[module].name
        text = Text(
            f"{spot} imports {name} from {there}, which does not define it",
            f"{spot} 从 {there} 导入 {name}，但其中没有定义它",
        )
        wanted = module in module_names() and any(e.name == name for e in exercise(module).entries)
        if wanted and module != file.module:
            return Failure("blocked", None, text)
    elif "relative import" in error.message:
        text = Text(
            f"{spot} is a relative import: write `from attention import ...`, without the dot",
            f"{spot} 是相对导入：请去掉点号，写成 `from attention import ...`",
        )
    elif error.message.startswith("No module named") and error.missing:
        top = error.missing.split(".")[0]
        if top in module_names() and top not in submission.files:
            return Failure(
                "blocked",
                None,
                Text(
                    f"needs {top}.py, which is not there; write that exercise first",
                    f"需要 {top}.py，但没有这个文件；请先完成那个练习",
                ),
            )
        close = difflib.get_close_matches(top.lower(), submission.files, 1, 0.8)
        near_en = f" (there is {close[0]}.py)" if close else ""
        near_zh = f"（有 {close[0]}.py）" if close else ""
        text = Text(
            f"{spot} imports {error.missing}, which is not there{near_en}: use PyTorch, the standard library "
            "and .py files of your own beside it",
            f"{spot} 导入了 {error.missing}，但它不存在{near_zh}：请只用 PyTorch、标准库和"
            "放在同一文件夹里的 .py 文件",
        )
    else:
        said = _one_line(error.message) or error.type
        text = Text(f"{spot} fails when the file is imported: {said}", f"{spot} 在导入时出错：{said}")
    return _elsewhere_or(submission, file, Failure("error", "import-error", text, line), where)


def _circular(submission: Submission, file: SourceFile, spot: str, line: int | None) -> Failure:
    """Files that import each other: the mistake is the import of a later exercise by an earlier one."""
    order = module_names()
    if file.module in file.imports([file.module]):
        own = file.imports([file.module])[file.module]
        text = Text(f"{file.name}:{own} imports itself", f"{file.name}:{own} 导入了它自己")
        return Failure("error", "import-error", text, own)
    culprits = [f for f in submission.files.values() if f.module in order]
    culprits.sort(key=lambda f: f is not file)
    for culprit in culprits:
        later = order[order.index(culprit.module) + 1 :]
        for name, at in culprit.imports(later).items():
            text = Text(
                f"{culprit.name}:{at} imports {name}, which itself builds on it: remove this import",
                f"{culprit.name}:{at} 导入了 {name}，而后者依赖于它：请去掉这个导入",
            )
            if culprit is file:
                return Failure("error", "import-error", text, at)
            return Failure(
                "blocked",
                None,
                Text(
                    f"needs {culprit.name}, which cannot be used: {text.en}",
                    f"需要 {culprit.name}，但它无法使用：{text.zh}",
                ),
            )
    text = Text(
        f"{spot} imports a file that imports this one in turn: remove one of the two imports",
        f"{spot} 导入的文件又导入了它：请去掉其中一个导入",
    )
    return Failure("error", "import-error", text, line)


def _one_line(message: str) -> str:
    lines = message.strip().splitlines()
    return lines[0][:300] if lines else ""
