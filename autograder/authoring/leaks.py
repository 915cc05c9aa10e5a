"""Whether an answer is in what is to be handed out: every byte of it is looked at."""

import ast
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autograder.authoring.released_code import is_hidden
from autograder.checks.recorded_answers import MOST, SUFFIX
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder
from autograder.submission.stubs import strip_solutions

FEWEST = 10  # nodes of a piece of code that is an answer, and no accident
LONGEST = 40  # so many letters of a line come nowhere else by chance
# heads of blocks, which the engine has too; and texts, of which `secrets` says which are ones
STARTS = ("from ", "import ", "# %%", "def ", "class ", "except ", '"', "'", 'f"')


def unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Every file, and what is inside of those that are packed."""
    for name, data in files.items():
        yield name, data
        if name.endswith(SUFFIX):
            yield f"{name}, unpacked", zlib.decompressobj().decompress(data, MOST)
        elif name.endswith(".whl"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for entry in archive.namelist():
                    yield f"{name}: {entry}", archive.read(entry)


def leaks(
    files: Mapping[str, bytes],
    course: Course,
    exercises: Sequence[Exercise],
    secrets: Iterable[str] = (),
    shown: Iterable[str] = (),
) -> list[str]:
    """Where an answer stands in the files, in words; nothing, if none does.

    Looked for are lines of solutions, hidden checks and the reference, `secrets` (texts that the
    policy holds back), and expressions of them in whatever names. What stands in a text that the
    policy has `shown`, such as a hint with a line of code, is none.
    """
    private, public = _private(course, exercises), _public(course, exercises)
    said = "\n".join(map(_plain, (*shown, *public.values(), *_engine())))
    lines = {line for line in _lines(private) if _plain(line) not in said}
    wanted = {line: _plain(line) for line in lines} | {
        text: _plain(text) for text in secrets if text
    }
    found = []
    for name, data in unpacked(files):
        text = _plain(data.decode("utf-8", "ignore"))
        found += [f"{name}: {line[:90]!r}" for line, plain in wanted.items() if plain in text]
    known = _shapes(private.values()).keys() - _shapes(public.values()).keys()
    for name, data in files.items():
        shapes = _shapes([data.decode()]) if name.endswith(".py") else {}
        alike = sorted(shapes[each] for each in shapes.keys() & known)
        found += [f"{name}: code of an answer: {text[:90]}" for text in alike]
    return found


def _engine() -> list[str]:
    """The engine's own files: a line that stands there too is of no course."""
    files = sorted(engine_folder().rglob("*"))
    return [each.read_text("utf-8") for each in files if each.suffix in {".py", ".jinja"}]


def _plain(text: str) -> str:
    """A text without what another way to write it would change: blanks and kinds of quotes."""
    return re.sub(r"[\s\"'\\]+", "", text)


def _lines(texts: Mapping[str, str]) -> set[str]:
    every = (line.strip() for text in texts.values() for line in text.split("\n"))
    return {line for line in every if len(_plain(line)) >= LONGEST and not _says_little(line)}


def _says_little(line: str) -> bool:
    return line.startswith(STARTS)


def _private(course: Course, exercises: Sequence[Exercise]) -> dict[str, str]:
    """Code that is an answer: of solutions, the reference, and hidden checks."""
    found = {}
    for exercise in exercises:
        solution = course.solution_file(exercise.name)
        found[str(solution)] = solution.read_text(encoding="utf-8")
        checks = course.checks_file(exercise.name)
        found[str(checks)] = "\n".join(_checks(checks, hidden=True))
    helpers = {_helper(course, name) for name in course.content.helpers}
    checks_folder = course.root / course.content.checks
    for path in sorted((course.root / course.content.reference).rglob("*.py")):
        if path not in helpers and checks_folder not in path.parents:
            found[str(path)] = path.read_text(encoding="utf-8")
    return found


def _public(course: Course, exercises: Sequence[Exercise]) -> dict[str, str]:
    """What students may see: the exercises' texts, other checks, and their helpers."""
    found = {}
    for exercise in exercises:
        solution = course.solution_file(exercise.name)
        text = solution.read_text(encoding="utf-8")
        found[str(solution)] = strip_solutions(text, str(solution))
        checks = course.checks_file(exercise.name)
        found[str(checks)] = "\n".join(_checks(checks, hidden=False))
    for name in course.content.helpers:
        path = _helper(course, name)
        found[str(path)] = path.read_text(encoding="utf-8")
    return found


def _helper(course: Course, name: str) -> Path:
    return course.root / course.content.reference / f"{name.replace('.', '/')}.py"


def _checks(path: Path, hidden: bool) -> list[str]:
    """The text of the hidden checks of a file, or of all else."""
    text = path.read_text(encoding="utf-8")
    nodes = [node for node in ast.parse(text).body if is_hidden(node) == hidden]
    return [ast.get_source_segment(text, node) or "" for node in nodes]


def _shapes(texts: Iterable[str]) -> dict[str, str]:
    """The larger expressions of some code, in whatever names, and as they are written."""
    found: dict[str, str] = {}
    for text in texts:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.expr) and _is_answer_like(node):
                found[_anonymous(node)] = ast.unparse(node)
    return found


def _is_answer_like(node: ast.expr) -> bool:
    """Whether an expression computes: it is no text, and no table of constants."""
    if isinstance(node, ast.JoinedStr | ast.Constant | ast.Dict | ast.Tuple | ast.List | ast.Set):
        return False
    parts = [each for each in ast.walk(node) if isinstance(each, ast.expr)]
    if any(isinstance(each, ast.JoinedStr) for each in parts):
        return False
    texts = sum(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    return len(parts) - 2 * texts >= FEWEST


def _anonymous(node: ast.expr) -> str:
    """An expression with its variables numbered in their order."""
    names: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"v{len(names)}")

    return re.sub(r"\b(?:id|arg)='\w+'", numbered, ast.dump(node))
