"""nbgrader's gradebook, opened once for a run, with one transaction for each student."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from nbgrader import api, preprocessors
from nbgrader.converters import autograde
from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer, scoped_session, selectinload, sessionmaker

from autograder.nbgrader import steps

# The modules that open the gradebook while they convert a notebook.
OPENERS: tuple[Any, ...] = (
    autograde,
    preprocessors.latesubmissions,
    preprocessors.overwritecells,
    preprocessors.overwritekernelspec,
    preprocessors.saveautogrades,
    steps,
)


class HeldSession(Session):
    """Database session that commits only in `save`. nbgrader commits after every cell."""

    def commit(self) -> None:
        pass

    def save(self) -> None:
        super().commit()


class RunGradebook(api.Gradebook):
    """nbgrader's `Gradebook` for a whole run.

    Other processes see changes only after `save`. nbgrader's steps call `close`, but this gradebook
    stays open until `end`. To save time, an assignment is read once for a run, and a submission
    once for a student.
    """

    def __init__(self, db_url: str, course_id: str) -> None:
        api.Gradebook(db_url).close()  # the steps use nbgrader's default course
        super().__init__(db_url, course_id)
        held = sessionmaker(self.engine, class_=HeldSession, expire_on_commit=False)
        self.db = scoped_session(held)
        self._assignments: dict[str, AssignmentRows] = {}
        self._students: dict[str, Any] = {}
        self._submissions: dict[tuple[str, str], StudentRows] = {}

    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()

    def save(self) -> None:
        """Commit the changes, and drop the student's data from memory."""
        self.db().save()
        kept = {row for rows in self._assignments.values() for row in rows.all}
        for row in [row for row in self.db if row not in kept]:
            self.db.expunge(row)
        for rows in self._assignments.values():
            for row in (rows.assignment, *rows.notebooks.values()):
                self.db.expire(row, ["submissions"])
        self._students.clear()
        self._submissions.clear()

    def undo(self) -> None:
        """Discard all changes and all data in memory."""
        self.db.remove()
        for cache in (self._assignments, self._students, self._submissions):
            cache.clear()

    def find_student(self, student_id: str) -> Any:
        student = self._students.get(student_id) or self.db.get(api.Student, student_id)
        if student is None:
            raise api.MissingEntry(f"No such student: {student_id}")
        self._students[student_id] = student
        return student

    def find_assignment(self, name: str) -> Any:
        return self._assignment(name).assignment

    def find_notebook(self, name: str, assignment: str) -> Any:
        return _found(self._assignment(assignment).notebooks, name, "notebook", assignment)

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> Any:
        cells = self._assignment(assignment).source_cells
        return _found(cells, (notebook, name), "source cell", assignment)

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> Any:
        cells = self._assignment(assignment).graded_cells
        return _found(cells, (notebook, name), "grade cell", assignment)

    def find_submission(self, assignment: str, student: str) -> Any:
        return self.submission(assignment, student).submission

    def find_submission_notebook(self, notebook: str, assignment: str, student: str) -> Any:
        notebooks = self.submission(assignment, student).notebooks
        return _found(notebooks, notebook, "submitted notebook", assignment)

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Any:
        grades = self.submission(assignment, student).grades
        return _found(grades, (notebook, grade_cell), "grade", assignment)

    def find_comment(self, solution_cell: str, notebook: str, assignment: str, student: str) -> Any:
        comments = self.submission(assignment, student).comments
        return _found(comments, (notebook, solution_cell), "comment", assignment)

    def submission(self, assignment: str, student: str) -> "StudentRows":
        """Return the rows of a submission. If there are none, raise MissingEntry."""
        where = assignment, student
        if where not in self._submissions:
            rows, kind = self._assignment(assignment), api.SubmittedAssignment
            query = select(kind).filter_by(assignment_id=rows.assignment.id, student_id=student)
            books = selectinload(kind.notebooks)
            query = query.options(
                defer(kind.max_task_score),
                books.selectinload(api.SubmittedNotebook.grades),
                books.selectinload(api.SubmittedNotebook.comments),
            )
            submission = self.db.scalars(query).one_or_none()
            if submission is None:
                raise api.MissingEntry(f"No such submission: {assignment} for {student}")
            self._submissions[where] = StudentRows(self.db(), rows, submission)
        return self._submissions[where]

    def _assignment(self, name: str) -> "AssignmentRows":
        if name not in self._assignments:
            self._assignments[name] = AssignmentRows(super().find_assignment(name))
        return self._assignments[name]


class AssignmentRows:
    """Rows of an assignment. They stay in the session until the end of the run."""

    def __init__(self, assignment: Any) -> None:
        self.assignment = assignment
        books = assignment.notebooks
        self.notebooks = {book.name: book for book in books}
        self.cells = {cell.id: cell for book in books for cell in book._base_cells}
        self.source_cells: dict[tuple[str, str], Any] = {}
        self.graded_cells: dict[tuple[str, str], Any] = {}
        for book in books:
            self.source_cells |= {(book.name, cell.name): cell for cell in book.source_cells}
            graded = (*book.task_cells, *book.grade_cells)
            self.graded_cells |= {(book.name, cell.name): cell for cell in graded}
        self.all = {assignment, *books, *self.cells.values(), *self.source_cells.values()}


class StudentRows:
    """Rows of one student's submission.

    If a task cell and another cell have the same name, the other cell counts.
    """

    def __init__(self, session: Session, rows: AssignmentRows, submission: Any) -> None:
        self.submission = submission
        self._session, self._rows = session, rows
        books = {book.notebook_id: book for book in submission.notebooks}
        self.notebooks = {
            name: books[book.id] for name, book in rows.notebooks.items() if book.id in books
        }
        self.grades: dict[tuple[str, str], Any] = {}
        self.comments: dict[tuple[str, str], Any] = {}
        for name, book in self.notebooks.items():
            for by_name, items in ((self.grades, book.grades), (self.comments, book.comments)):
                cells = [(rows.cells.get(row.cell_id), row) for row in items]
                cells.sort(key=lambda pair: not isinstance(pair[0], api.TaskCell))
                by_name |= {(name, cell.name): row for cell, row in cells if cell is not None}

    def marks(self) -> tuple[float, float, float, bool]:
        """Return the points, their maximum and the late penalty, with nbgrader's own rules.

        The last part is true if a person must still give a grade.
        """
        ids = [row.id for row in self.grades.values()]
        query = select(func.coalesce(func.sum(api.Grade.score), 0.0)).where(api.Grade.id.in_(ids))
        late = sum(row.late_submission_penalty or 0 for row in self.notebooks.values())
        by_hand = any(row.needs_manual_grade for row in self.grades.values())
        points, maximum = self._session.scalar(query), self._rows.assignment.max_score
        return float(points), float(maximum), float(late), by_hand


def _found(rows: Mapping[Any, Any], key: Any, what: str, assignment: str) -> Any:
    try:
        return rows[key]
    except KeyError:
        raise api.MissingEntry(f"No such {what} in {assignment}: {key}") from None


@contextlib.contextmanager
def one_gradebook(db_url: str, course_id: str) -> Iterator[RunGradebook]:
    gradebook = RunGradebook(db_url, course_id)
    try:
        for module in OPENERS:
            module.Gradebook = lambda *_: gradebook
        yield gradebook
    finally:
        for module in OPENERS:
            module.Gradebook = api.Gradebook
        gradebook.end()
