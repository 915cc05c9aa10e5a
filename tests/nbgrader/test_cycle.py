"""From source to fetched feedback with real nbgrader commands, two students, one of them late."""

import shutil

import nbformat
import pytest

from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse, fill_in, solution, with_a_kernel

AXIS_0 = ("axis=axis", "axis=0")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course after `collect`: released, fetched, filled in, submitted."""
    short = ShortCourse(tmp_path_factory.mktemp("nbgrader"), forked)
    short.set_up()
    short.nbgrader("release_assignment", ASSIGNMENT)
    for name in ("ann", "bob"):
        home = short.student(name)
        short.nbgrader("fetch_assignment", ASSIGNMENT, user=name, cwd=home)
        fetched = home / ASSIGNMENT
        changes = [AXIS_0] if name == "bob" else []
        fill_in(fetched / "softmax.ipynb", solution("softmax", *changes))
        fill_in(fetched / "hand_computation.ipynb", solution("hand_computation"))
        if name == "ann":
            fill_in(fetched / "reflection.ipynb", solution("reflection"))
        short.nbgrader("submit", ASSIGNMENT, user=name, cwd=home)
    leave_links(short)
    short.nbgrader("collect", ASSIGNMENT)
    for name, when in (("ann", "2027-02-05 20:00:00 UTC"), ("bob", "2027-02-06 20:00:00 UTC")):
        (short.directory / "submitted" / name / ASSIGNMENT / "timestamp.txt").write_text(when)
    return short


def leave_links(short):
    """What bob handed in is still his: he can put links there, to what he cannot read."""
    (inbound,) = (short.folder / "exchange" / "short" / "inbound").glob("bob+*")
    inbound.chmod(0o755)
    (inbound / "notes.txt").symlink_to(short.directory / "gradebook.db")
    (inbound / "all").symlink_to(short.directory / "source")


def test_collecting_follows_no_links(course):
    folder = course.directory / "submitted" / "bob" / ASSIGNMENT
    found = {path.name for path in folder.rglob("*")}
    assert found == {
        "softmax.ipynb", "hand_computation.ipynb", "reflection.ipynb",
        "timestamp.txt", "submission_secret.txt",
    }  # fmt: skip


@pytest.fixture(scope="module")
def graded(course):
    done = course.autograder("grade", ASSIGNMENT)
    assert done.returncode == 1, done.stdout + done.stderr  # answers wait for marks
    return done.stdout


def test_scores_lateness_and_what_waits_for_a_person(course, graded):
    assert "ann  25 of 37  a person must still grade answers" in graded
    assert "late: −1" in graded
    rows = {row[:3]: row[3:] for row in course.rows()}
    assert rows["ann", "softmax", "check-softmax"][0] == 12
    assert 0 < rows["bob", "softmax", "check-softmax"][0] < 12
    assert rows["ann", "reflection", "why-scale"][2]  # needs a person
    assert rows["bob", "reflection", "why-scale"][:3] == (0, None, False)  # nothing was written
    assert course.totals()["ann"] == 25


@pytest.mark.thorough
def test_validate_says_what_a_student_has_not_solved(course):
    """`nbgrader validate`, and the button of that name in a student's JupyterLab, with a kernel."""
    for name, said in (("ann", "Success!"), ("bob", 'check("softmax")')):
        folder = course.folder / "home" / name / ASSIGNMENT
        assert said in course.nbgrader("validate", "softmax.ipynb", user=name, cwd=folder)


def test_the_answer_s_comment_is_the_finding_with_a_hint(course, graded):
    with course.gradebook() as gradebook:
        comments = gradebook.find_submission_notebook("softmax", ASSIGNMENT, "bob").comments
        said = [comment.auto_comment for comment in comments if comment.auto_comment]
    assert len(said) == 1
    assert "match a softmax along the first axis" in said[0]
    assert "Hint:" in said[0]


@pytest.mark.thorough
def test_grading_again_changes_nothing_and_keeps_a_person_s_scores(course, graded):
    before = course.rows()
    assert course.autograder("grade", ASSIGNMENT).returncode == 1
    assert course.rows() == before
    where = "reflection", ASSIGNMENT, "ann"
    with course.gradebook() as gradebook:
        grade = gradebook.find_grade("why-scale", *where)
        grade.manual_score, grade.needs_manual_grade = 3.0, False
        gradebook.find_comment("why-scale", *where).manual_comment = "Well said."
        gradebook.db.commit()
    assert course.autograder("grade", ASSIGNMENT).returncode == 1
    with course.gradebook() as gradebook:
        assert gradebook.find_grade("why-scale", *where).manual_score == 3.0
        assert gradebook.find_comment("why-scale", *where).comment == "Well said."
    assert course.totals()["ann"] == 28


@pytest.mark.thorough
def test_what_cannot_be_written_costs_nobody_else(course, graded):
    taken = course.directory / "autograded" / "bob"
    kept = shutil.move(taken, course.folder / "bob")
    taken.write_text("a file")
    done = course.autograder("grade", ASSIGNMENT)
    taken.unlink()
    shutil.move(kept, taken)
    assert done.returncode == 1
    assert "bob  not written: " in done.stdout
    assert "Run this command again with --student bob" in done.stdout
    assert "ann  2" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_feedback_reaches_the_students_and_tells_no_secret(course, graded):
    course.nbgrader("generate_feedback", ASSIGNMENT)
    course.nbgrader("release_feedback", ASSIGNMENT)
    pages = {}
    for name in ("ann", "bob"):
        home = course.folder / "home" / name
        course.nbgrader("fetch_feedback", ASSIGNMENT, user=name, cwd=home)
        (pages[name],) = (home / ASSIGNMENT).rglob("softmax.html")
    text = pages["bob"].read_text()
    assert "match a softmax along the first axis" in text
    assert 'class="autograder-report"' in text
    told = [*(course.directory / "release").rglob("*.ipynb")]
    told += [*(course.directory / "autograded").rglob("*.ipynb")]
    told += [*(course.directory / "feedback").rglob("*.html"), *pages.values()]
    assert len(told) > 12
    for path in told:
        found = path.read_text()
        for marker in ("RUBRIC-MARKER", "expect_close", "import reference", "BEGIN HIDDEN"):
            assert marker not in found, (path, marker)
    for path in (course.directory / "release").rglob("*.ipynb"):
        assert "BEGIN SOLUTION" not in path.read_text()


def test_plain_autograde_and_the_button_give_the_same_export_and_rows(course, graded):
    """A real kernel runs check(); nbgrader with our step; our command: the same gradebook."""
    ours = course.rows(), course.export()
    config = course.directory / "nbgrader_config.py"
    whole = config.read_text()
    try:
        for text in (whole, with_a_kernel(whole)):
            config.write_text(text)
            shutil.rmtree(course.directory / "autograded" / "bob")
            course.nbgrader("autograde", ASSIGNMENT, "--student", "bob")
            assert (course.rows(), course.export()) == ours
    finally:
        config.write_text(whole)
    book = nbformat.read(
        course.directory / "autograded" / "bob" / ASSIGNMENT / "softmax.ipynb", as_version=4
    )
    assert any(cell.get("execution_count") for cell in book.cells)  # a kernel ran
