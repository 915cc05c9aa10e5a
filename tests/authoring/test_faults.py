"""What verify says of checks that stop, of seeds, hints and files that are out of step."""

import pytest

from autograder.author import Family, Recipe
from autograder.authoring.remarks import id_remarks
from autograder.authoring.verify import Verified, Verifier
from autograder.cli.verify import print_results
from autograder.course.course_file import load_course
from tests.authoring.course import arguments, command, make

STOPS = """
import pytest

@pytest.mark.check("The area", points=2, hints=("One?", " ", "Two."))
def test_area(submission, reference):
    function = submission.area
    answer = function(2, 3)
    assert answer == 6, f"{function.__name__} gives {answer}, not {WORD}."

@pytest.mark.check("The perimeter", points=0)
def test_perimeter(submission, rng):
    assert submission.perimeter(2, 3) == 10 and rng.random() < CHANCE, "Never."
"""


@pytest.fixture
def course(tmp_path, monkeypatch, capsys):
    """A course with these words in its checks, which is built."""

    def made(word="{6}", chance="2"):
        text = STOPS.replace("{WORD}", word).replace("CHANCE", chance)
        folder = make(tmp_path, checks=text)
        assert command(monkeypatch, capsys, *arguments(folder, "build"))[0] == 0
        return load_course(folder / "course.yml")

    return made


def verified(course, *steps):
    verifier = Verifier(course, course.exercise("areas"), share=10)
    return verifier.run(steps)


def test_a_check_that_always_stops_where_it_should_speak_is_a_fault(course):
    made = course("{answer.nam}")
    faults = verified(made, "right answers", "misconceptions").faults
    stops = [fault for fault in faults if "test_area raises an error before its message" in fault]
    assert len(stops) == 1
    assert "AttributeError" in stops[0] and "in line 8 of test_areas.py" in stops[0]


def test_a_check_that_speaks_of_the_function_by_its_name_holds(course):
    result = verified(course(), "right answers", "stub", "misconceptions")
    assert result.faults == [
        "test_perimeter has no hints; write three: a question, the rule, and where to look"
    ]
    assert any("warning: test_area has 2 hints" in remark for remark in result.remarks)
    worth = [remark for remark in result.remarks if "test_perimeter" in remark]
    assert worth == [
        "warning: test_perimeter has 0 points",
        "warning: test_perimeter names no requirement of the text; add grades=[…] to its mark",
    ]


def test_one_id_for_mistakes_that_share_nothing_is_remarked():
    def recipe(*wrong):
        return Recipe("area", list, tuple(wrong), steps={"y": abs}, parameters=("x",))

    one = Family("y", ("a", "b", "c"), {"id": ("One thing.", abs)})
    way = Family("y", ("a", "b", "c"), {"id": ("One thing, otherwise.", abs)})
    other = Family("y", ("d", "e", "f"), {"id": ("Another.", abs)})
    assert list(id_remarks("area", recipe(one, way))) == []
    assert "area, id: 2 entries" in next(id_remarks("area", recipe(one, other)))


def test_seeds_that_fail_alike_are_one_sentence(course):
    result = verified(course(chance="0"), "seeds")
    assert result.seeds == 5
    assert len(result.faults) == 1
    assert "“The perimeter” for 5 of 5 seeds. The first: areas, seed 0: Never." in result.faults[0]


@pytest.mark.parametrize(("added", "alike"), [("0", True), ("(s.width == 2)", True), ("1", False)])
def test_mistakes_that_fewer_than_two_probes_tell_apart_look_alike(tmp_path, added, alike):
    other = f"lambda s: s.width + s.height + {added}"
    folder = make(tmp_path, "mistakes", "lambda s: s.product / 2", other)
    faults = verified(load_course(folder / "course.yml"), "misconceptions").faults
    assert ("area: fewer than two probes tell added and halved apart" in faults) == alike


@pytest.mark.thorough
def test_a_stub_that_is_out_of_step_or_cannot_be_made_is_a_fault(course):
    made = course()
    path = made.solution_file("areas")
    text = path.read_text()
    path.write_text(text + "\n# a word more\n")
    assert "out of date" in verified(made, "stub").faults[0]
    path.write_text(text.replace("    ### END SOLUTION\n", "", 1))
    assert "line 9: a second ### BEGIN SOLUTION" in verified(made, "stub").faults[0]
    path.write_text(text)
    (made.handed_out / "areas.py").unlink()
    assert "Run: autograder build areas" in verified(made, "stub").faults[0]


def test_in_a_pipe_the_table_is_whole_and_no_sentence_is_broken(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    line = "total = " + " + ".join(["width * height"] * 30)
    print_results([Verified("the_longest_name_of_an_exercise", faults=[line])])
    table, row, fault = capsys.readouterr().out.splitlines()
    assert "misconceptions named" in table and "mutants rejected" in table
    assert row.startswith("the_longest_name_of_an_exercise ")
    assert fault.endswith(line)
