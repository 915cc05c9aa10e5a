"""The process that runs a student's code knows no answer, and cannot make the judge believe it."""

import sys

import pytest

RIGHT_SOFTMAX = """
    import numpy as np
    def softmax(x, axis=-1):
        e = np.exp(np.asarray(x) - np.max(x, axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)
"""


def test_nothing_of_the_answers_is_loaded_or_can_be_imported(submit):
    work = submit(
        """
        import importlib, sys
        def loaded(): return sorted(sys.modules)
        def path(): return sys.path
        def attempt(name):
            try:
                importlib.import_module(name)
            except ImportError:
                return "refused"
            return "imported"
        """
    )
    loaded = work.loaded()
    assert "numpy" in loaded
    for name in loaded:
        assert name.split(".")[0] not in {"autograder", "reference", "pytest", "_pytest", "torch"}
    for name in (
        "reference",
        "reference.attention",
        "autograder.grading",
        "reference.checks.test_softmax",
    ):
        assert work.attempt(name) == "refused"


def test_the_environment_does_not_go_along(submit, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    work = submit("import os\ndef f(): return dict(os.environ)")
    assert "hunter2" not in str(work.f())


def test_patching_numpy_in_a_submission_changes_no_score(grade_text):
    patches = """
        import numpy as np
        np.allclose = np.array_equal = np.isclose = lambda *a, **k: True
        np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None
        np.abs = np.absolute = lambda x: 0
        np.ndarray.__eq__ if False else None
        import builtins
        builtins.AssertionError = Exception
        {}
    """
    wrong = "def softmax(x, axis=-1): return np.zeros(np.shape(x))"
    assert grade_text("softmax", patches.format(wrong)).points == 0
    assert grade_text("softmax", RIGHT_SOFTMAX).points == 12


CHEATS = {
    "skips": "import pytest\ndef softmax(x, axis=-1): pytest.skip('later')",
    "exits well": "import os\ndef softmax(x, axis=-1): os._exit(0)",
    "exits well on loading": "import os\nos._exit(0)",
    "raises an assertion": "def softmax(x, axis=-1): raise AssertionError",
    "prints a score": "def softmax(x, axis=-1): print('12 of 12 points')",
    "agrees with all": """
        class Yes:
            __eq__ = __le__ = __ge__ = __lt__ = lambda *a: True
            def __float__(self): return 1.0
            def __array__(self, *a, **k):
                import numpy as np
                return np.ones(3)
        def softmax(x, axis=-1): return Yes()
    """,
    "an array that agrees": """
        import numpy as np
        class Yes(np.ndarray):
            def __eq__(self, other): return True
            def __array_ufunc__(self, *a, **k): return True
        def softmax(x, axis=-1): return np.zeros(np.shape(x)).view(Yes)
    """,
    "looks up the stack": """
        import sys
        def softmax(x, axis=-1):
            frame = sys._getframe()
            while frame:
                if "reference" in frame.f_globals: return frame.f_globals["reference"].softmax(x)
                frame = frame.f_back
    """,
    "forges a reply": """
        import gc
        def softmax(x, axis=-1):
            for thing in gc.get_objects():
                if type(thing).__name__ == "Server":
                    thing._send(1, __import__("autograder_worker.messages").messages.Reply(1.0))
    """,
    "not a number": "import numpy as np\ndef softmax(x, axis=-1): return np.full(np.shape(x), np.nan)",
    "an empty array": "import numpy as np\ndef softmax(x, axis=-1): return np.zeros((0, 3))",
    "one number": "def softmax(x, axis=-1): return 1 / 3",
    "more axes": "import numpy as np\ndef softmax(x, axis=-1): return np.full((1, *np.shape(x)), .5)",
    "infinite": "import numpy as np\ndef softmax(x, axis=-1): return np.full(np.shape(x), np.inf)",
    "texts": "def softmax(x, axis=-1): return ['0.5', '0.5']",
    "complex": "import numpy as np\ndef softmax(x, axis=-1): return np.full(np.shape(x), 0.5 + 0j)",
    "its own checks": "def test_one_row(submission): pass\ndef softmax(x, axis=-1): return 0",
    "stops its parent": """
        import os, signal
        os.kill(os.getppid(), signal.SIGCONT)
        def softmax(x, axis=-1): return None
    """,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.skipif(sys.platform == "win32", reason="os.kill differs there")
def test_cheats_earn_nothing(grade_text, cheat):
    report = grade_text("softmax", CHEATS[cheat])
    assert report.points == 0
    assert all(check.outcome != "passed" for check in report.checks)
    assert grade_text("softmax", RIGHT_SOFTMAX).points == 12
