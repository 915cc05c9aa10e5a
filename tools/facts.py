"""`python -m tools.facts [--check]`: write counts, samples and tables into the documents.

In a document, `<!-- fact: NAME -->…<!-- /fact -->` surrounds each fact. A fact of several lines is
a block. `--check` writes nothing, and exits with 1 if a document is out of date.
"""

import functools
import importlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FACT = re.compile(r"(<!-- fact: ([\w./-]+) -->)(.*?)(<!-- /fact -->)", re.DOTALL)
BELOW_TWENTY = "zero one two three four five six seven eight nine ten eleven twelve thirteen"
BELOW_TWENTY += " fourteen fifteen sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WRONG = """\
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=0))
    return e / e.sum(axis=0)
"""
SHOWN = ("s01", "s06", "s13", "s23")  # in the sample class
WIDTH = 88
EXTRAS = {
    "torch": "the exercises that need torch",
    "students": "other libraries that submissions may import",
    "authoring": "`new`, `build`, `variants`, `verify`, `release`",
    "verify": "`verify`",
    "release": "`release`",
    "desk": "`desk`",
    "pdf": "the PDF of `class-report`",
    "similar": "`similar`",
    "nbgrader": "`nbgrader`",
    "cluster": "`grade --scheduler` and `--local-cluster`",
    "platforms": "`export`, `package`, downloads (no library)",
    "docs": "`make docs`",
    "dev": "`make test`",
}


@functools.cache
def course():
    """Return the course of this repository."""
    from autograder.course.course_file import load_course

    return load_course(ROOT / "course.yml")


@functools.cache
def mistakes() -> dict[str, int]:
    """Return the number of known mistakes of each exercise, from docs/verified.md."""
    return {name: int(row["misconceptions named"].split()[-1]) for name, row in verified().items()}


def verified() -> dict[str, dict[str, str]]:
    """Return the rows of docs/verified.md by exercise, each cell by its heading."""
    lines = (ROOT / "docs" / "verified.md").read_text(encoding="utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[2:]}


def known() -> dict[str, int]:
    """Return the number of known mistakes of each exercise.

    `verify` does not count mistakes that give only NaN.
    """
    from autograder.course.own_modules import importable
    from autograder.grading.diagnoses import Catalogue

    counts = {}
    with importable(course()):
        catalogue = Catalogue(course().content.reference)
        for name in course().exercises:
            mistakes_of = catalogue.mistakes(name)
            recipes = mistakes_of.recipes.values()
            counts[name] = sum(len({each.id for each in r.misconceptions}) for r in recipes)
            simulated = mistakes_of.simulated_values
            counts[name] += sum(1 for _ in simulated()) if simulated else 0
    return counts


def exercises() -> str:
    """Return the table of the exercises."""
    rows = [
        "| | exercise | title | points | needs | known mistakes |",
        "|---|---|---|---|---|---|",
    ]
    needs = {"hand_computation": "a pencil", "reflection": "a pen"}
    for number, (name, exercise) in enumerate(course().exercises.items(), 1):
        library = "torch" if exercise.needs == "torch" else "NumPy"
        text = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
        plots = ", matplotlib" if "import matplotlib" in text else ""
        needed = needs.get(name, library + plots)
        cells = [number, f"`{name}`", exercise.title, f"{exercise.points:g}", needed]
        rows.append(f"| {' | '.join(map(str, cells))} | {mistakes().get(name) or '–'} |")
    return "\n".join(rows)


def by_assert() -> str:
    """Return the output of an `assert` for the wrong softmax."""
    test = "assert np.allclose(softmax([[1, 2], [3, 5], [0, 4]]), expected)"
    code = f"import numpy as np\nexpected = np.ones((3, 2)) / 2\n{WRONG}\n{test}\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return _text(f">>> {test}\n{done.stderr.splitlines()[-1]}")


def by_unittest() -> str:
    """Return the output of a unit test in gradescope-utils, which writes "Test Failed: ERROR"."""
    import numpy as np

    names: dict[str, Callable] = {}
    exec(f"import numpy as np\n{WRONG}", names)
    x = np.array([[1, 2], [3, 5], [0, 4]])
    right = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)

    class Rows(unittest.TestCase):
        def runTest(self):
            np.testing.assert_allclose(names["softmax"](x), right)

    result = unittest.TextTestRunner(stream=io.StringIO()).run(Rows())
    error = result.failures[0][1].partition("AssertionError: ")[2]
    lines = [line.rstrip() for line in error.splitlines() if line.strip()]
    arrays = next(n for n, line in enumerate(lines) if line.startswith(" ACTUAL"))
    shown = [f"Test Failed: {lines[0]}", lines[1], " …", *lines[arrays:]]
    return _text("\n".join(["test_rows (0/2)", *shown]))


def by_check() -> str:
    """Return the output of `autograder check`, up to the first hint."""
    stub = (ROOT / "exercises" / "softmax.py").read_text(encoding="utf-8")
    text = re.sub(r"^def softmax.*?NotImplementedError\(\)\n", WRONG, stub, flags=re.S | re.M)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "softmax.py").write_text(text, encoding="utf-8")
        lines = run("check", "softmax.py", "--course", str(ROOT), cwd=folder).splitlines()
    hint = next(n for n, line in enumerate(lines) if line.strip().startswith("Hint:"))
    return _text("\n".join([*lines[: hint + 1], "  …", lines[-1]]))


def sample_class() -> str:
    """Return some rows of the table that `make demo` prints."""
    with tempfile.TemporaryDirectory() as folder:
        for student in SHOWN:
            shutil.copytree(ROOT / "examples" / "class" / student, Path(folder, "class", student))
        shown = run("grade", "class", "--out", "out", "--apply", "--course", str(ROOT), cwd=folder)
    lines = shown.splitlines()
    last = next(n for n, line in enumerate(lines) if line.startswith("student"))
    first = last
    while lines[first - 1].startswith(" "):  # a long title takes several lines
        first -= 1
    return _text("\n".join(line.rstrip() for line in lines[first : last + 1 + len(SHOWN)]))


def canvas_class() -> str:
    """Return the table and notes of `grade` for the download in `examples/canvas`."""
    place = ROOT / "examples" / "canvas"
    options = [
        "--roster",
        str(place / "roster.csv"),
        "--exercise",
        "softmax",
        "--course",
        str(ROOT),
    ]
    with tempfile.TemporaryDirectory() as folder:
        shown = run("grade", str(place / "submissions"), "--out", "RESULTS", *options, cwd=folder)
    lines = [line.rstrip() for line in shown.splitlines()]
    first = next(n for n, line in enumerate(lines) if line.startswith("student"))
    return _text("\n".join(lines[first : lines.index("", first)]))


def run(*arguments: str, cwd: str) -> str:
    """Return the output of a command in a terminal of fixed width."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "autograder", *arguments]
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout.rstrip()


def extras() -> str:
    """Return the table of extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = project["optional-dependencies"]
    assert set(known) == set(EXTRAS), "tools/facts.py: an extra has no line in EXTRAS"
    rows = ["| extra | for | libraries |", "|---|---|---|"]
    for name, purpose in EXTRAS.items():
        libraries = [re.split(r"[<>=;]", each)[0].strip() for each in known[name]]
        shown = ", ".join(each for each in libraries if not each.startswith(project["name"]))
        shown = "tools for tests, and other extras" if name == "dev" else shown or "–"
        rows.append(f"| `{name}` | {purpose} | {shown} |")
    return "\n".join(rows)


def commands() -> str:
    """Return every command's `--help`."""
    from autograder.cli import COMMANDS, HEADINGS, load_command

    parts = []
    for name in COMMANDS:
        if name in HEADINGS:
            parts.append(f"## {HEADINGS[name]}")
        shown = [_text(text) for text in _helps(load_command(name), f"autograder {name}")]
        parts += [f"### `{name}`", *shown]
    return "\n\n".join(parts)


def _helps(command, path: str) -> Iterator[str]:
    import click

    context = click.Context(
        command, info_name=path, terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    yield "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    for name, part in getattr(command, "commands", {}).items():
        yield from _helps(part, f"{path} {name}")


def _text(text: str) -> str:
    return f"```text\n{text}\n```"


def code_of(path: str) -> str:
    """Return a file of the worked examples as a block of code."""
    text = (ROOT / "examples/courses/worked" / path).read_text(encoding="utf-8")
    return f"```python\n# {path}\n{text}```"


WORKED = (
    "reference/checks/test_gram_schmidt.py",
    "reference/misconceptions/gram_schmidt.py",
    "reference/checks/test_priority_queue.py",
    "reference/misconceptions/priority_queue.py",
    "reference/swiglu_contract.py",
    "reference/checks/test_swiglu.py",
    "reference/misconceptions/swiglu.py",
    "reference/variants/swiglu.py",
)
BLOCKS: dict[str, Callable[[], str]] = {
    "exercises-table": exercises,
    "wrong-softmax": lambda: f"```python\n{WRONG}```",
    "by-assert": by_assert,
    "by-unittest": by_unittest,
    "by-check": by_check,
    "sample-class": sample_class,
    "canvas-class": canvas_class,
    "extras": extras,
    "commands": commands,
    **{path: lambda path=path: code_of(path) for path in WORKED},
}
COUNTS: dict[str, Callable[[], str]] = {
    "Exercises": lambda: _number_of_exercises().capitalize(),
    "exercises": lambda: _number_of_exercises(),  # noqa: PLW0108
    "torch-exercises": lambda: _number_of_exercises("torch"),
    "mistakes": lambda: f"{sum(mistakes().values()):,}",
    "attacks": lambda: _length("tests.confinement.attacks", "ATTACKS"),
    "notebook-kinds": lambda: _length("tests.nbgrader.kinds", "KINDS"),
    "students": lambda: str(sum(1 for _ in (ROOT / "examples" / "class").iterdir())),
}


def _length(module: str, name: str) -> str:
    return str(len(getattr(importlib.import_module(module), name)))


def _number_of_exercises(needs: str = "") -> str:
    counted = [each for each in course().exercises.values() if needs in ("", each.needs)]
    return in_words(len(counted))


def in_words(number: int) -> str:
    """Return a number from 0 to 99 in words."""
    if number < 20:
        return BELOW_TWENTY.split()[number]
    tens, ones = divmod(number, 10)
    word = TENS.split()[tens - 2]
    return f"{word}-{in_words(ones)}" if ones else word


@functools.cache
def value(name: str) -> str:
    """Return the current text of a fact."""
    return f"\n{BLOCKS[name]()}\n" if name in BLOCKS else COUNTS[name]()


def documents() -> list[Path]:
    """Return the documents that may have facts."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def stated() -> Iterator[tuple[str, str, str]]:
    """Yield each fact in the documents: its page, its name and its text."""
    for path in documents():
        for match in FACT.finditer(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), match[2], match[3]


def main() -> int:
    """Write all facts, or list those that are out of date."""
    if "--check" in sys.argv:
        stale = [f"{page}: {name}" for page, name, text in stated() if text != value(name)]
        print("\n".join(stale))
        return int(bool(stale))
    for path in documents():
        text = path.read_text(encoding="utf-8")
        new = FACT.sub(lambda m: f"{m[1]}{value(m[2])}{m[4]}", text)
        if new != text:
            path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
