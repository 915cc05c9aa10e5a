"""One check of one's own file: the head is printed first, then a repair is looked for."""

import json

import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.grading import repair
from autograder.report.model import Repair
from tests.courses import write_course

CHECKS = """
import pytest
from autograder.author import expect_close

@pytest.mark.check("Doubles two")
def test_two(submission):
    expect_close(submission.double(2.0), 4.0)

@pytest.mark.check("Doubles a list")
def test_list(submission):
    expect_close(submission.double([1.0, 2.0]), [2.0, 4.0])
"""
WRONG = "def double(x):\n    return [1.0, 5.0] if isinstance(x, list) else 4.0\n"
SAID = "A change in line 2 makes every check pass"  # the summary escapes the full stop


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Runs `autograder check double` on a wrong file, with a search that finds one repair."""
    write_course(
        tmp_path,
        {"double": 2},
        checks={"double": CHECKS},
        solutions={"double": "def double(x):\n    return 2 * np.asarray(x)\n"},
        stubs={"double": WRONG},
    )
    monkeypatch.chdir(tmp_path)

    def found(*_):
        print("SEARCH")
        return Repair(said=f"{SAID}.")

    monkeypatch.setattr(repair, "look_for_repair", found)

    def run(*options):
        done = CliRunner().invoke(app, ["check", "double", *options])
        assert done.exit_code == 1, done.output
        return done

    return run


@pytest.mark.one_in(3)
@pytest.mark.parametrize("options", [[], ["--plain"], ["--json"]])
def test_the_repair_is_in_the_summary_too(check, tmp_path, options):
    output = check("--summary", "summary.md", *options).output
    assert SAID in output and SAID in (tmp_path / "summary.md").read_text()


@pytest.mark.thorough
def test_several_files_are_searched_only_if_asked(check, tmp_path, monkeypatch):
    """The file of the other exercise is right, so nothing is searched for it."""
    course = {"double": 2, "triple": 2}
    checks = {"double": CHECKS, "triple": CHECKS.replace("double", "triple")}
    right = "def double(x):\n    return 2 * np.asarray(x)\n"
    triple = right.replace("double", "triple")
    stubs = {"double": WRONG, "triple": f"import numpy as np\n{triple}"}
    solutions = {"double": right, "triple": triple}
    write_course(tmp_path / "two", course, checks=checks, solutions=solutions, stubs=stubs)
    monkeypatch.chdir(tmp_path / "two")
    assert SAID not in check("triple").output
    for options in (["--plain"], ["--json"], ["--all"], []):
        output = check("triple", "--repairs", *options).output
        assert output.count("SEARCH") == 1 and output.count(SAID) == 1
    assert "SEARCH" not in check("--no-repairs").output


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [[], ["--plain"]])
def test_the_head_is_there_before_the_search(check, options):
    head, rest = check(*options).output.split("SEARCH\n")
    assert "1 of 2 points" in head and "Doubles two" not in head
    assert rest.startswith(SAID)


@pytest.mark.thorough
def test_the_picture_is_saved_beside_json_too(check, tmp_path):
    pytest.importorskip("matplotlib")
    done = check("--json", "--plot")
    report = json.loads(done.stdout.removeprefix("SEARCH\n"))
    assert report["exercises"][0]["repair"]["said"] == f"{SAID}."
    assert (tmp_path / "double-check.png").is_file() and "Picture: " in done.stderr
