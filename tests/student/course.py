"""A small course on another subject, that starts at once."""

COURSE = """
title: Numbers in order
reference: {name}_answers
checks: {name}_checks
hints: {hints}
limits: {{load_seconds: 3, call_seconds: 20, total_seconds: 60}}
exercises:
  - {{name: sorting, title: Sorting, points: 10}}
  - {{name: largest, title: The largest, points: 4}}
assignments:
  - {{name: a, title: In order, due: 2027-02-05T23:59:00+00:00, exercises: [sorting, largest]}}
"""
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
WRONG = "def sort(x):\n    return sorted(x)[::-1]\n"  # of three checks, one passes
NOT_AT_ALL = "def sort(x):\n    return 3\n"
ENDLESS = "def sort(x):\n    while True:\n        pass\n"


FUNCTIONS = {"sorting": ("sort", "sorted(x)"), "largest": ("largest", "max(x)")}


def make_course(folder, hints="practice"):
    """The course, with nothing written yet. Python keeps what it imports: names differ."""
    name = "".join(char if char.isalnum() else "_" for char in folder.name)
    for part in (f"{name}_checks", f"{name}_answers", "solutions", "exercises"):
        (folder / part).mkdir()
    (folder / "course.yml").write_text(COURSE.format(name=name, hints=hints))
    (folder / f"{name}_checks" / "test_sorting.py").write_text(SORTING)
    (folder / f"{name}_checks" / "test_largest.py").write_text(LARGEST)
    (folder / f"{name}_answers" / "__init__.py").write_text("sort = sorted\n")
    for exercise, (function, value) in FUNCTIONS.items():
        fields = {"function": function, "value": value}
        (folder / "solutions" / f"{exercise}.py").write_text(SOLUTION.format(**fields))
        (folder / "exercises" / f"{exercise}.py").write_text(STUB.format(**fields))
    return folder
