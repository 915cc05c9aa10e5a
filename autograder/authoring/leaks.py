"""Search for answers in all files that students get, byte by byte."""

import ast
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograder.authoring.kit_files import is_hidden, module_file
from autograder.checks.recorded_answers import MOST, SUFFIX
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder
from autograder.submission.stubs import strip_solutions

FEWEST = 10  # syntax nodes; larger expressions are not equal by chance
LONGEST = 40  # characters; longer lines are not equal by chance
# Lines that are not searched begin like this: block headers are common, `secrets` has strings.
STARTS = ("from ", "import ", "# %%", "def ", "class ", "except ", '"', "'", 'f"')


def unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield every file. For a packed file, yield its content too."""
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
    """Return a sentence for each place in the files that contains an answer.

    The search finds lines and larger expressions of solutions, hidden checks and the reference. For
    expressions, names do not matter. It also finds `secrets`, texts that the policy holds back.
    Code that is also in a text in `shown`, such as a hint, does not count.
    """
    private, public = _texts(course, exercises)
    # a line that the engine's own files contain reveals nothing
    engine = [path for path in engine_folder().rglob("*") if path.suffix in {".py", ".jinja"}]
    texts = (*shown, *public, *(path.read_text("utf-8") for path in engine))
    known = "\n".join(map(_plain, texts))
    every = {line.strip() for text in private for line in text.split("\n")}
    lines = {line: _plain(line) for line in every if not line.startswith(STARTS)}
    answers = {
        line: plain for line, plain in lines.items() if len(plain) >= LONGEST and plain not in known
    }
    answers |= {text: _plain(text) for text in secrets if text}
    places = []
    for name, data in unpacked(files):
        text = _plain(data.decode("utf-8", "ignore"))
        places += [f"{name}: {line[:90]!r}" for line, plain in answers.items() if plain in text]
    private_shapes = _shapes(private).keys() - _shapes(public).keys()
    for name, data in files.items():
        shapes = _shapes([data.decode()]) if name.endswith(".py") else {}
        alike = sorted(shapes[shape] for shape in shapes.keys() & private_shapes)
        places += [f"{name}: code of an answer: {text[:90]}" for text in alike]
    return places


def _plain(text: str) -> str:
    """Return a text without spaces, quotes and backslashes: equal code can differ in these."""
    return re.sub(r"[\s\"'\\]+", "", text)


def _texts(course: Course, exercises: Sequence[Exercise]) -> tuple[list[str], list[str]]:
    """Return the solutions, the reference and the hidden checks, then what students may see."""
    private, public = [], []
    for exercise in exercises:
        solution = course.solution_file(exercise.name)
        private.append(solution.read_text(encoding="utf-8"))
        public.append(strip_solutions(private[-1], str(solution)))
        text = course.checks_file(exercise.name).read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            part = ast.get_source_segment(text, node) or ""
            (private if is_hidden(node) else public).append(part)
    reference = course.root / course.content.reference
    helpers = {module_file(course, name) for name in course.content.helpers}
    checks_folder = course.root / course.content.checks
    for path in sorted({*reference.rglob("*.py"), *helpers}):
        if path in helpers or checks_folder not in path.parents:
            (public if path in helpers else private).append(path.read_text(encoding="utf-8"))
    return private, public


def _shapes(texts: Iterable[str]) -> dict[str, str]:
    """Return a dict from form to expression for larger expressions. The form has no names."""
    shapes: dict[str, str] = {}
    for text in texts:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.expr) and _is_answer_like(node):
                shapes[_anonymous(node)] = ast.unparse(node)
    return shapes


def _is_answer_like(node: ast.expr) -> bool:
    """Return whether an expression computes something. A text or table of constants does not."""
    if isinstance(node, ast.JoinedStr | ast.Constant | ast.Dict | ast.Tuple | ast.List | ast.Set):
        return False
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    if any(isinstance(part, ast.JoinedStr) for part in parts):
        return False
    texts = sum(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    return len(parts) - 2 * texts >= FEWEST


def _anonymous(node: ast.expr) -> str:
    """Return an expression as text, with its names replaced by numbers in order."""
    names: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"v{len(names)}")

    return re.sub(r"\b(?:id|arg)='\w+'", numbered, ast.dump(node))
