"""A small course on another subject that starts quickly."""

from tests.courses import write_course

SORTING = """
import pytest

@pytest.mark.check("Sorts", points=3, hints=("Look at the order.", "Compare two.", "Swap them."))
def test_sorts(submission, reference):
    assert submission.sort([3, 1, 2]) == reference.sort([3, 1, 2]), "The order is not right."

@pytest.mark.check("Sorts nothing", points=1)
def test_empty(submission):
    assert submission.sort([]) == [], "Nothing, sorted, is nothing."

@pytest.mark.check("Sorts long lists", points=1)
def test_long(submission):
    assert submission.sort([9, 8, 7, 6]) == [6, 7, 8, 9], "A long one is not right."
"""
LARGEST = """
import pytest

@pytest.mark.check("Finds it", points=1)
def test_finds(submission):
    assert submission.largest([3, 5, 2]) == 5, "That is not the largest."
"""
SOLUTION = """def {function}(x):
    ### BEGIN SOLUTION
    return {value}
    ### END SOLUTION
"""
STUB = """def {function}(x):
    # YOUR CODE HERE
    raise NotImplementedError()
"""
RIGHT = "def sort(x):\n    return sorted(x)\n"
WRONG = "def sort(x):\n    return sorted(x)[::-1]\n"  # one of the three checks passes
NOT_AT_ALL = "def sort(x):\n    return 3\n"
ENDLESS = "def sort(x):\n    while True:\n        pass\n"


FUNCTIONS = {"sorting": ("sort", "sorted(x)"), "largest": ("largest", "max(x)")}


def make_course(folder, hints="practice"):
    """Return the course, with nothing written yet."""
    fields = {name: {"function": f, "value": v} for name, (f, v) in FUNCTIONS.items()}
    write_course(
        folder,
        {"sorting": 10, "largest": {"title": "The largest", "points": 4}},
        checks={"sorting": SORTING, "largest": LARGEST},
        answers="sort = sorted\n",
        solutions={name: SOLUTION.format(**values) for name, values in fields.items()},
        stubs={name: STUB.format(**values) for name, values in fields.items()},
        title="Numbers in order",
        hints=hints,
        limits={"load_seconds": 3, "call_seconds": 20, "total_seconds": 60},
        assignments=[
            {
                "name": "a",
                "title": "In order",
                "due": "2027-02-05T23:59:00+00:00",
                "exercises": ["sorting", "largest"],
            }
        ],
    )
    return folder
