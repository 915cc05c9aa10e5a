"""What a submission can do to its worker, and what is said of it."""

import sys

import numpy as np
import pytest

from autograder.sandbox import problems
from autograder.sandbox.problems import (
    Crashed,
    NotDefined,
    NotLoaded,
    NotPlain,
    NotWritten,
    Raised,
    StudentProblem,
    TimedOut,
)
from tests.conftest import ENDLESS
from tests.sandbox.processes import has_ended

pytestmark = pytest.mark.one_in(2)

WRITE_NOISE = """import os
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b"noise" * 99)
        except OSError:
            pass"""


def test_values_come_back_as_plain_data(submit):
    work = submit(
        """
        import numpy as np
        from fractions import Fraction

        class Sub(np.ndarray):
            def __eq__(self, other):
                return True

        def echo(x): return x
        def pair(): return (1, [2.5, None], {"a": True, 4: np.float32(0.5)})
        def subclass(): return np.ones(2).view(Sub)
        def fraction(): return [Fraction(1, 3), range(3), np.int64(7)]
        """
    )
    assert work.pair() == [1, [2.5, None], {"a": True, 4: 0.5}]
    assert type(work.subclass()) is np.ndarray
    assert work.fraction() == [1 / 3, [0, 1, 2], 7]
    array = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(work.echo(array), array)


@pytest.mark.parametrize(
    ("body", "problem", "said"),
    [
        (
            "while True: pass",
            TimedOut,
            "still in the loop in line 2 of work.py.",
        ),
        ("import time; time.sleep(99)", TimedOut, "within 1 seconds. Is there a loop that"),
        ("value = 1; return valeu", Raised, "not defined (Did you mean: 'value'?) in line 2 of"),
        ("return 'a'.uper()", Raised, "attribute 'uper' (Did you mean: 'upper'?) in line 2"),
        ("import os; os._exit(3)", Crashed, "exit code 3"),
        ("import os; os.abort()", Crashed, "SIGABRT"),
        ("import ctypes; ctypes.string_at(0)", Crashed, "SIGSEGV"),
        ("import sys; sys.exit('bye')", Crashed, "asked to end the program (exit) in line 2"),
        ("exit()", Crashed, "asked to end the program (exit) in line 2"),
        ("raise SystemExit", Crashed, "in line 2 of work.py"),
        ("return input('?')", Raised, "calls input() in line 2 of work.py"),
        ("breakpoint(); return 1", Raised, "calls breakpoint() in line 2 of work.py"),
        ("return [0][1]", Raised, "IndexError: list index out of range in line 2 of work.py"),
        ("raise NotImplementedError()", NotWritten, "f is not written yet."),
        ("return f()", Raised, "calls itself forever"),
        ("return bytearray(4 * 2**30)", Raised, "more memory than the grader allows"),
        ("return lambda: 1", NotPlain, "f returned a function"),
        ("return (i for i in range(3))", NotPlain, "a generator; put list(...) around it"),
        ("return {open}", NotPlain, "a set with an item of type builtin"),
        ("return object()", NotPlain, "an object of type object"),
        ("x = []; x.append(x); return x", NotPlain, "a value with too many parts"),
        ("import numpy; return numpy.array([[1], [1, 2]], dtype=object)", NotPlain, "rows of diff"),
        ("return ['x' * 1000] * 1000", NotPlain, "too large"),
        (WRITE_NOISE, Crashed, "grader's own channel"),
        ("raise BaseException('odd')", Raised, "BaseException: odd"),
        ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})", Raised, "stopped with E"),
        ("import signal, os; os.kill(os.getpid(), signal.SIGSTOP)", TimedOut, "did not finish"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="signals and limits are those of Linux")
def test_each_failure_is_a_clear_sentence_and_the_rest_goes_on(submit, body, problem, said):
    work = submit(f"def f():\n    {body}\n\ndef fine(): return 42\n")
    assert work.fine() == 42
    with pytest.raises(problem) as caught:
        work.f()
    assert said in caught.value.finding
    assert work.fine() == 42


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("for i in range(3):\n        while i < 9:\n            x = 1", 3),
        ("while True:\n        for i in range(9):\n            x = 1", 2),
        ("while True:\n        g()", 2),
        ("return g(forever=True)", 8),
        ("while True:\n        try:\n            x = 1\n        except BaseException:\n"
         "            pass", 2),
    ],
)  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="a process is asked by a signal")
def test_a_timeout_names_the_loop(submit, code, line):
    """The `while` that did not end, wherever in its body the function was when it was asked."""
    lines = f"def f():\n    {code}\n".splitlines()
    text = "\n".join([*lines, *[""] * (6 - len(lines))])
    work = submit(f"{text}\ndef g(forever=False):\n    while forever:\n        pass\n", ENDLESS)
    with pytest.raises(TimedOut) as caught:
        work.f()
    assert caught.value.place.line == line
    assert caught.value.cause.place.text.startswith("while ")
    assert f"still in the loop in line {line} of work.py." in caught.value.finding


@pytest.mark.skipif(sys.platform != "linux", reason="a process is asked by a signal")
def test_a_loop_outside_every_function_is_named_too(submit):
    with pytest.raises(TimedOut, match=r"runs too long\. It was still in the loop in line 1 of"):
        submit("while True:\n    pass\ndef f(): return 1\n", ENDLESS).f()


def test_ten_gigabytes_of_output_are_dropped(submit):
    work = submit(
        """
        import sys, os
        def f():
            for _ in range(200):
                print("x" * 1_000_000)
                os.write(1, b"y" * 1_000_000)
                sys.stderr.buffer.write(b"z" * 1_000_000)
            return 1
        """
    )
    assert work.f() == 1
    assert len(work._session.workers.printed) <= 2001


def test_a_function_that_times_out_twice_is_not_called_again(submit):
    work = submit("def f(): \n    while True: pass\ndef fine(): return 1", ENDLESS)
    for _ in range(2):
        with pytest.raises(TimedOut, match="did not finish"):
            work.f()
    with pytest.raises(TimedOut, match="not called again"):
        work.f()
    assert work.fine() == 1


def test_the_whole_submission_has_a_budget(submit):
    from autograder.course.course_file import Limits

    limits = Limits(load_seconds=2, call_seconds=1, total_seconds=1.2)
    work = submit("import time\ndef f(): time.sleep(0.5)\ndef g(): return 1", limits)
    work.f()
    work.f()
    with pytest.raises(TimedOut):
        for _ in range(3):
            work.f()
    with pytest.raises(TimedOut, match="used up its 1.2 seconds"):
        work.g()


def test_a_missing_name_is_named_with_what_is_there(submit):
    work = submit("def soft_max(x): return x")
    with pytest.raises(NotDefined, match="softmax is not defined.*does define soft_max"):
        work.softmax(1)


def test_a_syntax_error_gives_the_line(submit):
    work = submit("def f(x:\n    return 1\n")
    with pytest.raises(NotLoaded, match=r"not valid Python: .* in line 1 of work\.py"):
        work.f(1)


def test_functions_around_an_error_at_the_top_level_still_count(submit):
    work = submit("def f(): return 1\nassert f() == 2, 'mine'\ndef g(): return 2\n")
    assert (work.f(), work.g()) == (1, 2)
    with pytest.raises(NotDefined, match="h is not defined.*AssertionError: mine in line 2"):
        work.h()


def test_a_value_is_and_a_function_returns(submit):
    work = submit("a = ...\ndef f(): return ...\n")
    with pytest.raises(NotPlain, match="^a is an object of type ellipsis"):
        work.value("a")
    with pytest.raises(NotPlain, match="^f returned an object of type ellipsis"):
        work.f()


def test_a_value_is_not_there_because_of_the_error_in_its_own_line(submit):
    work = submit("a = sqrt(2)\nb = exp(1)\ndef f(): return 1\n")
    for name, missing in (("a", "sqrt"), ("b", "exp")):
        with pytest.raises(NotDefined, match=f"'{missing}' is not defined in line"):
            work.value(name)


def test_an_endless_loop_at_the_top_level(submit):
    work = submit("while True: pass", ENDLESS)
    with pytest.raises(TimedOut, match="did not finish loading"):
        work.f()
    with pytest.raises(TimedOut, match="did not finish loading"):
        work.f()


def test_files_beside_it_can_be_imported(submit):
    work = submit(
        "from helper import twice\ndef f(x): return twice(x)",
        helper="import deeper\ndef twice(x): return deeper.one * 2 * x",
        deeper="one = 1",
        other="raise SystemExit",
    )
    assert work.f(4) == 8


def test_arguments_come_back_as_they_are_after_the_call(submit):
    work = submit("def f(x):\n    x += 1\n    return x")
    before = np.zeros(2)
    _, (after,) = work.f.with_arguments(before)
    np.testing.assert_array_equal(after, [1, 1])
    np.testing.assert_array_equal(before, [0, 0])


def test_objects_can_stay_in_the_worker(submit):
    work = submit(
        """
        class Counter:
            def __init__(self, start): self.count = start
            def add(self, n):
                self.count += n
                return self.count
        def draw(rng): return rng.integers(0, 1000)
        """
    )
    counter = work.Counter.kept(5)
    assert counter.add(2) == 7
    assert counter.add(2) == 9
    expected = np.random.default_rng(3).integers(0, 1000)
    assert work.draw(work.make("numpy.random.default_rng", 3)) == expected


def test_processes_it_starts_are_ended_with_it(submit):
    work = submit(
        """
        import subprocess
        def f(): return subprocess.Popen(["sleep", "60"]).pid
        """
    )
    child = work.f()
    work._session.close()
    assert has_ended(child)


def test_a_figure_comes_back_as_data(submit):
    from autograder.course.course_file import Limits

    work = submit(
        """
        import matplotlib.pyplot as plt
        def f():
            fig, (ax, other) = plt.subplots(1, 2)
            ax.plot([1, 10], [2, 3], label="a")
            ax.scatter([1, 2], [3, 4], label="b")
            other.imshow([[1, 2], [3, 4]])
            ax.set(xscale="log", xlabel="x", ylabel="y", title="t")
            ax.legend()
            return fig
        """,
        Limits(load_seconds=30, call_seconds=30, total_seconds=60),
    )
    axes, other = work.f().axes
    assert (axes.title, axes.x_label, axes.y_label) == ("t", "x", "y")
    assert (axes.x_scale, axes.y_scale) == ("log", "linear")
    assert axes.legend == ["a", "b"]
    assert [(s.label, s.x, s.y) for s in axes.series] == [
        ("a", [1, 10], [2, 3]),
        ("b", [1, 2], [3, 4]),
    ]
    assert other.images[0].values == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("return  shiftd * 2", "shiftd"),
        ("é = [1]; return é[5] + 1", "é[5]"),
        ("return 1 + \\\n        int('a')", "int('a')"),
        ("return (1 +\n        'a')", ""),
        ("return (", "("),
    ],
)
def test_a_place_has_the_part_of_its_line_that_raised(submit, body, part):
    with pytest.raises(StudentProblem) as caught:
        submit(f"def f():\n    {body}\n").f()
    place = (caught.value.because or caught.value).place
    assert place.text[place.column : place.end] == part


def test_a_library_that_is_missing_is_named_with_its_installation(submit, monkeypatch):
    monkeypatch.setattr(problems, "LIBRARIES", {"nosuchlibrary"})
    work = submit("import nosuchlibrary as n\ndef f(): return n.zeros(2)\n")
    with pytest.raises(Raised, match=r"installed here\. Run: pip install nosuchlibrary\.$"):
        work.f()
