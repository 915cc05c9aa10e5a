"""`autograder package`: what is in a package, and what is refused."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile

import msgspec
import pytest
import yaml
from click.testing import CliRunner

from autograder.cli import app
from autograder.course.course_file import Course, load_course
from autograder.course.errors import UserError
from autograder.course.files import zipped
from autograder.platforms import classroom50, gradescope, prairielearn
from autograder.platforms.bundle import bundle
from autograder.platforms.package import packable
from autograder.report.model import CheckReport, Evidence, ExerciseReport, Repair, Report
from tests.classroom.records import GRADER
from tests.platforms.forms import PRAIRIELEARN
from tests.platforms.forms import valid as valid_as
from tests.platforms.layouts import LINE, REPAIRABLE, WRONG, put, small_course


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return small_course(tmp_path_factory.mktemp("course") / "small")


@pytest.fixture
def package(course, tmp_path):
    def package(*args, course=course):
        command = ["package", *map(str, args), "--course", str(course.root)]
        return CliRunner().invoke(app, command)

    return package


def test_a_package_holds_the_engine_and_what_grading_reads(course):
    (course.root / "reference" / "shares.py").chmod(0o644)
    (course.root / "helpers.py").write_text("import more\n")
    (course.root / "more").mkdir(exist_ok=True)
    (course.root / "more" / "table.csv").write_text("1,2\n")
    (course.root / "unused.py").write_text("x = 1\n")
    checks = course.root / "reference" / "checks" / "__init__.py"
    before = checks.read_text()
    checks.write_text(before + "from helpers import *\n")
    try:
        files = bundle(course, list(course.exercises.values()))
    finally:
        checks.write_text(before)
    own = {name for name in files if name.startswith("course/")}
    assert {"course/helpers.py", "course/more/table.csv", "course/solutions/shares.py"} <= own
    assert "course/unused.py" not in own and "course/examples/right/shares/by_loop.py" not in own
    assert not any("/." in name or "__pycache__" in name for name in files)
    assert "engine/autograder/worker/start.py" in files
    lines = files["requirements.txt"].decode().splitlines()
    assert any(line.startswith("numpy==") for line in lines)
    assert not any(line.startswith(("torch", "mypy", "nbgrader")) for line in lines)


def test_gradescopes_zip_has_its_scripts_at_the_root_and_the_same_bytes(course, package, tmp_path):
    done = package("gradescope", "--out", tmp_path / "a.zip", "--assignment", "week-1")
    assert done.exit_code == 0, done.output
    assert "The package contains the course's solutions. Give it to no student." in done.output
    data = (tmp_path / "a.zip").read_bytes()
    again = gradescope.package(course, list(course.exercises.values()))
    assert data == zipped(again.items())
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for script in ("setup.sh", "run_autograder"):
            assert file.getinfo(script).external_attr >> 16 == 0o755
            text = file.read(script).decode()
            assert text.startswith("#!/usr/bin/env bash\n") and "@" not in text.replace('"$@"', "")
            done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True)
            assert done.returncode == 0, done.stderr


@pytest.mark.one_in(2)
@pytest.mark.parametrize("option", ["--repairs", "--no-repairs"])
def test_a_package_knows_if_it_searches_for_repairs(package, tmp_path, option):
    out = tmp_path / "out"
    assert package("gradescope", "--out", tmp_path / "a.zip", option).exit_code == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        jobs = [json.loads(file.read("job.json"))]
    assert package("prairielearn", "--out", out, option).exit_code == 0
    jobs.append(json.loads((out / "serverFilesCourse" / "autograder" / "job.json").read_text()))
    assert package("github", "--out", out, option).exit_code == 0
    workflow = (out / ".github" / "workflows" / "autograder.yml").read_text()
    assert [job["repairs"] for job in jobs] == [option == "--repairs"] * 2
    assert f"autograder check {option} " in workflow


def test_an_address_that_is_none(package, tmp_path):
    done = package("gradescope", "--out", tmp_path / "a.zip", "--torch-index", "x' y")
    assert "has a blank, a quote or a backslash" in str(done.exception)


def test_questions_of_prairielearn(course):
    files = prairielearn.package(course, list(course.exercises.values()))
    info = json.loads(files["questions/shares/info.json"])
    assert info["gradingMethod"] == "External" and info["type"] == "v3"
    options = info["externalGradingOptions"]
    script, _, argument = options["entrypoint"].partition(" ")
    assert files[script.removeprefix("/grade/")].startswith(b"#!/bin/sh") and argument == "shares"
    assert 1 <= options["timeout"] <= 600
    stub = files["questions/shares/clientFilesQuestion/shares.py"].decode()
    assert "NotImplementedError" in stub and "x.sum()" not in stub
    page = files["questions/shares/question.html"].decode()
    assert 'file-names="shares.py"' in page and "<pl-external-grader-results>" in page


def test_results_for_prairielearn_are_never_over_a_megabyte():
    long = Evidence(call="f()", yours="y" * 100_000, expected="x")
    checks = tuple(
        CheckReport(
            name=f"c{n}",
            title="C",
            points=0.0,
            max_points=1.0,
            outcome="failed",
            finding="wrong " * 3000,
            evidence=long,
        )
        for n in range(200)
    )
    exercise = ExerciseReport(
        name="e", title="E", status="graded", points=0.0, max_points=200.0, checks=checks
    )
    report = Report(
        student="",
        course="C",
        status="graded",
        points=0.0,
        max_points=200.0,
        grader=GRADER,
        exercises=(exercise,),
    )
    data = prairielearn.encoded(report, "practice")
    assert len(data) <= 1_000_000
    assert len(valid_as(json.loads(data), PRAIRIELEARN)["tests"]) == 200


def test_what_cannot_be_graded_elsewhere_is_named(root, package, tmp_path):
    whole = load_course(root / "course.yml")
    asked = ("prairielearn", "--out", tmp_path / "pl", "--exercise", "reflection")
    refused = package(*asked, course=whole)
    assert "answers in words" in str(refused.exception) and not (tmp_path / "pl").exists()
    kept, said = packable(whole, "prairielearn", (), "attention-4")
    assert [exercise.name for exercise in kept] == ["find_the_bug"]
    assert said == [
        "Left out, since nobody on prairielearn can grade answers in words: reflection."
    ]
    own = msgspec.structs.replace(whole.exercise("softmax"), variant="per-student")
    content = msgspec.structs.replace(whole.content, exercises=(own,), assignments=())
    with pytest.raises(UserError, match="each student's own numbers"):
        packable(Course(root, content), "gradescope", (), None)


@pytest.fixture(scope="module")
def released(course, tmp_path_factory):
    """What students get of the course, as `autograder release` makes it."""
    folder = tmp_path_factory.mktemp("released") / "kit"
    asked = ["release", str(folder), "--seeds", "1", "--course", str(course.root)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, (done.output, done.exception)
    return folder


@pytest.fixture
def kit(released, tmp_path):
    """A copy of it, to be changed."""
    return shutil.copytree(released, tmp_path / "kit")


@pytest.mark.thorough
def test_classroom50_takes_only_a_kit_without_answers(course, kit, package, tmp_path):
    asked = ("classroom50", "--out", tmp_path / "out", "--assignment", "week-1")
    said = "so they must not contain solutions. Name a student kit with --kit FOLDER."
    assert said in str(package(*asked).exception)
    for other in (course.root, tmp_path):
        assert (
            f"{other} is not a student kit. Name a folder that `autograder release` has made."
            in str(package(*asked, "--kit", other).exception)
        )
    shutil.copy(course.root / "reference" / "shares.py", kit / "notes.py")
    assert "notes.py is the same as" in str(package(*asked, "--kit", kit).exception)
    (kit / "notes.py").unlink()
    text = (kit / "course.yml").read_text()
    (kit / "course.yml").write_text(text.replace("shares", "other"))
    assert "has none of these exercises. It has: other." in str(
        package(*asked, "--kit", kit).exception
    )
    assert not (tmp_path / "out").exists()


def test_classroom50_in_a_students_checkout(kit, package, tmp_path, monkeypatch):
    asked = ("classroom50", "--out", tmp_path / "out", "--assignment", "week-1")
    done = package(*asked, "--kit", kit)
    assert done.exit_code == 0, done.output
    bundle_folder = tmp_path / "out" / "autograders" / "week-1"
    assert not list(bundle_folder.rglob("solutions"))
    checkout = put({"work/shares.py": WRONG.encode()}, tmp_path / "checkout")
    for name in ("autograder.py", "msgspec.py", "click.py"):
        (checkout / name).write_text("raise SystemExit('taken for the grader')\n")
    environment = {**os.environ, **IDENTITY, "CLASSROOM50_BUNDLE_DIR": str(bundle_folder)}
    done = subprocess.run(
        [sys.executable, bundle_folder / "autograder.py"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((checkout / "result.json").read_text())
    assert valid(result) and result["score"] == 0
    assert result["max-score"] == 1  # the hidden check's points are not given in a kit
    assert result["tests"][0]["hints"] and "yours" in result["tests"][0]["output"]
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    monkeypatch.setattr(os, "environ", {**os.environ, **IDENTITY})
    classroom50.run(bundle_folder)
    nothing = json.loads((empty / "result.json").read_text())
    assert valid(nothing) and nothing["max-score"] == result["max-score"]
    body = (checkout / "release-body.md").read_text()
    assert "0 of 4 points" in body and "**The share of each number**, line 4" in body


@pytest.mark.parametrize("option", ["--repairs", "--no-repairs"])
def test_classroom50_shows_the_line_to_change(kit, package, tmp_path, monkeypatch, option):
    """The package tells `check` if it searches. The first failure has the sentence."""
    asked = ("classroom50", "--out", tmp_path / "out", "--assignment", "week-1", "--kit", kit)
    assert package(*asked, option).exit_code == 0
    commands, run = [], subprocess.run

    def checked(command, **more):
        if "check" not in command:
            return run(command, **more)
        commands.append(command)
        return subprocess.CompletedProcess(command, 1, msgspec.json.encode(report), b"")

    checks = tuple(
        CheckReport(name=n, title=n, points=0, max_points=1, outcome=outcome, finding="Wrong.")
        for n, outcome in (("a", "passed"), ("b", "failed"), ("c", "failed"))
    )
    shown = {"name": "shares", "title": "Shares", "status": "graded", "points": 0, "max_points": 3}
    exercise = ExerciseReport(**shown, checks=checks, repair=Repair(said=LINE))
    about = {"student": "", "course": "C", "status": "graded", "points": 0, "max_points": 3}
    report = Report(**about, grader=GRADER, exercises=(exercise,))
    checkout = put({"shares.py": REPAIRABLE.encode()}, tmp_path / "checkout")
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(os, "environ", {**os.environ, **IDENTITY})
    monkeypatch.setattr(subprocess, "run", checked)
    classroom50.run(tmp_path / "out" / "autograders" / "week-1")
    (command,) = commands
    assert {"--repairs", "--no-repairs"} & {*command} == {option}
    result = json.loads((checkout / "result.json").read_text())
    messages = [test.get("message") for test in result["tests"]]
    assert valid(result) and f"Wrong. {LINE}" in messages and messages.count("Wrong.") <= 1
    assert "A change in line 7" in (checkout / "release-body.md").read_text()


IDENTITY = {
    "CLASSROOM": "cs1",
    "ASSIGNMENT": "week-1",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "anna",
    "SUBMISSION_TAG": "submit/2027-02-05T10-00-00Z-abcdef0",
    "COMMIT_URL": "c",
    "RELEASE_URL": "r",
}
KEYS = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit"}
KEYS |= {"release", "review", "datetime", "score", "max-score", "tests"}


def valid(result):
    """By the rules of Classroom 50's runner and schema: keys, identity, whole numbers, sums."""
    assert result.keys() == KEYS and result["schema"] == "classroom50/result/v1"
    assert (result["classroom"], result["assignment"], result["owner"]) == ("cs1", "week-1", "anna")
    assert result["submission"].startswith("submit/") and result["review"] == "c"
    assert len(result["datetime"]) == 20 and result["datetime"].endswith("Z")
    for each in (result, *result["tests"]):
        assert type(each["score"]) is int and type(each["max-score"]) is int
        assert 0 <= each["score"] <= each["max-score"]
    for test in result["tests"]:
        assert test["test-name"] and type(test["passed"]) is bool
    return True


def test_points_for_classroom50_are_whole(course):
    exercise = course.exercise("shares")
    thirds = [
        CheckReport(name=f"c{n}", title="C", points=p, max_points=1.33, outcome="passed")
        for n, p in enumerate((1.33, 0.0))
    ]
    report = ExerciseReport(
        name="shares", title="S", status="graded", points=1.33, max_points=4.0, checks=tuple(thirds)
    )
    result = classroom50.result_of([exercise], {"shares": report}, IDENTITY, "2027-02-05T10:00:00Z")
    assert valid(result) and (result["score"], result["max-score"]) == (133, 266)
    half = [msgspec.structs.replace(check, points=0.5, max_points=1.5) for check in thirds]
    report = msgspec.structs.replace(report, checks=tuple(half))
    result = classroom50.result_of([exercise], {"shares": report}, IDENTITY, "2027-02-05T10:00:00Z")
    assert [test["score"] for test in result["tests"]] == [1, 1]
    nothing = classroom50.result_of([exercise], {}, IDENTITY, "2027-02-05T10:00:00Z")
    assert valid(nothing) and nothing["max-score"] == 4
    assert nothing["tests"][0]["message"] == "There is no file for this exercise."
    unseen = msgspec.structs.replace(report, checks=(), status="needs a person", reason="Why.")
    found = classroom50.result_of([exercise], {"shares": unseen}, IDENTITY, "2027-02-05T10:00:00Z")
    said = "The 0 is not a grade: a person must look at this work. Why."
    assert valid(found) and found["tests"][0]["message"] == said


def test_the_most_points_for_classroom50_are_the_same_for_any_work(course):
    exercise, told = course.exercise("shares"), {"shares": {"a": 1.0, "b": 2.0}}

    def most(*outcomes):
        checks = tuple(
            CheckReport(name=n, title="T", points=0, max_points=p, outcome=o, hidden=n == "d")
            for (n, p), o in zip(zip("abcd", (1, 2, 3, 4), strict=True), outcomes, strict=True)
        )
        report = ExerciseReport(
            name="shares", title="S", status="graded", points=0.0, max_points=10, checks=checks
        )
        done = {"shares": report}
        result = classroom50.result_of([exercise], done, IDENTITY, "2027-02-05T10:00:00Z", told)
        assert valid(result)
        return result["max-score"]

    assert (
        most("passed", "graded when handed in", "failed", "graded when handed in") == 3
    )  # b waits for one's own step
    assert most("failed", "failed", "graded when handed in", "graded when handed in") == 3
    nothing = classroom50.result_of([exercise], {}, IDENTITY, "2027-02-05T10:00:00Z", told)
    assert nothing["max-score"] == 3


def test_the_workflow_runs(course, package, tmp_path, monkeypatch):
    """Its step is run here, as a job would run it."""
    place = tmp_path / "repository"
    shutil.copytree(course.root, place)
    own = load_course(place / "course.yml")
    assert package("github", "--out", place, course=own).exit_code == 0
    workflow = yaml.safe_load((place / ".github" / "workflows" / "autograder.yml").read_text())
    steps = workflow["jobs"]["check"]["steps"]
    (check,) = [step["run"] for step in steps if step.get("name") == "Check"]
    (place / "exercises" / "shares.py").write_text(WRONG)
    program, *args = check.split()
    assert program == "autograder"
    page = tmp_path / "summary.md"
    monkeypatch.chdir(place)
    done = CliRunner().invoke(
        app, [arg.replace('"$GITHUB_STEP_SUMMARY"', str(page)) for arg in args]
    )
    assert done.exit_code == 1
    assert "::error file=exercises/shares.py,line=4,title=The share of each number::" in done.stderr
    assert "Shares: 0 of 4 points" in page.read_text()
    assert (place / "results" / "junit.xml").is_file()
