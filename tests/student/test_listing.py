"""The course as a list: what is done, begun, untouched; checks of several; names completed."""

import json
import os
import re
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.report.model import Cause, CheckReport, ExerciseReport
from autograder.report.presentation import sentence
from autograder.report.terminal import plain
from autograder.student.listing import age, course_lines, next_lines
from autograder.student.progress import (
    LastCheck,
    by_assignment,
    course_progress,
    next_unfinished,
    progress_of,
    read_progress,
    write_progress,
)
from tests.student.course import RIGHT, WRONG, make_course

NOW = datetime(2027, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = make_course(tmp_path)
    monkeypatch.chdir(made / "exercises")
    for name in ("COLUMNS", "AUTOGRADER_PLAIN"):
        monkeypatch.delenv(name, raising=False)
    return made


def run(*args):
    done = CliRunner().invoke(app, list(args), prog_name="autograder")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.output


def listed(folder):
    course = load_course(folder / "course.yml")
    groups = by_assignment(course, course_progress(course))
    return "\n".join(plain(line) for line in course_lines(course.title, groups, NOW))


def keep(folder, name="sorting", points=10.0, status="graded", digest="", days=3):
    """A check of some days ago, as it is kept."""
    outcomes = ("passed", "passed" if points == 10 or status == "by hand" else "failed")
    checks = tuple(
        CheckReport(name=f"c{n}", title="C", points=5, max_points=5, outcome=outcome)
        for n, outcome in enumerate(outcomes)
    )
    report = ExerciseReport(
        name=name, title="T", status=status, points=points, max_points=10, checks=checks,
        file=f"{name}.py", digest=digest,
    )  # fmt: skip
    file = folder / "exercises" / f"{name}.py"
    write_progress(file, report)
    kept = file.parent / ".autograder" / f"{name}.progress.json"
    data = json.loads(kept.read_text())
    kept.write_text(json.dumps({**data, "checked": str(NOW - timedelta(days=days))}))
    return kept


def test_nothing_is_begun(folder):
    text = listed(folder)
    assert "0 of 2 exercises done, 0 of 14 points so far" in text
    assert "In order  due Fri 5 Feb 2027, 23:59 (in 4 days)" in text
    assert text.count("not begun") == 2
    assert run("next")[1].split("\n")[:2] == [
        "Next: Sorting (sorting)  not begun",
        "  open  sorting.py",
    ]


def test_begun_done_changed_and_how_old(folder):
    (folder / "exercises/sorting.py").write_text(RIGHT)
    assert "begun, not checked yet" in listed(folder)
    keep(folder, points=5.0)
    assert "5 / 10  begun, 1 of 2 checks pass (3 days ago)" in listed(folder)
    keep(folder)
    assert "✓ sorting   10 / 10  done (3 days ago)" in listed(folder)
    keep(folder, digest="of another file")
    assert "done (3 days ago; changed since)" in listed(folder)
    keep(folder, points=0.0, status="by hand")
    assert "answered; a person will mark it (3 days ago)" in listed(folder)
    course = load_course(folder / "course.yml")
    assert next_unfinished(course, course_progress(course)).exercise.name == "largest"
    assert (
        next_unfinished(course, course_progress(course), after="largest").exercise.name == "largest"
    )


def finished(folder):
    course = load_course(folder / "course.yml")
    found = course_progress(course)
    lines = next_lines(next_unfinished(course, found), list(found.values()), "", NOW)
    return " ".join(plain(line) for line in lines)


def test_what_is_done_is_said_exactly(folder):
    for name, text in (("sorting", RIGHT), ("largest", "def largest(x):\n    return max(x)\n")):
        (folder / f"exercises/{name}.py").write_text(text)
        kept = keep(folder, name)
    points = json.loads(kept.read_text())
    kept.write_text(json.dumps({**points, "points": 3, "max_points": 3}))
    said = "All 2 exercises are done: 13 of 14 points; 1 more is graded when handed in."
    assert finished(folder) == said
    kept.write_text(json.dumps({**points, "points": 0, "status": "by hand"}))
    assert "10 of 14 points; 4 more are given by a person." in finished(folder)
    (folder / "exercises/largest.py").unlink()
    said = "There is no file here for largest. 1 exercise of 2 is done: 10 of 10 points."
    assert finished(folder) == said
    keep(folder, digest="of another file")
    assert finished(folder).endswith(
        "Changed since the last check: sorting. Run: autograder check sorting"
    )
    (folder / "exercises/sorting.py").unlink()
    assert finished(folder) == "There is no exercise file here."


def test_what_waits_for_a_step_of_ones_own_is_not_done():
    def last(cause):
        right = CheckReport(name="a", title="A", points=2, max_points=2, outcome="passed")
        open_ = CheckReport(
            name="b",
            title="B",
            points=0,
            max_points=8,
            outcome="graded when handed in",
            hidden=cause.code == "hidden",
            finding=sentence(cause),
            cause=cause,
        )
        return progress_of(
            ExerciseReport(
                name="n", title="N", status="graded", points=2, max_points=10,
                checks=(right, open_),
            )
        )  # fmt: skip

    hidden = Cause(code="hidden")
    assert last(hidden).is_done and last(hidden).checks == 1
    own = last(Cause(code="given_own_step", names=("softmax",)))
    assert not own.is_done and (own.max_points, own.checks) == (10, 2)


def test_what_is_kept_is_readable_and_its_owners_alone(folder):
    kept = keep(folder)
    assert "\n" in kept.read_text() or "passed" in kept.read_text()
    assert read_progress(folder / "exercises/sorting.py", "sorting").passed == ("c0", "c1")
    assert kept.with_name(".gitignore").read_text() == "*\n"
    if os.name == "posix":
        assert kept.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("data", ["{", "[]", '{"points": "many"}', "\x00" * 9])
def test_damaged_progress_stands_for_nothing(folder, data):
    keep(folder).write_text(data)
    assert "0 of 2 exercises done" in listed(folder)


def test_a_missing_and_an_unreadable_file_are_said(folder):
    (folder / "exercises/sorting.py").write_bytes(b"\xff\xff\xff")
    (folder / "exercises/largest.py").unlink()
    text = listed(folder)
    assert "sorting.py is not UTF-8 text" in text
    assert "no file here" in text


def test_the_list_in_words(folder):
    course = load_course(folder / "course.yml")
    groups = by_assignment(course, course_progress(course))
    lines = [plain(line) for line in course_lines(course.title, groups, NOW, spoken=True)]
    assert "  sorting: 0 of 10 points, not begun" in lines
    assert run("status", "--plain")[1].count("·") == 0


def test_the_commands_alone_and_by_name_say_the_same(folder, monkeypatch):
    assert run() == run("status")
    assert run()[0] == 0
    assert "autograder watch sorting" in run()[1]
    monkeypatch.setenv("AUTOGRADER_PLAIN", "1")
    assert "·" not in run()[1]


@pytest.mark.thorough
def test_after_the_last_hint_it_is_said_what_else_helps(folder):
    file = folder / "exercises/sorting.py"
    file.write_text(WRONG)
    shown = [run("check", "sorting", "--hint")[1] for _ in range(4)]
    assert [text.count("Hint: ") for text in shown] == [1, 2, 3, 3]
    assert ["That was the last hint." in text for text in shown] == [False, False, False, True]
    assert "autograder check sorting --all" in shown[3] and "in sorting.py" in shown[3]
    file.write_text("def sort(x):\n    raise NotImplementedError\n")
    assert "There is no hint for this check." in run("check", "sorting", "--hint")[1]
    file.write_text(RIGHT)
    assert "hint" not in run("check", "sorting", "--hint")[1]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("policy", ["homework", "exam"])
def test_why_no_hint_comes_on_request(folder, policy):
    course = folder / "course.yml"
    course.write_text(course.read_text().replace("practice", policy))
    (folder / "exercises/sorting.py").write_text(WRONG)
    text = run("check", "sorting", "--hint")[1]
    assert ("comes after a new attempt" in text) == (policy == "homework")
    assert ("gives no hints" in text) == (policy == "exam")


def test_check_without_a_name_and_of_a_folder(folder):
    assert run("check")[0] == 1
    assert "You have not begun any exercise yet" in run("check")[1]
    (folder / "exercises/sorting.py").write_text(WRONG)
    (folder / "exercises/largest.py").write_text("def largest(x):\n    return max(x)\n")
    code, text = run("check")
    assert code == 1
    assert "✗ sorting  2 of 10 points\n  “Sorts” fails. The order is not right." in text
    assert "✓ largest  4 of 4 points" in text
    assert "6 of 14 points in 2 exercises." in text
    assert "✓ largest" in listed(folder)
    assert not (folder / "exercises/.autograder/sorting.json").exists()  # no hint was shown
    (folder / "exercises/sorting.py").write_text(RIGHT)
    assert run("check", str(folder / "exercises"))[0] == 0
    code, text = run("check", "largest", "sorting", "--json")
    assert [each["name"] for each in json.loads(text)["exercises"]] == ["largest", "sorting"]
    (folder / "exercises/largest.py").write_bytes(b"\xff\xff\xff")
    assert "largest.py is not UTF-8 text" in run("check", "sorting", "largest")[1]


@pytest.mark.thorough
def test_where_the_file_is_is_said_from_here(folder, monkeypatch):
    (folder / "exercises/sorting.py").write_text(WRONG)
    monkeypatch.chdir(folder)
    text = run("check", "sorting")[1]
    assert "Sorting (exercises/sorting.py): 2 of 10 points" in text
    spoken = run("check", "sorting", "--plain")[1]
    assert "Sorting, exercises/sorting.py: 2 of 10 points." in spoken
    assert "Check 1 of 3, failed, 0 of 6 points: Sorts" in spoken
    assert not set(spoken) & set("✓✗–›‹░▒▓█")


def test_help_is_whole_at_80_columns(folder):
    code, text = run("-h")
    assert code == 0
    _, students, instructors, authors = re.split("For (?:students|instructors|authors):", text)
    assert "..." not in students + instructors + authors
    assert "  check " in students and "  grade " in instructors and "  verify " in authors


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_names(folder, shell):
    code, script = run("completion", shell)
    assert code == 0 and "_AUTOGRADER_COMPLETE" in script

    def completed(words, at):
        words = f"autograder {words}"
        env = {"_AUTOGRADER_COMPLETE": f"{shell}_complete", "COMP_WORDS": words}
        env["COMP_CWORD"] = words.split(" ")[-1] if shell == "fish" else str(at)
        return CliRunner().invoke(app, [], env=env, prog_name="autograder").output

    assert "sorting" in completed("check so", 2)
    assert "largest" in completed("watch l", 2)
    assert "status" in completed("st", 1)
    assert "file" in completed("check x", 2)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (-5, "just now"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (9e6, "104 days ago"),
    ],
)
def test_ages(seconds, said):
    assert age(seconds) == said


def test_a_long_line_is_broken_and_set_in():
    from autograder.report.terminal import wrapped

    line = [("  ✗ ", "bad"), ("  2/2  ", "dim"), ("words 字字字 " * 9 + "x" * 70, "")]
    lines = [plain(each) for each in wrapped([line], 40)]
    assert all(cell_len(each) <= 40 for each in lines)
    assert all(each.startswith(" " * 11) for each in lines[1:])
    assert "".join(lines).replace(" ", "") == plain(line).replace(" ", "")
    assert list(wrapped([line], None)) == [line]


def test_progress_of_a_course_that_is_answered_is_done():
    kept = LastCheck("f", "d", NOW, "by hand", 0, 12, ("a", "b"), 2)
    assert kept.is_done
    assert not LastCheck("f", "d", NOW, "by hand", 0, 12, ("a",), 2).is_done
    assert not LastCheck("f", "d", NOW, "needs a person", 12, 12, ("a",), 1).is_done
