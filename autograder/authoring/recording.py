"""Recording of the results that the reference returns for the calls of released checks.

Each finished part of a record is saved in the cache immediately. The recorded bytes do not depend
on the number of processes. The key of a part is a digest of the course's reference and solutions,
the engine, the libraries and the machine.
"""

import contextlib
import functools
import importlib.metadata
import multiprocessing
import os
import platform
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from autograder.authoring.course_submissions import judge_for, own_work, right_answers
from autograder.authoring.diagnosis_records import names_of, reasons_without_names
from autograder.checks.check_result import NotJudged
from autograder.checks.projection_hash import ProjectionHash, hash_of_pass, require_plain_data
from autograder.checks.recorded_answers import (
    ExerciseRecord,
    RecordedAnswers,
    canary,
    pack,
    packed_value,
    record_with,
)
from autograder.checks.torch_modules import reference_pass
from autograder.course.cache import Cache, cache_key, engine_key, files_key
from autograder.course.course_file import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.course.errors import UserError
from autograder.course.files import plain_files
from autograder.course.own_modules import importable
from autograder.course.text import few, several
from autograder.grading.judge import RunOptions
from autograder.sandbox.levels import choose
from autograder.sandbox.spawn import end_with_starter, keep_to_one_thread
from autograder.submission.code import read_code
from autograder.worker.messages import Passed

FIND = "_stand_in"  # the name of `stand_in` in released code
STAND_IN = re.compile(rf"{FIND}\('([\w.]+)'\)")
ENOUGH = 0.95  # a smaller share of complete solutions causes a warning
MAX_KEPT = 200  # parts of exercises; enough for several versions of a large course
HINTS: dict[HintPolicy, int] = {"practice": 3, "homework": 2, "exam": 0}
RecordedPart = Literal["mistakes", "checks", "shares"]
Parts = dict[tuple[str, RecordedPart], bytes]


class RecordingTask(msgspec.Struct, frozen=True):
    """Part to record for an exercise. For `shares`, the release has the other parts already."""

    root: Path
    exercise: str
    part: RecordedPart
    policy: HintPolicy
    seeds: tuple[int, ...]
    kit: Path

    @property
    def about(self) -> str:
        return f"the {self.part} of {self.exercise}"


class RecordingOptions(msgspec.Struct, frozen=True):
    """Options of recording. With 0 workers, this process records. `anew` ignores the cache."""

    workers: int = 0
    anew: bool = False
    kept: Cache | None = None
    say: Callable[[str], object] = lambda _: None  # gets a text on each recorded part


def record_part(task: RecordingTask) -> bytes:
    course = load_course(task.root / FILE_NAME)
    exercise = course.exercise(task.exercise)
    if task.part == "mistakes":
        names = names_of(course, exercise, HINTS[task.policy])
        return pack(names) if names.functions else b""
    if task.part == "shares":
        shares = kit_shares(course, task.kit, exercise)
        if task.policy != "exam":
            shares.reasons += reasons_without_names(course, exercise)
        return msgspec.msgpack.encode(shares)
    return msgspec.msgpack.encode(recorded_answers(course, task.kit, exercise))


class KitShares(msgspec.Struct):
    """Counts of an exercise's correct solutions that a student kit judges.

    A correct solution counts as complete if it passes all visible checks.
    """

    exercise: str
    right: int = 0
    complete: int = 0
    not_complete: list[str] = []
    impossible: list[str] = []  # checks that no right answer passes
    reasons: list[str] = []  # why the kit cannot name mistakes

    def warnings(self) -> Iterator[str]:
        """Yield each of `reasons`, and a warning if the kit judges less than 95 % of answers."""
        yield from self.reasons
        if self.complete < ENOUGH * self.right:
            ungraded = few(self.not_complete, 8)
            yield f"the kit leaves checks of these right answers ungraded: {ungraded}"


def kit_shares(course: Course, kit: Path, exercise: Exercise) -> KitShares:
    """Grade correct solutions with the release in `kit`, and count them."""
    shares = KitShares(exercise.name)
    released = load_course(kit / FILE_NAME)
    titles: dict[str, str] = {}
    passed: set[str] = set()
    with judge_for(released, exercise, released.content.seed) as judge:
        for source in right_answers(course, exercise):
            results = [each for each in judge.run(source).results if not each.check.hidden]
            titles |= {each.name: each.check.title for each in results}
            passed |= {each.name for each in results if each.outcome == "passed"}
            left = [each.check.title for each in results if each.outcome != "passed"]
            shares.right += 1
            shares.complete += not left
            if left:
                shares.not_complete.append(f"{Path(source.label).stem} ({few(left, 3)})")
    shares.impossible += [title for name, title in titles.items() if name not in passed]
    return shares


def record_all(course: Course, tasks: Sequence[RecordingTask], how: RecordingOptions) -> Parts:
    parts: Parts = {}
    keys: dict[RecordingTask, str] = {}
    if how.kept is not None:
        exercise_key = functools.cache(
            lambda name: record_key(course, course.exercise(name), bool(how.workers))
        )
        for task in tasks:
            key = cache_key(exercise_key(task.exercise), task.part, task.policy, task.seeds)
            keys[task] = key
            known = None if how.anew else how.kept.get(key)
            if known is not None:
                parts[task.exercise, task.part] = known
                how.say(f"{task.about}, from the cache ({len(parts)} of {len(tasks)})")
    kept = len(parts)
    try:
        rest = [task for task in tasks if (task.exercise, task.part) not in parts]
        for task, data in _recorded(rest, how.workers):
            kept += how.kept.put(keys[task], data) if how.kept is not None else 0
            parts[task.exercise, task.part] = data
            how.say(f"{task.about} ({len(parts)} of {len(tasks)})")
    except KeyboardInterrupt:
        raise UserError(
            f"Stopped. No kit was written. {kept} of {several(len(tasks), 'part')} are kept: run "
            f"the same command again to record the others."
        ) from None
    return parts


def _recorded(
    tasks: Sequence[RecordingTask], workers: int
) -> Iterator[tuple[RecordingTask, bytes]]:
    if not workers or not tasks:
        yield from ((task, record_part(task)) for task in tasks)
        return
    keep_to_one_thread()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), context, _begin)
    try:
        # the last exercises of a course take longest: begin with them
        futures = {pool.submit(record_part, task): task for task in reversed(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool:
        raise UserError(
            "A recording process died, perhaps for lack of memory. No kit was written. What was "
            "recorded is kept: run the same command again. --workers 1 needs less memory."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_starter()


def record_key(course: Course, exercise: Exercise, *settings: object) -> str:
    content = msgspec.structs.replace(course.content, exercises=(exercise,), assignments=())
    folders = (*course.grading, course.solutions)
    files = sorted({file for folder in folders for file in plain_files(folder)})
    own, engine = list(own_work(course, exercise)), engine_key()
    return cache_key(settings, content, own, machine(), files_key(course.root, files), engine)


@functools.cache
def machine() -> tuple[str, ...]:
    """Return the versions and settings that may change recorded numbers."""
    libc = " ".join(platform.libc_ver())
    threads = sorted(f"{k}={v}" for k, v in os.environ.items() if k.endswith("_NUM_THREADS"))
    installed = {f"{each.name} {each.version}" for each in importlib.metadata.distributions()}
    system = sys.version, sys.platform, libc, platform.machine(), platform.node()
    return (*system, str(choose(None, own_code=True)), *threads, *sorted(installed))


class Recorder:
    """Stand-in for the reference that records the calls of checks and the results.

    Create a recorder only while the packages of the course are importable.
    """

    def __init__(self, reference: str, modules: Iterable[str] = ()) -> None:
        self._modules = {"": importlib.import_module(reference)}
        for name in modules:
            with contextlib.suppress(ModuleNotFoundError):
                self._modules[name] = importlib.import_module(f"{reference}.{name}")
        self.constants: dict[str, bytes] = {}
        self.functions: dict[str, RecordedAnswers] = {}
        self.values: dict[bytes, int] = {}
        self._known: dict[tuple[str, bytes], list[Any]] = {}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the function's result, and record it.

        Raises:
            NotJudged: the result or an argument is not plain data.
        """
        asked = ProjectionHash((args, kwargs))
        function = self._named(name)
        if not callable(function):
            raise NotJudged
        value = function(*args, **kwargs)
        require_plain_data(value)
        self._note(name, asked, value)
        return value

    def passed(self, name: str, *given: Any) -> Passed:
        """Run a module of the course once, record the forward pass, and return it."""
        passed = reference_pass(self._named(name), *given)
        answer = {"value": passed.value, "gradients": passed.gradients}
        self._note(name, hash_of_pass(*given), answer)
        return passed

    def constant(self, name: str) -> Any:
        """Return and record a constant of the reference. For any other value, return None."""
        value = self._named(name)
        if not is_constant(value):
            return None
        self.constants[name] = packed_value(value)
        return value

    def _named(self, name: str) -> Any:
        module, _, last = name.rpartition(".")
        return getattr(self._modules.get(module), last, None)

    def _note(self, name: str, asked: ProjectionHash, value: Any) -> None:
        known = self._known.setdefault((name, asked.kind), [])
        if any(asked.is_close(sums[np.newaxis])[0] for sums in known):
            return
        known.append(asked.sums)
        place = self.values.setdefault(packed_value(value), len(self.values))
        answers = self.functions.setdefault(name, RecordedAnswers())
        answers.kinds.append(asked.kind)
        answers.sums += asked.sums.astype("<f8").tobytes()
        answers.values.append(place)


def is_constant(value: Any) -> bool:
    """Return True if a value is a text, a number, or a tuple of texts and numbers."""
    values = value if isinstance(value, tuple) else [value]
    return all(isinstance(each, str | int | float) for each in values)


def recorded_answers(course: Course, kit: Path, exercise: Exercise) -> ExerciseRecord:
    """Return the recorded answers for an exercise's checks in the release `kit`.

    The digest, the hints, the weights and the hidden checks are empty. The release fills them in.
    """
    released = load_course(kit / FILE_NAME)
    made = released.content.released
    assert made is not None
    texts = (path.read_text(encoding="utf-8") for path in kit.rglob("*.py"))
    modules = {name.rpartition(".")[0] for text in texts for name in STAND_IN.findall(text)}
    if exercise.needs == "torch":
        modules.add("modules")
    with judge_for(released, exercise) as judge:
        with importable(course):
            recorder = Recorder(course.content.reference, modules - {""})
        record_with(recorder)
        try:
            sources = list(own_work(course, exercise))
            for seed in made.seeds:
                for source in sources:
                    judge.run(source, RunOptions(seed=seed))
        finally:
            record_with(None)
    with judge_for(course, exercise) as judge:
        results = judge.run(sources[0]).results
    names = read_code(sources[0].units).names
    called: dict[str, tuple[str, ...]] = {}
    for each in results:  # a check may use what a check that it needs has kept
        kept = [name for needed in each.check.needs for name in called.get(needed, ())]
        own = [name for name in each.about if name in names]
        called[each.name] = tuple(dict.fromkeys([*kept, *own]))
    return ExerciseRecord(
        exercise=exercise.name,
        digest="",
        numpy=np.__version__,
        seeds=list(made.seeds),
        canary=canary().sums.tolist(),
        called={each.name: called[each.name] for each in results if not each.check.in_kit},
        constants=recorder.constants,
        functions=recorder.functions,
        values=list(recorder.values),
    )
