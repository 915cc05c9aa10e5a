"""A file that does not run from end to end: what fails costs itself and what uses it."""

import inspect
import sys

import pytest

from autograder.sandbox.problems import NotDefined, NotLoaded, Raised
from autograder.worker.loading import compiled_units, load
from autograder.worker.messages import Unit

TWICE = "def twice(x):\n    return 2 * x\n"


@pytest.fixture(autouse=True)
def _left_as_it_was(monkeypatch):
    """What loads units in this very process costs the tests after it nothing."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in ("get_ipython", "display"):
        monkeypatch.setattr(f"builtins.{name}", None, raising=False)


@pytest.fixture
def loaded(monkeypatch):
    def run(*texts):
        labels = [f"code cell {n}" for n in range(1, len(texts) + 1)] if texts[1:] else ["w.py"]
        units = [Unit(label, text) for label, text in zip(labels, texts, strict=True)]
        monkeypatch.setitem(sys.modules, "loaded_work", None)
        return load("loaded_work", units, {}, [])

    return run


@pytest.mark.parametrize(
    "line",
    [
        "import no_such_library",
        "import no_such_library as nsl, os",
        "from no_such_library.sub import *",
        "from no_such_library import a, b",
        "import numpy.no_such_part",
        "from numpy import no_such_name",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "get_ipython().system('pip install einops')",
        "files = get_ipython().getoutput('ls')",
        "get_ipython().magic('load_ext autoreload')",
        "from IPython import get_ipython; get_ipython().run_cell_magic('time', '', '1')",
        "from IPython.display import display, HTML, Image; display(HTML('<b>x</b>'), Image('a.png'))",
        "import IPython.display as ipd; ipd.clear_output(wait=True)",
        "from google.colab import drive; drive.mount('/content/drive')",
        "from google.colab import files; files.upload()",
        "display(1)",
        "1 / 0",
        "print(undefined_name)",
        "twice()",
        "assert False, 'mine'",
        "raise KeyboardInterrupt",
        "raise SystemExit",
        "import sys; sys.exit(3)",
        "exit()",
        "open('data/weights.npy')",
        "input('your name? ')",
        "class Net(no_such_module.Module): pass",
        "@no_such_decorator\ndef lost(): pass",
        "raise BaseExceptionGroup('two', [ValueError(), KeyError()])",
        "class Bad(Exception):\n    def __str__(self): return 1 / 0\nraise Bad",
    ],
)
@pytest.mark.one_in(16)
@pytest.mark.parametrize("where", ["before", "after", "between"])
def test_a_line_that_fails_costs_no_function(submit, line, where):
    text = {
        "before": f"{line}\n{TWICE}",
        "after": f"{TWICE}{line}\n",
        "between": f"{TWICE}{line}\ndef thrice(x):\n    return x + twice(x)\n",
    }[where]
    work = submit(text)
    assert work.twice(4) == 8
    if where == "between":
        assert work.thrice(1) == 3


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("import no_such_library", "no_such_library.f(x)"),
        ("import no_such_library as n", "n.f(x)"),
        ("import no_such_library.deep as n", "n.a.b(x)"),
        ("from no_such_library import f", "f(x)"),
        ("from no_such_library import f as g", "x @ g"),
        ("from no_such_library import table", "[row for row in table]"),
        ("from no_such_library import flag", "1 if flag else 2"),
        ("from no_such_library import number", "number + 1"),
        ("from no_such_library import Base", "isinstance(x, Base)"),
    ],
)
def test_what_is_missing_is_named_where_it_is_imported(submit, head, body):
    work = submit(f"{TWICE}\n{head}\ndef f_of(x):\n    y = {body}\n    return y\n")
    assert work.twice(4) == 8
    with pytest.raises(Raised) as caught:
        work.f_of(1)
    assert "No module named 'no_such_library'" in caught.value.finding
    assert "in line 4 of work.py" in caught.value.finding  # the import, and not its use


def test_an_annotation_is_no_use(submit):
    work = submit(
        "import pandas_x as pd\nfrom jaxtyping_x import Float\n"
        "def f(x: pd.DataFrame | None) -> Float[pd.Series, 'n']:\n    return x\n"
    )
    assert work.f(3) == 3


def test_a_file_that_has_an_import_of_its_own_for_the_case(submit):
    work = submit(
        "try:\n    import no_such_library as n\nexcept ImportError:\n    n = None\n"
        "def there():\n    return n is not None\n"
    )
    assert work.there() is False


def test_what_is_missing_is_no_answer(submit):
    work = submit("from no_such_library import softmax\n")
    with pytest.raises(NotLoaded, match="No module named 'no_such_library'"):
        work.softmax([1.0])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\ndef f(:\n    return 1\n", 2),
        ("def f():\nreturn 1\n", 2),
        ("def f():\n    return 1\nreturn 2\n", 3),
        ("def f(x, x):\n    return 1\n", 1),
        ("def f():\n    return 1\nprint 'done'\n", 3),
    ],
)
def test_syntax_that_is_broken_anywhere(submit, text, line):
    with pytest.raises(NotLoaded, match=f"not valid Python: .*line {line} of work.py"):
        submit(text).f()


def test_a_name_lost_with_its_decorator_says_so(submit):
    work = submit("from numba_x import njit\n@njit\ndef f(x):\n    return x\ndef g(): return 1\n")
    with pytest.raises(NotDefined, match=r"f is not defined.*No module named 'numba_x'"):
        work.f(1)


def test_a_file_is_one_module_as_ever(loaded):
    module, problems = loaded(
        '"""About."""\nfrom __future__ import annotations\nimport os, sys\n"no docstring"\n'
        "count = 0\nfor i in range(3):\n    count += i\nx: int = 5\n"
        'if __name__ == "__main__":\n    count = 99\nelse:\n    main = False\n'
        "def f(a: nowhere = 1) -> nothing:\n    global count\n    count += 1\n    return g()\n"
        "def g():\n    '''doc'''\n    return count\n"
    )
    assert problems == []
    assert module.__doc__ == "About."
    assert (module.count, module.main, module.f()) == (3, False, 4)
    assert module.__annotations__ == {"x": "int"}
    assert inspect.getsource(module.g).startswith("def g():\n    '''doc'''")
    assert module.g.__code__.co_firstlineno == 17


def test_a_future_import_holds_in_the_cells_after_it(loaded):
    module, problems = loaded("from __future__ import annotations", "def f(x: nowhere): return x")
    assert problems == []
    assert module.f(1) == 1


def test_problems_are_counted_not_collected(loaded):
    module, problems = loaded("1 / 0\n" * 5000 + TWICE)
    assert len(problems) == 10
    assert [problem.place.line for problem in problems] == list(range(1, 11))
    assert module.twice(2) == 4


def test_a_long_file_runs_too(loaded):
    module, problems = loaded("a = 1\n" * 100_000 + TWICE)
    assert problems == []
    assert module.twice(2) == 4


def test_pyplot_is_not_misled_by_a_notebook_that_is_not_there(submit):
    work = submit(
        "import IPython\nfrom IPython import get_ipython\nimport matplotlib.pyplot as plt\n"
        "def f():\n    return plt.figure().get_size_inches().shape[0]\n"
    )
    assert work.f() == 2


MEASURED = "t = %timeit -o -q 1 + 1\nfiles = !ls\n%matplotlib inline\n"


@pytest.mark.parametrize(
    "use", ["t.average", "f'{t.average:.2f} {files}'", "len(files)", "print(t)"]
)
def test_what_a_magic_would_give_can_be_shown(loaded, use):
    module, problems = loaded("", f"{MEASURED}{use}\ndef f():\n    return 1\n")
    assert problems == []
    assert module.f() == 1


@pytest.mark.parametrize(
    "use", ["t.average * 1e6", "1 / t.best", "files[0]", "np.log(t.average)", "t.average < 2"]
)
def test_what_is_computed_from_a_magic_says_that_magics_are_left_out(loaded, use):
    text = f"import numpy as np\n{MEASURED}{use}\ndef f():\n    return 1\n"
    module, (problem,) = loaded("", text)
    assert "left out where it is graded" in problem.message
    assert module.f() == 1


def test_compiled_units_are_run_without_their_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "loaded_work", None)
    texts = (
        '"""Says two."""\nfrom __future__ import annotations\n',
        f"def one(x: no_type):\n    return 1 / x\n{TWICE}",
    )
    cells = [Unit(f"code cell {n}", text) for n, text in enumerate(texts, 1)]
    others = [Unit(cell.label, "nothing") for cell in cells]
    module, problems = load("loaded_work", others, {}, [], compiled_units(cells))
    assert (module.__doc__, module.twice(2), problems) == ("Says two.", 4, [])


def test_a_unit_that_cannot_be_compiled_is_reported_by_the_load(loaded):
    assert compiled_units([Unit("w.py", "def")]) == b""
    assert [problem.type for problem in loaded("x = 1", "def", TWICE)[1]] == ["SyntaxError"]
