"""Whatever is wrong with a course directory gets one sentence that says what to do."""

import shutil
import sqlite3

import pytest

from tests.nbgrader.commands import forked
from tests.nbgrader.course import ASSIGNMENT, ShortCourse

pytestmark = pytest.mark.one_in(2)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A course directory as `init` makes it, with a submission that nobody generated."""
    short = ShortCourse(tmp_path_factory.mktemp("input"), forked)
    short.autograder("init", str(short.directory), cwd=short.kit)
    shutil.copytree(
        short.directory / "source" / ASSIGNMENT, short.directory / "submitted" / "ann" / ASSIGNMENT
    )
    return short


@pytest.fixture
def course(fresh, tmp_path):
    """A copy of it, to be broken."""
    shutil.copytree(fresh.directory, tmp_path / "short")
    config = tmp_path / "short" / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(fresh.directory), str(tmp_path / "short")))
    return tmp_path / "short"


@pytest.fixture
def said(fresh):
    """What our command says on stderr, in a course directory."""

    def run(folder, *args):
        done = fresh.autograder("grade", *(args or (ASSIGNMENT,)), cwd=folder)
        assert done.returncode == 2
        assert "Traceback" not in done.stdout + done.stderr
        assert len(done.stderr.splitlines()) == 1
        return done.stderr

    return run


def mark_generated(folder):
    """As if `nbgrader generate_assignment` had run."""
    with sqlite3.connect(folder / "gradebook.db") as book:
        key = book.execute("select id from assignment where name = ?", [ASSIGNMENT]).fetchone()[0]
        book.execute(
            "insert into notebook (id, name, assignment_id) values ('n', 'softmax', ?)", [key]
        )
    book.close()


def test_a_folder_that_is_no_course_directory(said, tmp_path):
    assert "autograder nbgrader init" in said(tmp_path)


def test_an_assignment_that_is_not_there(said, course):
    assert "no assignment 'second'" in said(course, "second")


def test_an_assignment_that_was_never_generated(said, course):
    assert f"nbgrader generate_assignment {ASSIGNMENT}" in said(course)


def test_a_student_who_handed_in_nothing(said, course):
    mark_generated(course)
    assert "submitted/ has no folder of nobody" in said(course, ASSIGNMENT, "--student", "nobody")


def test_nothing_was_collected(said, course):
    mark_generated(course)
    shutil.rmtree(course / "submitted")
    assert f"nbgrader collect {ASSIGNMENT}" in said(course)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("c = get_config(", "never closed"),
        ("c.CourseDirectory.root = 3", "expected a unicode string"),
    ],
)
def test_a_configuration_that_cannot_be_used(said, course, line, reason):
    (course / "nbgrader_config.py").write_text(f"{line}\n")
    message = said(course)
    assert "nbgrader_config.py cannot be used" in message
    assert reason in message


def test_a_gradebook_of_another_version(said, course):
    with sqlite3.connect(course / "gradebook.db") as book:
        book.execute("alter table assignment rename column duedate to due")
    book.close()
    assert "nbgrader db upgrade" in said(course)


def test_a_gradebook_that_something_else_writes(said, course):
    book = sqlite3.connect(course / "gradebook.db")
    book.execute("begin exclusive")
    assert "Another program is writing to it" in said(course)
    book.close()


def test_a_gradebook_whose_driver_is_missing(said, course):
    with open(course / "nbgrader_config.py", "a") as config:
        config.write('\nc.CourseDirectory.db_url = "mssql+pymssql://me:secret@127.0.0.1/grades"\n')
    message = said(course)
    assert "pip install pymssql" in message
    assert "secret" not in message


@pytest.mark.parametrize("name", ["autograded"])
def test_a_folder_that_cannot_be_written(said, course, name):
    mark_generated(course)
    (course / name).write_text("a file")
    assert f"{name} cannot be written" in said(course)
