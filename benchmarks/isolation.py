"""Time to grade a submission in its own process, beside the same checks in this process."""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

import msgspec

from autograder.authoring.course_submissions import SimulatedWorkers
from autograder.course.course_file import Course, Exercise, Library, find_course, load_course
from autograder.grading.judge import Judge
from autograder.sandbox.child import Children
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.spawn import Spawner
from autograder.submission.source import Source, read_source
from autograder.worker.confinement import LAYERS
from benchmarks.soak import confined_fork_server
from benchmarks.timing import Row, Size, in_turn, ms

ROOT = Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def judging(course: Course, exercise: Exercise, children: Children) -> Iterator[Judge]:
    with Judge(course, [exercise], children) as judge:
        yield judge


def costs(library: Library, size: Size) -> list[Row]:
    """Return milliseconds for a submission: in this process, forked, confined, in a new one."""
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
            forked.run(source)  # its fork server starts now, without layers
        floor = enter(judging(course, exercise, Spawner("reference")))
        simulated = WorkerSession(SimulatedWorkers(course, exercise, _module(source)))
        times = in_turn(
            size.repeats,
            lambda: floor.run(simulated).report,
            lambda: forked.run(source).report,
            lambda: confined.run(source).report,
        )
        (alone,) = in_turn(min(5, size.repeats), lambda: fresh.run(source).report)
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


def _module(source: Source) -> ModuleType:
    """Return a submission's module, loaded in this process."""
    module = ModuleType(source.name)
    for unit in source.units:
        exec(unit.text, module.__dict__)
    return module


def _memory(judge: Judge) -> str:
    children = judge.children
    assert isinstance(children, ForkServers)
    process = confined_fork_server(children)
    found = re.search(r"Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text())
    assert found is not None
    return f"{int(found.group(1)) // 1024} MB"


def pytests_share(size: Size) -> Row:
    """Measure ten empty checks, to see the cost of pytest's protocol."""
    check = "@pytest.mark.check('Check {0}')\ndef test_{0}(): pass\n"
    checks = "import pytest\n" + "".join(check.format(number) for number in range(10))
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
            (share,) = in_turn(size.repeats, _grading(judge, source))
    return ("pytest's share of ten checks", ms(share), "", "at most 3 ms")


def _grading(judge: Judge, source: Source) -> Callable[[], object]:
    return lambda: judge.run(source).report
