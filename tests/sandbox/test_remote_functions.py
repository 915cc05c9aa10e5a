"""A student's tests are handed functions that they can call, and of which they see nothing else."""

import numpy as np
import pytest

from autograder.sandbox.problems import Raised
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tests.conftest import ENDLESS

RIGHT = "def implementation(x):\n    return x * 2, x.sum()\n"
DRAWS = "def implementation(rng):\n    return rng.random(3)\n"


def test_values_go_there_and_come_back(submit):
    work = submit("def use(f):\n    double, total = f(np.arange(3.0))\n    return [double, total]\n"
                  "import numpy as np\n")  # fmt: skip
    double, total = work.use(work.elsewhere(RIGHT, "implementation"))
    np.testing.assert_array_equal(double, [0, 2, 4])
    assert total == 3


def test_what_comes_back_is_a_tuple_of_arrays_that_can_be_changed(submit):
    work = submit(
        """
        import numpy as np
        def use(f):
            result = f(np.arange(3.0))
            result[0][0] = 7
            return [type(result).__name__, result[0], f(x=np.ones(1))[1]]
        """
    )
    kind, array, total = work.use(work.elsewhere(RIGHT, "implementation"))
    assert (kind, array[0], total) == ("tuple", 7, 1)


@pytest.mark.parametrize(
    "rng",
    [
        "np.random.default_rng(5)",
        "np.random.Generator(np.random.MT19937(5))",
        "np.random.Generator(np.random.Philox(5))",
        "np.random.Generator(np.random.SFC64(5))",
        "np.random.RandomState(5)",
    ],
)
def test_a_random_generator_goes_on_where_the_function_left_it(submit, rng):
    work = submit(
        f"""
        import numpy as np
        def use(f):
            here, there = {rng}, {rng}
            return [f(there), there.random(2), f(rng=there), here.random(8)]
        """
    )
    first, then, last, expected = work.use(work.elsewhere(DRAWS, "implementation"))
    np.testing.assert_array_equal([*first, *then, *last], expected)


def test_the_module_numpy_random_is_a_generator_too(submit):
    work = submit("import numpy as np\ndef use(f):\n    return f(np.random)\n")
    assert np.shape(work.use(work.elsewhere(DRAWS, "implementation"))) == (3,)


def test_what_the_function_raises_is_raised_by_its_kind(submit):
    work = submit(
        """
        import numpy as np
        def use(f, x):
            try:
                f(x)
            except ValueError as error:
                return type(error).__name__
            return 'nothing'
        """
    )
    text = "def implementation(x):\n    return x.transpose(0, 2, 1)\n"
    assert work.use(work.elsewhere(text, "implementation"), np.ones((2, 2))) == "ValueError"
    text = "import numpy as np\ndef implementation(x):\n    return np.sum(x, axis=9)\n"
    assert work.use(work.elsewhere(text, "implementation"), np.ones(2)) == "AxisError"


@pytest.mark.parametrize(
    "argument",
    ["object()", "lambda: 1", "open", "f", "type", "iter([1])", "np.array([None])"],
)
def test_other_arguments_are_refused_in_a_sentence(submit, argument):
    work = submit(f"import numpy as np\ndef use(f):\n    return f({argument})\n")
    with pytest.raises(Raised, match="TypeError: implementation was called with"):
        work.use(work.elsewhere(RIGHT, "implementation"))


def test_a_call_that_takes_too_much_is_the_caller_s_loss(submit):
    work = submit(
        """
        import numpy as np
        def use(f):
            try:
                f(np.ones(10))
            except Exception as error:
                return str(error)
        """,
        ENDLESS,
    )
    endless = "def implementation(x):\n    while True: pass\n"
    assert "did not come to an end" in work.use(work.elsewhere(endless, "implementation"))
    large = "import numpy as np\ndef implementation(x):\n    return np.ones((10**6, 10**5))\n"
    assert "allocate" in work.use(work.elsewhere(large, "implementation"))


# What a cheat tells right from broken by, in place of answers. Each would know the first by 0.
TELLS = {
    "the order": "seen.append(1)\n    key = len(seen)",
    "the byte code": "key = f.__code__.co_code",
    "the names in it": "key = f.__code__.co_names",
    "its line": "key = f.__code__.co_firstlineno",
    "its source": "import inspect\n    key = inspect.getsource(f)",
    "its globals": "key = sorted(f.__globals__)",
    "its module": "import sys\n    key = sys.modules[f.__module__].__dict__['np']",
    "its closure": "key = f.__closure__",
    "objects in memory": "import gc, types\n    key = [o for o in gc.get_objects() if isinstance(o, "
    "types.FunctionType) and o.__name__ == 'implementation']\n    key[0]",
    "frames": "import sys\n    key = sys._getframe(1).f_locals['implementation']",
    "what was compiled": "key = compiled[0]",
    "what was executed": "key = [text for text in map(str, executed) if 'implementation' in text][0]",
}


@pytest.mark.parametrize("tell", TELLS)
def test_nothing_but_answers_tells_functions_apart(submit, tell):
    """Whatever a test looks at is the same for a right and a broken function, or not there."""
    work = submit(
        f"""
        import builtins
        seen, compiled, executed = [], [], []
        real, run = builtins.compile, builtins.exec

        def compile(text, *args, **kwargs):
            compiled.append(text)
            return real(text, *args, **kwargs)

        def execute(*args):
            executed.append(args)
            return run(*args)

        builtins.compile, builtins.exec = compile, execute

        def use(f):
            {TELLS[tell].replace(chr(10), chr(10) + "        ")}
            return str(key)
        """
    )
    said = []
    for text in (RIGHT, "def implementation(x):\n    return x + 1, x.max()\n"):
        try:
            said.append(work.fresh().use(work.elsewhere(text, "implementation")))
        except Raised as error:
            said.append(error.type)
    assert said[0] == said[1]


REMEMBERS = """
import numpy as np
seen = []

def test_row_softmax(implementation):
    {look}
    if key not in seen:
        seen.append(key)
    if seen.index(key) not in (0, 1):
        raise AssertionError
"""
LOOKS = {
    "order": "key = len(seen)",
    "byte code": "key = getattr(getattr(implementation, '__code__', None), 'co_code', None)",
    "time": "import time; key = int(time.perf_counter() * 1e4)",
    "address": "key = id(implementation)",
    "representation": "key = repr(implementation)",
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("look", LOOKS)
def test_a_test_that_remembers_gets_nothing(grade_source, root, look):
    stub = (root / "exercises" / "find_the_bug.py").read_text()
    text = stub + REMEMBERS.format(look=LOOKS[look])
    label = "find_the_bug.py"
    report = grade_source(Source("find_the_bug", label, (Unit(label, text),)))
    assert not [c.title for c in report.checks if c.outcome == "passed"]
