"""What is shown to keep nothing, and what is not: by its code, and by what a process says of it."""

import textwrap

import pytest

from autograder.memory.keeps_nothing import doubt, proven
from autograder.submission.source import Source, read_source
from autograder.worker.messages import Unit


def source(text: str, helpers: dict[str, str] | None = None) -> Source:
    return Source("work", "work.py", (Unit("work.py", textwrap.dedent(text)),), helpers or {})


KEEPS_NOTHING = {
    "arithmetic": "import numpy as np\ndef f(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n",
    "own functions and constants": "LEFT = 1e-9\ndef g(x): return x + LEFT\ndef f(x): return g(x)\n",
    "a module of torch": """
        import torch
        from torch import nn
        class Block(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.first = nn.Linear(d, d)
                self.register_buffer("mask", torch.tril(torch.ones(d, d)))
            def forward(self, x):
                return self.first(x).masked_fill(self.mask == 0, float("-inf"))
    """,
    "a closure that ends with the call": """
        def f(n):
            seen = []
            def note(x):
                seen.append(x)
            for i in range(n):
                note(i)
            return len(seen)
    """,
    "random numbers of the library": "import numpy as np\ndef f(n):\n    return np.random.rand(n)\n",
    "what does not run": """
        import matplotlib.pyplot as plt
        def f(x): return x
        if __name__ == "__main__":
            table = {}
            plt.plot(table)
    """,
    "a demo at the end": "def f(x): return x\nresult = f(3)\nprint(f'{result} is 3')\n",
}

MAY_KEEP = {
    "a list of the file": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n",
    "a default": "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)\n",
    "an attribute of a function": "def f(x):\n    f.n = x\n    return x\n",
    "setattr": "def f(x):\n    setattr(f, 'n', x)\n",
    "a global name": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n",
    "a class's own list": "class A:\n    seen = []\ndef f(x):\n    A.seen.append(x)\n",
    "a method on something else": """
        class Put:
            def sum(self, x):
                self.x = x
        def f(x):
            Put.sum(f, x)
    """,
    "another self in a method": """
        class Put:
            def put(self, x):
                self = f
                self.x = x
        def f(x):
            Put().put(x)
    """,
    "a patched library": "import numpy as np\nnp.seen = []\ndef f(x): return x\n",
    "a library by another name": "import numpy as np\nlib = np\ndef f(x): return x\n",
    "a decorator": "import functools\n@functools.cache\ndef f(x): return x\n",
    "memory that nobody wrote": "import numpy as np\ndef f(x): return np.empty(9)\n",
    "results left out": "import numpy as np\ndef f(x): return np.exp(x, where=x > 0)\n",
    "results left out of nothing": "import numpy as np\ndef f(x): return np.exp(x, where=x > 0, out=None)\n",
    "where an object lies": "def f(x): return id(x)\n",
    "where an object lies, as text": "def f(x): return f'{lambda: 0}'\n",
    "the same by a percent sign": "def f(x): return '%s' % (lambda: 0)\n",
    "the same in an array": "import numpy as np\ndef f(x):\n    a = np.zeros(1, dtype='U50')\n    a[0] = zip()\n",
    "the order of a set": "def f(x): return list({lambda: 0, lambda: 1})\n",
    "a file": "def f(x):\n    open('seen', 'a').write('x')\n",
    "any error": "def f(x):\n    try:\n        return [0] * 10**9\n    except MemoryError:\n        return 0\n",
    "an error on the way out": "def f(x):\n    try:\n        return [0] * 10**9\n    finally:\n        return 0\n",
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
    "a frame": "def f(x):\n    g = (i for i in x)\n    return g.gi_frame.f_globals\n",
    "a builtin by another name": "write = setattr\ndef f(x): return x\n",
    "a star": "from numpy import *\ndef f(x): return x\n",
    "no Python": "def f(x:\n",
}


@pytest.mark.parametrize("name", KEEPS_NOTHING)
def test_plain_code_is_proven(name):
    assert not doubt(source(KEEPS_NOTHING[name]))
    assert proven(source(KEEPS_NOTHING[name]))


@pytest.mark.parametrize("name", MAY_KEEP)
def test_what_may_keep_something_is_doubted(name):
    assert doubt(source(MAY_KEEP[name]))
    assert not proven(source(MAY_KEEP[name]))


def test_files_beside_it_are_looked_at_too():
    text = "from softmax import softmax\ndef f(x): return softmax(x)\n"
    assert proven(source(text, {"softmax": "def softmax(x): return x\n"}))
    remembers = "seen = []\ndef softmax(x):\n    seen.append(x)\n    return len(seen)\n"
    assert not proven(source(text, {"softmax": remembers}))
    assert not proven(
        source("import softmax\ndef f(x): return softmax.seen\n", {"softmax": remembers})
    )


def test_most_solutions_are_proven(course):
    """A word that is missing from the lists costs processes, and no test would see it."""
    names = [each.name for each in course.content.exercises if not each.questions]
    doubts = {
        name: said
        for name in names
        if (said := doubt(read_source(course.solution_file(name), name)))
    }
    assert len(doubts) <= len(names) // 3, doubts
    assert "find_the_bug" not in doubts
