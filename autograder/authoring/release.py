"""Release of a course: a student kit without solutions.

Before the files are written, all their bytes are searched for parts of solutions.
"""

import ast
import functools
import importlib.metadata
import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autograder.authoring.kit_files import (
    PACKAGE,
    STUBS,
    WORK,
    ReleaseOptions,
    is_hidden,
    module_file,
    pictures,
    surroundings,
    text_files,
)
from autograder.authoring.recording import (
    HINTS,
    KitShares,
    Parts,
    RecordedPart,
    RecordingOptions,
    RecordingTask,
    record_all,
)
from autograder.checks.check_result import Check
from autograder.checks.recorded_answers import (
    FOLDER,
    SUFFIX,
    ExerciseRecord,
    HiddenCheck,
    pack,
    unpack,
)
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.errors import UserError
from autograder.course.files import write_files
from autograder.course.installation import PACKAGE as PROJECT
from autograder.course.installation import engine_folder, version
from autograder.course.own_modules import importable
from autograder.course.text import few, several
from autograder.diagnosis.mistakes import known_mistakes
from autograder.diagnosis.recorded_replay import NAMES_SUFFIX
from autograder.grading.check_collection import checks_of
from autograder.submission.source import SUFFIXES
from autograder.submission.stubs import course_digest, strip_solutions

REPLACED = frozenset({*SUFFIXES, ".bin", ".whl"})  # an update deletes old files with these suffixes
FEWEST = 10  # syntax nodes; larger expressions are not equal by chance
LONGEST = 40  # characters; longer lines are not equal by chance
# Beginnings of lines that are not searched: block headers are common, `secrets` has strings.
STARTS = ("from ", "import ", "# %%", "def ", "class ", "except ", '"', "'", 'f"')
_OF_EXTRA = re.compile(r"(?:;| and) extra == ['\"]([\w-]+)['\"]$")
IN_THIS_PROCESS = RecordingOptions()
Checks = Mapping[str, Sequence[Check]]


def bundle(
    course: Course, options: ReleaseOptions, how: RecordingOptions = IN_THIS_PROCESS
) -> dict[str, bytes]:
    exercises, policy = options.exercises, options.policy
    checks = checks_of(course, [exercise.name for exercise in exercises])
    with importable(course):
        files = text_files(course, options)
        shown, secrets = _allowed_texts(course, options, checks)
    wheel_name, wheel_data = build_wheel()
    files |= surroundings(course, options, wheel_name, np.__version__)
    whole = {name: text.encode() for name, text in files.items()} | pictures(course, files)

    def refuse_leaks() -> None:
        places = leaks(whole, course, exercises, secrets, shown)
        if places:
            raise UserError(
                f"No kit was written: it would show a part of a solution in "
                f"{several(len(places), 'place')}. In checks, use the fixtures `reference` and "
                f"`modules`, or import names from the reference. {few(places, 8)}"
            )

    refuse_leaks()  # search now too, before the long recording
    # an exam shows no findings, so it needs no names of mistakes
    parts: list[RecordedPart] = ["checks"] if policy == "exam" else ["mistakes", "checks"]
    for (name, part), data in _recorded(course, whole, options, parts, how).items():
        place = f"{PACKAGE}/{FOLDER}/{name}"
        if part == "checks":
            record = msgspec.msgpack.decode(data, type=ExerciseRecord)
            record.digest = course_digest(course)
            _describe_checks(record, checks[name], HINTS[policy])
            whole[f"{place}{SUFFIX}"] = pack(record)
        elif data:
            whole[f"{place}{NAMES_SUFFIX}"] = data
    whole[wheel_name] = wheel_data
    refuse_leaks()
    return dict(sorted(whole.items()))


def _allowed_texts(
    course: Course, options: ReleaseOptions, checks: Checks
) -> tuple[list[str], list[str]]:
    """Return two lists of hints and findings: texts that students see, and secret texts."""
    most, exam = HINTS[options.policy], options.policy == "exam"
    shown: list[str] = []
    secret: list[str] = []
    for exercise in options.exercises:
        secret += [line for question in exercise.questions for line in question.rubric]
        hints = [check.hints for check in checks[exercise.name]]
        for recipe in known_mistakes(course.content.reference, exercise.name).recipes.values():
            hints += [wrong.hints for wrong in recipe.misconceptions]
            (secret if exam else shown).extend(wrong.finding for wrong in recipe.misconceptions)
        shown += [hint for each in hints for hint in each[:most]]
        secret += [hint for each in hints for hint in each[most:]]
    return shown, [text for text in secret if text not in shown]


def _recorded(
    course: Course,
    files: Mapping[str, bytes],
    options: ReleaseOptions,
    parts: Sequence[RecordedPart],
    how: RecordingOptions,
) -> Parts:
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        folder = Path(scratch).resolve()
        write_files(folder, files)
        made = load_course(folder / FILE_NAME).content.released
        assert made is not None
        tasks = [
            RecordingTask(course.root, each.name, part, options.policy, made.seeds, folder)
            for each in options.exercises
            for part in parts
        ]
        return record_all(course, tasks, how)


def _describe_checks(record: ExerciseRecord, checks: Sequence[Check], most_hints: int) -> None:
    record.order = [check.name for check in checks]
    for check in checks:
        if not check.in_kit:
            record.hidden.append(HiddenCheck(check.name, check.title, check.weight))
            continue
        record.weights[check.name] = check.weight
        if hints := check.hints[:most_hints]:
            record.hints[check.name] = hints


def shares_of(
    course: Course,
    files: Mapping[str, bytes],
    options: ReleaseOptions,
    how: RecordingOptions = IN_THIS_PROCESS,
) -> list[KitShares]:
    """Return what a kit judges. Refuse a kit with a check that no correct solution passes."""
    parts = _recorded(course, files, options, ["shares"], how)
    shares = [
        msgspec.msgpack.decode(parts[each.name, "shares"], type=KitShares)
        for each in options.exercises
    ]
    for each in shares:
        if each.impossible:
            raise UserError(
                f"No kit was written: no correct solution of {each.exercise} passes "
                f"{few([f'“{title}”' for title in each.impossible], 4)} in the kit. In this check, "
                f"import each class and function of the reference by name, and call it with plain "
                f"data. Or compare only the student's values with each other. Or mark the check as "
                f"hidden."
            )
    return shares


def without_work(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that an update may replace. The files that students work in are left out."""
    return {name: data for name, data in files.items() if not _is_work(name)}


def _is_work(name: str) -> bool:
    return name.startswith(f"{WORK}/") and name.endswith(SUFFIXES)


def update(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Write a release over an earlier one. Keep and return exercises that students changed."""
    if not (folder / FILE_NAME).is_file():
        raise UserError(f"{folder} holds no student kit. To make one, leave out --update.")
    if load_course(folder / FILE_NAME).content.released is None:
        raise UserError(f"{folder} holds a full course, not a student kit. Nothing was changed.")
    # without the earlier stubs, the student's changes are unknown, so all files are kept
    stubs = (path for path in (folder / STUBS).glob("*") if path.is_file())
    before = {path.name: path.read_bytes() for path in stubs}
    for path in [*sorted((folder / PACKAGE).rglob("*")), *sorted(folder.glob("*.whl"))]:
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in files and path.suffix in REPLACED:
            path.unlink()
    work = [name for name in files if _is_work(name) and (folder / name).exists()]
    kept = [name for name in work if (folder / name).read_bytes() != before.get(Path(name).name)]
    write_files(folder, {name: data for name, data in files.items() if name not in kept})
    return kept


def unpacked(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield every file, and the content of each zip or compressed file."""
    for name, data in files.items():
        yield name, data
        if name.endswith(SUFFIX):
            yield f"{name}, unpacked", unpack(data)
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
    """Return a sentence for each place in the files that reveals a secret.

    Secrets are the texts in `secrets`, and lines and larger expressions of the solutions, the
    hidden checks and the reference, even with other names. Code in `shown` is not reported, because
    students may see this code anyway.
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
    private_shapes = _shapes(*private).keys() - _shapes(*public).keys()
    for name, data in files.items():
        shapes = _shapes(data.decode()) if name.endswith(".py") else {}
        alike = sorted(shapes[shape] for shape in shapes.keys() & private_shapes)
        places += [f"{name}: code of an answer: {text[:90]}" for text in alike]
    return places


def _plain(text: str) -> str:
    return re.sub(r"[\s\"'\\]+", "", text)


def _texts(course: Course, exercises: Sequence[Exercise]) -> tuple[list[str], list[str]]:
    """Return two lists: the texts that contain solutions, and the texts that students may see."""
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


@functools.lru_cache(100)  # `bundle` searches twice
def _shapes(*texts: str) -> dict[str, str]:
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
    if isinstance(node, ast.JoinedStr | ast.Constant | ast.Dict | ast.Tuple | ast.List | ast.Set):
        return False
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    if any(isinstance(part, ast.JoinedStr) for part in parts):
        return False
    texts = sum(isinstance(p, ast.Constant) and isinstance(p.value, str) for p in parts)
    return len(parts) - 2 * texts >= FEWEST


def _anonymous(node: ast.expr) -> str:
    names: dict[str, str] = {}
    pattern, text = r"\b(?:id|arg)='\w+'", ast.dump(node)
    return re.sub(pattern, lambda found: names.setdefault(found[0], f"v{len(names)}"), text)


def build_wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel of the installed engine, built with hatchling.

    The wheel contains no course. Equal inputs give equal bytes.
    """
    from hatchling.builders.wheel import WheelBuilder

    # make a `pyproject.toml` from the metadata of the installed engine
    installed = importlib.metadata.distribution(PROJECT)
    needed: list[str] = []
    optional: dict[str, list[str]] = {
        extra: [] for extra in installed.metadata.get_all("Provides-Extra") or []
    }
    for requirement in installed.requires or []:
        extra = _OF_EXTRA.search(requirement)
        if extra is None:
            needed.append(requirement)
        else:
            optional[extra[1]].append(requirement[: extra.start()])
    groups: dict[str, dict[str, str]] = {}
    for point in installed.entry_points:
        groups.setdefault(point.group, {})[point.name] = point.value
    project = {
        "name": PROJECT,
        "version": version(),
        "description": installed.metadata["Summary"],
        "requires-python": installed.metadata["Requires-Python"],
        "dependencies": needed,
        "optional-dependencies": optional,
        "scripts": groups.pop("console_scripts", {}),
        "entry-points": groups,
    }
    packages = {"packages": ["autograder"]}
    config = {"project": project, "tool": {"hatch": {"build": {"targets": {"wheel": packages}}}}}
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(engine_folder(), Path(scratch, "autograder"), ignore=compiled)
        (path,) = WheelBuilder(scratch, config=config).build(directory=scratch)
        return Path(path).name, Path(path).read_bytes()
