"""What is in a released course, and what is not."""

from autograder.course import parse_course
from autograder.recorded.packing import HiddenCheck, Recorded, read_packed
from autograder.release.leaks import leaks, unpacked
from tests.release.conftest import LONGER, NAMES, files_of, mark

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
        *("README.md", "course.yml", ".gitignore", ".vscode/tasks.json"),
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
    record = read_packed(kit / "released/records/word_counts.bin", Recorded)
    assert record.hidden == [HiddenCheck(f"test_{mark('hidden')}", "Other texts", 1.0)]


def test_the_same_course_gives_the_same_bytes(marked, released):
    assert files_of(marked) == released


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
    from autograder.course import Released
    from autograder.release.paper import course_text

    exercise = course.exercise("reflection")
    text = course_text(course, [exercise], "practice", Released(course="0" * 12, seeds=(1,)))
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
