"""The instructor's notebook of an exercise, with nbgrader's metadata, from `solutions/NAME.py`."""

from typing import Any

from autograder.authoring.build import as_book, checking_cells, written
from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.submission.markers import BEGIN, END

SCHEMA = 3


def source_notebook(course: Course, exercise: Exercise) -> str:
    """The notebook for `source/ASSIGNMENT/NAME.ipynb`, solutions included.

    A cell with a solution is an answer; one more cell holds the exercise's points and calls
    `check`. Answers in words are graded by hand; their rubric stands with the model answer, and
    is taken out with it. Cell ids stay the same from build to build.

    Raises:
        UserError: there is no solution.
    """
    path = course.solution_file(exercise.name)
    checking = [] if exercise.questions else checking_cells(exercise)
    for cell in checking[1:]:
        _mark(cell, grade=True, locked=True, points=exercise.points)
    try:
        book = as_book(path.read_text(encoding="utf-8"), course.handed_out, checking)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None
    questions = {question.name: question for question in exercise.questions}
    for cell in book.cells:
        asked = cell["metadata"].get("answer", "")
        question = questions.get(asked)
        if asked and question is None:
            raise UserError(
                f"{path} has a cell for an answer to {asked}, and course.yml has no such question."
            )
        if question is not None:
            _mark(cell, grade=True, solution=True, points=question.points)
            rubric = "\n".join(f"- {line}" for line in question.rubric)
            cell["source"] = cell["source"].replace(END, f"\n{rubric}\n{END}")
        elif cell["cell_type"] == "code" and BEGIN in cell["source"]:
            _mark(cell, solution=True)
    return written(book)


def _mark(cell: Any, *, points: float | None = None, **fields: bool) -> None:
    """nbgrader's metadata; the cell's own id is the id in the gradebook."""
    mark: dict[str, Any] = {
        "grade": False,
        "solution": False,
        "locked": False,
        "task": False,
        "cell_type": cell["cell_type"],
        "grade_id": cell["id"],
        "schema_version": SCHEMA,
        **fields,
    }
    if points is not None:
        mark["points"] = points
    cell["metadata"]["nbgrader"] = mark
