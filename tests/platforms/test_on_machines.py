"""What a platform's machine makes of a hand-in, in a copy of its layout."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import pytest

from autograder.classroom.judge_pool import SEARCH_SECONDS
from autograder.course.course_file import Course
from autograder.grading import repair
from autograder.platforms import gradescope, prairielearn
from autograder.platforms.__main__ import main
from autograder.sandbox import levels
from tests.platforms.forms import GRADESCOPE, PRAIRIELEARN, valid
from tests.platforms.layouts import (
    LINE,
    REPAIRABLE,
    RIGHT,
    WRONG,
    interpreter,
    put,
    small_course,
)

METADATA = {
    "id": 12,
    "created_at": "2027-02-06T14:22:32.365935-07:00",
    "assignment": {"due_date": "2027-02-05T23:59:00.0+00:00", "total_points": "5.0"},
    "submission_method": "upload",
    "users": [{"email": "anna@example.org", "id": 5, "name": "Anna <b>\x1b[31m"}],
    "previous_submissions": [],
}
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return small_course(tmp_path_factory.mktemp("course") / "small")


@pytest.fixture
def gradescope_at(course, tmp_path):
    def at(text, course=course, metadata=METADATA, repairs=True):
        root = tmp_path / "autograder"
        files = gradescope.package(course, list(course.exercises.values()), repairs=repairs)
        put(files, root / "source")
        (root / "submission").mkdir()
        (root / "submission" / "shares.py").write_text(text)
        if metadata is not None:
            (root / "submission_metadata.json").write_text(json.dumps(metadata))
        return root

    return at


def results(folder, form):
    return valid(json.loads((folder / "results" / "results.json").read_text()), form)


def test_gradescope_runs_what_is_in_the_zip(gradescope_at):
    """By the scripts of the package alone, in a process that has nothing of this one."""
    root = gradescope_at(WRONG)
    (root / "submission" / "autograder.py").write_text("raise SystemExit('taken for the grader')")
    interpreter(root / "venv" / "bin", "python")
    script = shutil.copy(root / "source" / "run_autograder", root)
    done = subprocess.run(
        [script, root], cwd=root / "submission", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "The exercises give 4 points, and the assignment on Gradescope has 5." in done.stdout
    assert "Confined: " in done.stdout and "Confined: none" not in done.stdout
    found = results(root, GRADESCOPE)
    assert (
        "2027-02-06 14:22:32-07:00 (by Gradescope). This is 1 day late: 25 % are" in found["output"]
    )
    assert found["score"] == 0.0 and found["visibility"] == "visible"
    assert found["stdout_visibility"] == "hidden"
    first, hidden = found["tests"]
    assert first["name"] == "Shares: The share of each number" and first["max_score"] == 1.0
    assert first["status"] == "failed" and first["output_format"] == "html"
    assert "<pre>" in first["output"] and "<p>Hint: What do your" in first["output"]
    assert "This check does not show its inputs." in hidden["output"]
    assert "<pre>" not in hidden["output"]


@pytest.fixture
def searches(monkeypatch):
    """The limits in seconds of the searches for a repair. They find what they find."""
    limits, search = [], repair.look_for_repair

    def look(judge, graded, seconds):
        limits.append(seconds)
        return search(judge, graded, seconds)

    monkeypatch.setattr(repair, "look_for_repair", look)
    return limits


@pytest.mark.thorough
def test_gradescope_shows_the_line_to_change(gradescope_at, searches):
    root = gradescope_at(REPAIRABLE)
    gradescope.run(root)
    found = results(root, GRADESCOPE)
    assert f"Shares: {LINE}" in found["output"] and found["score"] == 0.0
    (seconds,) = searches
    assert 0 < seconds <= SEARCH_SECONDS


@pytest.mark.one_in(3)
@pytest.mark.parametrize("reason", ["the package", "the course", "an exam"])
def test_no_search_if_it_is_switched_off(gradescope_at, searches, tmp_path, reason):
    course = small_course(tmp_path / "course", "exam" if reason == "an exam" else "practice")
    if reason == "the course":
        file = course.root / "course.yml"
        text = file.read_text()
        file.write_text(text.replace("name: shares", "name: shares\n    repair: false", 1))
    root = gradescope_at(REPAIRABLE, course, repairs=reason != "the package")
    gradescope.run(root)
    assert searches == [] and "A change" not in json.dumps(results(root, GRADESCOPE))


def test_an_error_in_the_search_costs_nobody_a_grade(gradescope_at, monkeypatch, capfd):
    monkeypatch.setattr(repair, "look_for_repair", lambda *_: 1 / 0)
    root = gradescope_at(REPAIRABLE)
    gradescope.run(root)
    first, _ = results(root, GRADESCOPE)["tests"]
    assert first["status"] == "failed" and "0.99 times the right number" in first["output"]
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_lateness_by_gradescopes_metadata(course, tmp_path, capsys):
    path = tmp_path / "submission_metadata.json"
    path.write_text(json.dumps(METADATA))
    known = gradescope.read_metadata(path)
    hand_in = gradescope.hand_in_of(known)
    assert hand_in.at == "2027-02-06T14:22:32.365935-07:00" and hand_in.extra_days == 0
    assert hand_in.name == "Anna <b>\\x1b[31m" and hand_in.email == "anna@example.org"
    own = {"assignment": {"due_date": "2027-02-07T11:59:00Z"}}
    path.write_text(json.dumps(METADATA | {"users": [METADATA["users"][0] | own]}))
    assert gradescope.hand_in_of(gradescope.read_metadata(path)).extra_days == 1.5
    path.write_text("[]")
    assert gradescope.hand_in_of(gradescope.read_metadata(path)).at == ""
    assert "not known if the work is late" in capsys.readouterr().out
    assert gradescope.with_due(course, known).content == course.content
    open_end = msgspec.structs.replace(course.content.assignments[0], due=None)
    content = msgspec.structs.replace(course.content, assignments=(open_end,))
    (assignment,) = gradescope.with_due(Course(course.root, content), known).content.assignments
    assert assignment.due == known.assignment.due_date


def test_gradescope_without_metadata_or_file(gradescope_at, capsys):
    root = gradescope_at("", metadata=None)
    (root / "submission" / "shares.py").unlink()
    gradescope.run(root)
    assert "not known if the work is late" in capsys.readouterr().out
    (test,) = results(root, GRADESCOPE)["tests"]
    assert test["output"] == "No points yet. Nothing was handed in for this exercise."
    assert "score" not in test and "max_score" not in test


@pytest.mark.parametrize("held", [(), pytest.param(("no-open",), marks=pytest.mark.thorough)])
def test_a_machine_that_confines_little_or_nothing(gradescope_at, monkeypatch, capsys, held):
    if sys.platform != "linux" or any(levels.why_not(level) for level in held):
        pytest.skip("needs Linux")
    monkeypatch.setattr(levels, "LEVELS", held)
    root = gradescope_at(RIGHT)
    code = main(["gradescope", str(root)])
    said = capsys.readouterr().out
    if held:
        assert code == 0 and "Confined: no-open." in said
        assert results(root, GRADESCOPE)["score"] == 3.0
    else:
        assert code == 1 and "was not graded: Nothing on this machine can confine" in said
        assert not (root / "results").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("level", levels.LEVELS)
def test_the_answers_in_a_package_cannot_be_read(gradescope_at, monkeypatch, tmp_path, level):
    if levels.why_not(level):
        pytest.skip("this level does not hold here")
    monkeypatch.setattr(levels, "LEVELS", (level,))
    source = tmp_path / "autograder" / "source"
    answers = [source / "course" / "solutions" / "shares.py", source / "job.json"]
    tries = "".join(f"    said += look({str(path)!r})\n" for path in answers)
    root = gradescope_at(
        "def look(path):\n    try:\n        return open(path).read()\n"
        "    except Exception as error:\n        return type(error).__name__ + '; '\n\n\n"
        f"def shares(x):\n    said = 'tried '\n{tries}    raise ValueError(said)\n"
    )
    gradescope.run(root)
    text = json.dumps(results(root, GRADESCOPE))
    assert "tried " in text
    assert "SOLUTION" not in text and "exercises" not in text.replace("The exercises", "")


@pytest.fixture
def grade(course, tmp_path):
    """`/grade`, as PrairieLearn mounts it."""
    put(prairielearn.package(course, list(course.exercises.values())), tmp_path / "repository")
    root = tmp_path / "grade"
    shutil.copytree(tmp_path / "repository" / "serverFilesCourse", root / "serverFilesCourse")
    (root / "student").mkdir()
    return root


def test_prairielearn(grade):
    (grade / "student" / "shares.py").write_text(WRONG)
    assert main(["prairielearn", str(grade), "shares"]) == 0
    found = results(grade, PRAIRIELEARN)
    assert found["gradable"] and found["score"] == 0.0 and "<b>here</b>" in found["output"]
    first, hidden = found["tests"]
    assert (first["points"], first["max_points"]) == (0.0, 1.0)
    assert "shares" in first["message"] and "yours" in first["output"]
    kind, _, data = first["images"][0]["url"].partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert "images" not in hidden


@pytest.mark.thorough
def test_prairielearn_shows_the_line_to_change(course, grade):
    (grade / "student" / "shares.py").write_text(REPAIRABLE)
    prairielearn.run(grade, grade / "shares")
    assert results(grade, PRAIRIELEARN)["message"] == LINE
    exercises = list(course.exercises.values())
    put(prairielearn.package(course, exercises, repairs=False), grade)
    prairielearn.run(grade, grade / "shares")
    assert results(grade, PRAIRIELEARN)["message"] == ""


def test_what_is_not_there_costs_no_attempt_on_prairielearn(grade):
    prairielearn.run(grade, grade / "shares")
    found = results(grade, PRAIRIELEARN)
    assert found["gradable"] is False and "Nothing was handed in" in found["format_errors"][0]
    assert "score" not in found


@pytest.fixture
def for_all():
    """A folder that others can enter, too: pytest closes its own whenever it starts anywhere."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        yield place


@pytest.mark.thorough
@pytest.mark.parametrize("platform", ["gradescope", "prairielearn"])
@pytest.mark.parametrize("as_user", [[], NOBODY], ids=["as it is", "plain"])
def test_each_script_as_root_and_as_a_plain_user(course, for_all, platform, as_user):
    if as_user and (os.geteuid() or not shutil.which("setpriv")):
        pytest.skip("only root can become somebody else")
    exercises = list(course.exercises.values())
    place = for_all / "work"
    if platform == "gradescope":
        put(gradescope.package(course, exercises), place / "source")
        interpreter(place / "venv" / "bin", "python")
        command, work = ["bash", place / "source" / "run_autograder", place], "submission"
    else:
        put(prairielearn.package(course, exercises), place)
        script = place / "serverFilesCourse" / "autograder" / "run.sh"
        command, work = ["sh", script, "shares", place], "student"
    (place / work).mkdir()
    (place / work / "shares.py").write_text(RIGHT)
    bin_folder = interpreter(for_all / "bin", "python3").parent
    for folder in (place, *place.rglob("*")):
        folder.chmod(folder.stat().st_mode | (0o777 if folder.is_dir() else 0o644))
    environment = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": "/"}
    if as_user and subprocess.run([*as_user, sys.executable, "-c", ""], env=environment).returncode:
        pytest.skip("this Python is for its owner alone")
    done = subprocess.run(
        [*as_user, *command], cwd=place, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    forms = {"gradescope": GRADESCOPE, "prairielearn": PRAIRIELEARN}
    found = results(place, forms[platform])
    assert found["score"] in {4.0, 1.0}
