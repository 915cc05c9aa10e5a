"""What is shown to keep nothing, and what is not."""

import textwrap

import numpy as np
import pytest

from autograder.submission.purity import MAX_TEXT, PurityProof, impurity, pure_functions
from autograder.submission.source import Source, read_source
from autograder.worker.messages import Unit


def source(*cells: str, helpers: dict[str, str] | None = None) -> Source:
    units = tuple(Unit(f"cell {n}", textwrap.dedent(text)) for n, text in enumerate(cells))
    return Source("work", "work.py", units, helpers or {})


KEEPS_NOTHING = {
    "arithmetic": "import numpy as np\ndef f(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n",
    "own functions and constants": "LEFT = 1e-9\ndef g(x): return x + LEFT\ndef f(x): return g(x)\n",
    "infinity": "NEVER = float('-inf')\ndef f(x): return x + NEVER\n",
    "loops": "def f(n):\n    rows = []\n    for i in range(n):\n        rows.append(i)\n    return rows\n",
    "types": "import numpy as np\ndef f(x: np.ndarray, n: int = 3) -> tuple[np.ndarray, int]: return x, n\n",
    "what is said": "def f(x):\n    assert x > 0, f'{x:.2f} is not positive'\n    print('x:', x, end=' ')\n",
    "what an error says, put together": """
        def f(x, n):
            if n < 1:
                raise ValueError("n = %d of %s is " % (n, x.shape) + str(n) + ", and too small")
            return x / n
    """,
    "how it is done": """
        import numpy as np
        def f(x):
            with np.errstate(over="ignore"):
                return np.einsum("ij,jk->ik", x.astype("float64"), np.eye(2, dtype="float32"))
    """,
    "memory that a worker fills": "import numpy as np\ndef f(x): return np.empty_like(x)\n",
    "rows in turn": "import numpy as np\ndef f(x): return np.apply_along_axis(lambda r: r[0], -1, x)\n",
    "kinds of numbers in turn": """
        def f(x):
            for kind in (bool, int):
                x = x.astype(kind)
            return x
    """,
    "random numbers of NumPy": "import numpy as np\ndef f(n):\n    return np.random.rand(n)\n",
    "what does not run": """
        import matplotlib.pyplot as plt
        def f(x): return x
        if __name__ == "__main__":
            table = {}
            plt.plot(table)
    """,
    "a demo at the end": "def f(x): return x\nresult = f(3)\nprint(f'{result} is 3', [result for _ in range(2)])\n",
}

# Each keeps something, or could tell what was done before. Most were found by trying to.
MAY_KEEP = {
    "a list of the file": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n",
    "a list of another cell": ("seen = []", "if 0: seen = 1\ndef f(x):\n    seen.append(x)\n"),
    "a function of another cell": ("f = [print][0]", "if 0:\n    def f(x): return x\n"),
    "a default": "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)\n",
    "an attribute of a function": "def f(x):\n    f.n = x\n    return x\n",
    "setattr": "def f(x):\n    setattr(f, 'n', x)\n",
    "setattr, given as a type": "from builtins import setattr as put\ndef f(x): return isinstance(x, put)\n",
    "a global name": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n",
    "a class": "class A:\n    seen = []\ndef f(x):\n    A.seen.append(x)\n",
    "a patched library": "import numpy as np\nnp.seen = []\ndef f(x): return x\n",
    "a library by another name": "import numpy as np\nlib = np\ndef f(x): return x\n",
    "a decorator": "import functools\n@functools.cache\ndef f(x): return x\n",
    "a function named like a scope": """
        seen = []
        def listcomp(x):
            seen.append(x)
            return len(seen)
        def f(x): return listcomp(x)
    """,
    "another float": "def float(x): return []\nseen = float('1')\ndef f(x):\n    seen.append(x)\n",
    "another print": "def f(x):\n    print = x.append\n    print('%s')\n",
    "Python's own by the back door": "if 0: __builtins__ = 1\nw = __builtins__['exec']\ndef f(x): return x\n",
    "a with that takes more": """
        import collections.abc
        import numpy as np
        def f(x):
            with np.errstate(collections.abc.__dict__.setdefault("n", [])):
                return x
    """,
    "a keyword of isinstance": "def f(x): return isinstance(x, int, k=setattr(x, 'n', 1))\n",
    "a format": "def f(x, out):\n    print(f'{1:{out.append(x)}}')\n",
    "a format that is no plain one": "def f(x): print(f'{x:(1)}')\n",
    "a name for a value on the way": "def f(x): return [y := x, y]\n",
    "memory that nobody wrote": "import numpy as np\ndef f(x): return np.ndarray(9)\n",
    "padding that nobody wrote": "import numpy as np\ndef f(x): return np.zeros(9, dtype='float128')\n",
    "several numbers as one": """
        import numpy as np
        def f(x): return np.ones((10, 30)).T.astype((float, (2,)))
    """,
    "several numbers as one, later": """
        import numpy as np
        def f(x, kind):
            make = np.array
            return make(x.T, kind)
    """,
    "several numbers as one, by a method with a name": """
        def f(x):
            to = x.T.astype
            return to((float, (2,)))
    """,
    "several numbers as one, in turn": "def f(x): return list(map(x.T.astype, [(float, (2,))]))\n",
    "several numbers as one, as steps": """
        import numpy as np
        def f(x): return np.linspace(x.T, 0, 1, True, False, (float, (2,)))
    """,
    "several numbers as one, by a star": "import numpy as np\ndef f(x): return np.array(*x)\n",
    "another kind in turn": """
        def f(x):
            for kind in (bool, int):
                x = x.astype(kind)
            for kind in x:
                x = x.astype(kind)
    """,
    "another kind than is seen": "def f(x, kind): return x.astype(kind)\n",
    "a text that has another second writing": r"""
        seen = []
        def f(x):
            print(f'''{x:\x7b('}{seen.append(x)}{print("' "a ")}}}''')
    """,
    "what only a worker has": "if 0:\n    from numpy import zeros as display\ndef f(x): return display(x)\n",
    "an import that may not run": "if 0:\n    import numpy as np\ndef f(x): return np.exp(x)\n",
    "results left out": "import numpy as np\ndef f(x): return np.exp(x, where=x > 0)\n",
    "results left out of nothing": "import numpy as np\ndef f(x): return np.exp(x, where=x > 0, out=None)\n",
    "results left out by another name": """
        import numpy as np
        def f(x):
            exp = np.exp
            return exp(x, where=x > 0, out=np.zeros(9))
    """,
    "where an object lies": "def f(x): return id(x)\n",
    "where an object lies, as text": "def f(x): return f'{lambda: 0}'\n",
    "a text on its way to the screen": "def f(x, out): print(out.append(f'{x}'))\n",
    "a text by a percent sign": "def f(x): return '%s' % (lambda: 0)\n",
    "a text by a percent sign, in what an error says": (
        "def f(x, out): raise ValueError('%s' % out.append('%s' % x))\n"
    ),
    "another str": "str = print\ndef f(x): raise ValueError(str(x))\n",
    "a text as a key": "def f(x): return dict(aaaa=1)\n",
    "a text that is looked up": "import numpy as np\ndef f(x): return np.r_['seen']\n",
    "a text that is kept": "def f(x):\n    x.append('float32')\n    return x\n",
    "names that are texts": "def f(**words): return list(words)\n",
    "an array of texts": "import numpy as np\ndef f(x):\n    a = np.zeros(1, dtype='U50')\n    a[0] = zip()\n",
    "the order of a set": "def f(x): return list({lambda: 0, lambda: 1})\n",
    "ids as keys": "import copy\ndef f(x, memo): return copy.deepcopy(x, memo)\n",
    "where nan lies": "import math, random\ndef f(x):\n    random.seed(math.nan)\n    return random.random()\n",
    "a file": "def f(x):\n    open('seen', 'a').write('x')\n",
    "any error": "def f(x):\n    try:\n        return [0] * 10**9\n    except MemoryError:\n        return 0\n",
    "an import in a call": "def f(x):\n    import scipy\n    return x\n",
    "what runs after all": "if __name__ != '__main__':\n    import os\n    os.seen = []\ndef f(x): return x\n",
    "the other branch": """
        if __name__ == "__main__":
            pass
        else:
            import os
            os.seen = []
        def f(x): return x
    """,
    "lines that count otherwise": "if __name__ == '__main__':\r    pass\rseen = []\rdef f(x): seen.append(x)\r",
    "a frame": "def f(x):\n    g = (i for i in x)\n    return g.gi_frame.f_globals\n",
    "a star": "from numpy import *\ndef f(x): return x\n",
    "no Python": "def f(x:\n",
    "more than is read": "# " + "x" * MAX_TEXT + "\ndef f(x): return x\n",
    "more than is looked at": "def f(x): return x\n" + "f\n" * 10_000,
}


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_plain_code_is_proven(name):
    assert not impurity(source(KEEPS_NOTHING[name]))
    assert pure_functions(source(KEEPS_NOTHING[name]))


@pytest.mark.parametrize("name", MAY_KEEP)
def test_what_may_keep_something_is_doubted(name):
    cells = MAY_KEEP[name]
    text = source(*([cells] if isinstance(cells, str) else cells))
    assert impurity(text)
    assert not pure_functions(text)


def test_files_beside_it_are_in_doubt():
    text = "from softmax import softmax\ndef f(x): return softmax(x)\n"
    assert not pure_functions(source(text, helpers={"softmax": "def softmax(x): return x\n"}))


def test_several_cells_are_one_file():
    assert pure_functions(
        source("import numpy as np\nN = 3", "def f(x): return np.exp(x) + N")
    ) == {"f"}


def test_nothing_is_believed_of_answers_with_texts():
    proof, plain = PurityProof(), source("def f(x): return x\n")
    proof.answered([(np.ones(2), 3.0)])
    assert proof.is_pure(plain)
    proof.answered(["a"])
    assert not proof.is_pure(plain)


@pytest.mark.parametrize("given", ["a", b"a", {"a"}, [[1, "a"]], {"a": 1}, np.array(["a"])])
def test_nothing_is_believed_of_calls_with_texts(given):
    proof, plain = PurityProof(), source("def f(x): return x\n")
    proof.called("f", [[1, 2.0, (3, None)], np.ones(2)])
    assert proof.is_pure(plain)
    proof.called("f", [given])
    assert not proof.is_pure(plain)


def test_nothing_is_believed_once_something_else_was_called():
    proof, plain = PurityProof(), source("def f(x): return x\ng = f\n")
    proof.called("f", [])
    assert proof.is_pure(plain)
    proof.called("g", [])
    assert not proof.is_pure(plain)


def test_solutions_with_numbers_alone_are_proven(course):
    """A word that is missing from the lists costs processes, and no other test would see it."""
    numbers = ["softmax", "qkv_projection", "causal_mask", "multi_head_reshape", "find_the_bug"]
    doubts = [impurity(read_source(course.solution_file(name), name)) for name in numbers]
    assert doubts == [""] * len(numbers)
