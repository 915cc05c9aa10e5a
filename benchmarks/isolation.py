"""What it costs to grade a submission apart, beside the same checks in the same process."""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

import msgspec
import numpy as np

from autograder.course import Course, Exercise, Library, find_course, load_course
from autograder.judge import session
from autograder.judge.child import Children
from autograder.judge.forkserver import ForkServers
from autograder.judge.session import Judge
from autograder.judge.spawn import Spawner
from autograder.submission.source import Source, read_source
from autograder.worker.codec import Handle
from autograder.worker.confinement import LAYERS
from autograder.worker.messages import Problem, Reply, Request
from autograder.worker.plain import to_plain
from benchmarks.timing import Row, in_turn, ms

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 40


class DirectClient:
    """The floor: the student's file in the judge's own process. Only for measuring."""

    printed, load_problems = "", list[Problem]()

    def __init__(self, source: Source, *_: object) -> None:
        self.module = ModuleType(source.name)
        for unit in source.units:
            exec(unit.text, self.module.__dict__)

    def ask(self, request: Request) -> Reply:
        args = [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in request.args]
        value = getattr(self.module, request.target)(*args, **request.kwargs)
        return Reply(to_plain(value), echo=args)

    def make(self, *_: object) -> Handle:
        raise NotImplementedError

    def close(self) -> None: ...


@contextlib.contextmanager
def judging(course: Course, exercise: Exercise, children: Children) -> Iterator[Judge]:
    with Judge(course, [exercise], children) as judge:
        yield judge


def costs(library: Library) -> list[Row]:
    """Milliseconds a submission, in the same process, forked, confined, in a fresh process."""
    course = find_course(ROOT)
    exercise = msgspec.structs.replace(course.exercise("softmax"), needs=library)
    source = read_source(ROOT / "examples" / "class" / "s01" / "softmax.py", "softmax")
    secret = [ROOT / "reference", ROOT / "autograder"]
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        fresh = enter(judging(course, exercise, Spawner("reference")))
        confined = enter(judging(course, exercise, ForkServers("reference", "full", secret)))
        with mock.patch.dict(LAYERS, {"full": ()}):
            forked = enter(judging(course, exercise, ForkServers("reference", "full")))
            forked.grade(source)  # its zygote starts now, without layers
        floor = enter(judging(course, exercise, Spawner("reference")))

        def on_the_floor() -> None:
            with mock.patch.object(session, "Client", DirectClient):
                floor.grade(source)

        times = in_turn(
            REPEATS,
            on_the_floor,
            lambda: forked.grade(source),
            lambda: confined.grade(source),
        )
        (alone,) = in_turn(5, lambda: fresh.grade(source))
        memory = _memory(confined)
    bottom, plain, ours = times
    aim = {"numpy": 15, "torch": 20}[library]
    return [
        (f"{library}: floor, same process", ms(bottom), "1×", ""),
        (f"{library}: plain fork", ms(plain), f"{plain / bottom:.1f}×", ""),
        (f"{library}: confined", ms(ours), f"{ours / bottom:.1f}×", f"floor + {aim} ms at most"),
        (f"{library}: of that, over the floor", ms(ours - bottom), "", f"at most {aim} ms"),
        (f"{library}: of that, confinement", ms(ours - plain), "", "at most 2 ms"),
        (f"{library}: a fresh process each", ms(alone), f"{alone / bottom:.0f}×", ""),
        (f"{library}: memory of a fork server", memory, "", ""),
    ]


def _memory(judge: Judge) -> str:
    children = judge.children
    assert isinstance(children, ForkServers)
    outer = next(iter(children._zygotes.values()))._process.pid
    inner = int(Path(f"/proc/{outer}/task/{outer}/children").read_text().split()[0])
    found = re.search(r"Pss:\s+(\d+)", Path(f"/proc/{inner}/smaps_rollup").read_text())
    assert found is not None
    return f"{int(found.group(1)) // 1024} MB"


def pytests_share() -> Row:
    """Ten checks that do nothing: what pytest's own protocol costs a submission."""
    checks = "".join(f"def test_{i}(): pass\n" for i in range(10))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bench_checks", "bench_reference"):
            os.mkdir(f"{folder}/{name}")
        Path(folder, "bench_reference", "__init__.py").write_text("")
        Path(folder, "bench_checks", "test_none.py").write_text(checks)
        Path(folder, "course.yml").write_text(
            "title: T\nreference: bench_reference\nchecks: bench_checks\n"
            "exercises: [{name: none, title: None, points: 1}]\n"
        )
        course = load_course(Path(folder, "course.yml"))
        source = Source("none", "none.py", ())
        with judging(course, course.exercise("none"), Spawner("bench_reference")) as judge:
            (share,) = in_turn(REPEATS, _grading(judge, source))
    return ("pytest's share of ten checks", ms(share), "", "at most 3 ms")


def _grading(judge: Judge, source: Source) -> Callable[[], object]:
    return lambda: judge.grade(source)
