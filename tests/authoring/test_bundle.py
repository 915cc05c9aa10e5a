"""What is in a released course, and what is not."""

import json
import re

import pytest

from autograder.authoring.kit_files import ReleaseOptions, pictures, text_files
from autograder.authoring.release import leaks, unpacked, update, without_work
from autograder.checks.recorded_answers import ExerciseRecord, HiddenCheck, read_packed
from autograder.course.course_file import parse_course
from autograder.course.own_modules import importable
from tests.authoring.conftest import LONGER, NAMES, files_of, mark

MARKS = ["solution", "text", "c", "hidden", "input", "value", "comment", "unused", "wrong", "lambda", "reference", "right"]  # fmt: skip


def test_no_byte_of_an_answer_is_in_it(released):
    found = [
        (name, word)
        for name, data in unpacked(released)
        for word in MARKS
        if word != "hidden" and mark(word).encode() in data
    ]
    assert found == []
    code = [data for name, data in released.items() if name.endswith(".py")]
    assert not any(mark("hidden").encode() in data for data in code)


def test_what_is_in_it_is_listed(released):
    expected = {
        *(f"exercises/{name}.py" for name in NAMES),
        *(f"released/checks/test_{name}.py" for name in NAMES),
        *(f"released/handed_out/{name}.py" for name in NAMES),
        *(f"released/records/{name}.bin" for name in NAMES),
        *(f"released/records/{name}.names.bin" for name in NAMES),
        *("released/__init__.py", "released/checks/__init__.py"),
        *("README.md", "course.yml", ".gitignore"),
        *(f".vscode/{name}.json" for name in ("extensions", "settings", "tasks")),
    }
    (wheel,) = (name for name in released if name.endswith(".whl"))
    assert set(released) == expected | {wheel}


def test_the_wheel_holds_the_engine_alone(released):
    inside = {
        name.split(": ")[1].split("/")[0]
        for name, _ in unpacked(released)
        if name.partition(": ")[2]
    }
    assert {each for each in inside if not each.endswith(".dist-info")} == {"autograder"}


def test_the_grading_seed_is_not_recorded(marked, released, tmp_path):
    made = parse_course(tmp_path / "course.yml", released["course.yml"].decode()).content
    assert marked.content.seed not in made.released.seeds
    assert made.seed == made.released.seeds[0]
    assert f"seed: {marked.content.seed}" not in released["course.yml"].decode()


def test_of_a_hidden_check_only_title_and_points_are_there(kit):
    record = read_packed(kit / "released/records/word_counts.bin", ExerciseRecord)
    assert record.hidden == [HiddenCheck(f"test_{mark('hidden')}", "Other texts", 1.0)]


@pytest.mark.thorough  # test_kept_records shows it too
def test_the_same_course_gives_the_same_bytes(marked, released):
    assert files_of(marked) == released


@pytest.mark.thorough
def test_hints_and_findings_by_the_policy(marked):
    hint = "Turn the whole text to small letters first, with text.lower()."
    finding = "Every word is counted once, however often it comes."
    for policy, hints, findings in (("homework", False, True), ("exam", False, False)):
        every = b"".join(data for _, data in unpacked(files_of(marked, policy))).decode(
            "utf-8", "ignore"
        )
        assert (hint in every) == hints
        assert (finding in every) == findings
        assert ("Are `The` and `the` two words?" in every) == (policy == "homework")


def test_rubrics_stay(course, root, tmp_path):
    from autograder.authoring.kit_files import course_text
    from autograder.course.course_file import Released

    exercise = course.exercise("reflection")
    text = course_text(
        course, ReleaseOptions((exercise,), "practice"), Released(course="0" * 12, seeds=(1,))
    )
    made = parse_course(tmp_path / "course.yml", text)
    assert [each.rubric for each in made.exercise("reflection").questions] == [(), (), ()]
    assert "1 point" not in text
    assert [each.name for each in made.content.assignments] == ["attention-4"]
    assert made.content.assignments[0].due == course.assignment("attention-4").due


def test_an_answer_under_other_names_is_found(marked, released):
    exercises = [marked.exercise(name) for name in NAMES]

    def found(name, text):
        return leaks({**released, name: text.encode()}, marked, exercises)

    solution = (marked.root / "solutions/word_counts.py").read_text(encoding="utf-8")
    body = solution.partition("### BEGIN SOLUTION")[2]
    assert found("released/more.txt", body)
    renamed = LONGER.replace("word", "w").replace("text", "t").replace(" if ", "\n        if ")
    assert any("code of an answer" in said for said in found("released/more.py", renamed))
    assert found("released/more.py", "x = [len(each) for each in y if each]\n") == []


@pytest.fixture
def handed_out(course):
    """The text files and pictures of one exercise, as they are released in a form."""

    def handed_out(form):
        with importable(course):
            files = text_files(
                course, ReleaseOptions((course.exercise("softmax"),), "practice", form, 1)
            )
        return {name: text.encode() for name, text in files.items()} | pictures(course, files)

    return handed_out


def test_the_pictures_of_a_script_lie_beside_it(handed_out):
    files = handed_out("py")
    shown = re.findall(r"\]\(figures/([\w.]+)\)", files["exercises/softmax.py"].decode())
    there = {name.removeprefix("exercises/figures/") for name in files if name.endswith(".png")}
    assert there == set(shown) != set()
    kept = without_work(files)
    assert "exercises/softmax.py" not in kept and there <= {name.split("/")[-1] for name in kept}


def test_a_released_notebook_checks_itself_and_carries_its_pictures(handed_out):
    files = handed_out("ipynb")
    cells = json.loads(files["exercises/softmax.ipynb"])["cells"]
    assert any('check("softmax")' in "".join(cell["source"]) for cell in cells)
    assert not any("autograder check softmax" in "".join(cell["source"]) for cell in cells)
    assert any("softmax.png" in cell.get("attachments", {}) for cell in cells)
    assert "".join(cells[-1]["source"]).startswith("# Handed out as ")
    assert not any(name.endswith(".png") for name in files)


def test_an_update_takes_a_notebook_that_was_not_written_in(handed_out, tmp_path):
    files = handed_out("ipynb")
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    newer = {**files, "exercises/softmax.ipynb": b"{}", "released/handed_out/softmax.ipynb": b"{}"}
    assert update(tmp_path, newer) == []
    (tmp_path / "exercises/softmax.ipynb").write_text("mine")
    assert update(tmp_path, files) == ["exercises/softmax.ipynb"]
