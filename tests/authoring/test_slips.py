"""Each slip of an author's is one message with file, line, the word and what was meant."""

import csv
import re
import sys

import pytest

from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import Verifier
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import load_course
from tests.authoring.course import MISTAKES as MISTAKES_TEXT
from tests.authoring.course import arguments, command, make

pytestmark = pytest.mark.one_in(5)

# What the brief names, over the four commands: file, text, what stands there instead, line, words.
NAMED = {
    "needs": ("checks", '"test_area"]', '"test_aera"]', 14, "`test_aera`.*mean `test_area`"),
    "argument": ("checks", "points=2", "point=2", 6, "no argument `point`; did you mean `points`"),
    "step": ("mistakes", '        "area",\n        HINTS', '        "aera",\n        HINTS', 12, "`aera`.*mean `area`"),
    "record": ("mistakes", "MISTAKES = Mistakes(", "MISTAKES = {}\n_NONE = Mistakes(", 17,
               "`MISTAKES` is not valid: it is of type dict"),
    "raises": ("mistakes", "s.product / 2", "1 / 0", 14, "`halved`.*every call: ZeroDivisionError"),
    "import": ("checks", "expect_close\n", "expect_clos\n", 3, "test_areas.py cannot be loaded:.*"
               "ImportError.*did you mean `expect_close`"),
    "in a check": ("checks", "(2, 3))\n\n\n@", "(2, wdith))\n\n\n@", 8, "`wdith` is not defined"),
    "reference": ("checks", "reference.area(", "reference.aera(", 8, "no `aera`.*mean `area`"),
}  # fmt: skip


@pytest.mark.one_in(15)
@pytest.mark.parametrize("name", ["build", "check", "grade", "verify"])
@pytest.mark.parametrize("slip", NAMED)
def test_a_slip_is_refused_by_every_command(tmp_path, monkeypatch, capsys, slip, name):
    which, before, after, line, words = NAMED[slip]
    folder = make(tmp_path, which, before, after)
    code, out, said = command(monkeypatch, capsys, *arguments(folder, name))
    assert code == 2
    assert len(said.splitlines()) == 2
    assert re.search(rf"\w+\.py, line {line}: .*{words}", said), said
    assert "not in a submission" in said
    assert "Traceback" not in said + out
    assert not (folder / "out").exists()
    assert not (folder / "exercises").exists()
    assert not (folder / "class" / "s01" / ".autograder").exists()


@pytest.mark.parametrize("name", ["build", "check", "grade"])
def test_a_course_without_slips_is_used(tmp_path, monkeypatch, capsys, name):
    folder = make(tmp_path)
    code, out, said = command(monkeypatch, capsys, *arguments(folder, name))
    assert code == 0, out + said


CHECKS = {
    "no mark": ('@pytest.mark.check("The area", points=2, hints=("What times what?",))\n', "", "def test_area", "no check yet"),
    "own": ("    expect_close(submission.area", "    from autograder.author import expect_follows\n    expect_follows(1, 1, None, 'x', None, 'aera', submission)\n    expect_close(submission.area", "expect_follows(1", "no `aera`; did you mean `area`"),
    "a check that needs itself": ('["test_area"]', '["test_perimeter"]', None, "needs itself"),
    "needs without brackets": ('["test_area"]', '"test_area"', None, r'needs=\["test_area"\]'),
    "a number as a need": ('["test_area"]', "[7]", None, "contains 7"),
    "points in words": ("points=2", 'points="2"', None, "`points` is '2'; it must be a number"),
    "points below 0": ("points=2", "points=-2", None, "it must be 0 or more"),
    "points of yes": ("points=2", "points=True", None, "it must be a number"),
    "hints that are one text": ('("What times what?",)', '("What times what?")', None, "is a text"),
    "no title": ('"The area", points', "points", "check(", "takes the title"),
    "an unknown mark": ("@pytest.mark.hidden", "@pytest.mark.hiden", None, "mean `hidden`"),
    "another mark's name": ('mark.check("The', 'mark.chek("The', None, "mean `check`"),
    "arguments of hidden": ("mark.hidden", "mark.hidden(True)", None, "takes no arguments"),
    "a fixture": ("test_area(submission", "test_area(submision", None, "`submision`.*`submission`"),
    "a function": ("submission.area", "submission.aera", None, "solution has no `aera`.*`area`"),
    "a value": ("submission.area(2, 3)", "submission.value('aera')", None, "no `aera`.*`area`"),
    "an answer": ("submission.area(2, 3)", "submission.answer('why')", None, "no question `why`"),
    "a name": ("def test_perimeter", "def tset_perimeter", None, "must begin with `test_`"),
    "a name twice in a class": ("import pytest\n", "import pytest\n\nclass TestAll:\n    def test_a(self): ...\n"
                                "    def test_a(self): ...\n", None, "`test_a` is defined twice"),
    "a class of another name": ('@pytest.mark.hidden\n', "class Areas:\n    @pytest.mark.check('In it')\n"
                                "    def test_a(self, submission): ...\n\n@pytest.mark.hidden\n", "def test_a(self",
                                "`test_a` is marked.*the name of its class"),
    "one name twice": ("def test_perimeter", "def test_area", None, "`test_area` is defined twice"),
    "a syntax error": ("def test_area(", "def test_area((", None, "cannot be loaded: SyntaxError"),
    "a module": ("checks.expect", "checks.expct", None, "mean `autograder.checks.expect`"),
    "an error on import": ("import pytest\n", "import pytest\n1 / 0\n", None, "ZeroDivisionError"),
    "a parameter": ("@pytest.mark.hidden", "@pytest.mark.parametrize('x', [1])", "def test_perimeter",
                    "test_perimeter.*no argument 'x'"),
}  # fmt: skip
MISTAKES = {
    "two hints": ('"A property.", ', "", '"added"', "2 hints; expected three"),
    "one text for hints": ('("A question.", "A property.", "A place.")', '"?"', '"added"', "three texts"),
    "no finding": ('"You add."', '" "', None, "`added` has no text"),
    "one name for two": ('        HINTS,\n        {"halved"', '        ("a", "b", "c"),\n        {"added"',
                         '"added"', "has the name `added`"),
    "one name twice": ('{"halved": (', '{"halved": ("Half.", abs), "halved": (', '"halved"', "`halved` occurs twice"),
    "nothing replaced": ('"You add.", lambda s: s.width + s.height', '"You add.", {}', '"added"', "replaces nothing"),
    "no way": ('("You add.", lambda s: s.width + s.height)', '"You add."', None, "for the mistake `added`"),
    "no step": ('Family("product", HINTS', 'Family(None, HINTS', '"added"', "`added` of `area` names no step"),
    "other arguments": ('Family("product", HINTS, {"added": ("You add.", lambda s: s.width + s.height)})',
                        'Family(max, HINTS, {"added": ("You add.", abs)})', None, "no signature found|replaces `max`"),
    "no change": ('"You add.", lambda s: s.width + s.height', '"You add.",', None, "for the mistake `added`"),
    "a step of one way": ("lambda s: s.product / 2", '{"aera": abs}', None, "replaces `aera`.*mean `area`"),
    "what it means": ("HINTS,\n        {", "HINTS,\n        means=lambda c: c.oops,\n        ways={", "means=",
                      "cannot be made: AttributeError"),
    "no family": ("WRONG,\n", "(*WRONG, HINTS),\n", "WRONG", "`families` is of type tuple"),
    "no function": ("lambda s: s.width + s.height", "3", None, "has a int for `product`"),
    "a step of the state": ("s.width + s.height", "s.widht + s.height", None, "mean `width`"),
    "a name": ("s.width + s.height", "widht", None, "`widht` is not defined"),
    "the recipe": ("s.width * s.height", "s.width * s.hieght", None, "recipe.*mean `height`"),
    "a fact": ("v < 0", "s.aera < 0", None, "fact `negative`.*mean `area`"),
    "a trait": ("s.height > 5", "s.hight > 5", None, "trait 'with a high one'.*mean `height`"),
    "a parameter": ('("width", "height")', '("width", "hight")', 'defaults=', "`defaults` has `height`, which is not a parameter"),
    "one parameter": ('("width", "height")', '("width")', None, "expected a tuple of names"),
    "a default": ('{"height": 1}', '{"heigth": 1}', None, "`heigth`.*mean `height`"),
    "the function": ('Recipe(\n        "area"', 'Recipe(\n        "aera"', "Recipe(",
                     "the solution has no function `aera`; did you mean `area`"),
    "two recipes": ("MISTAKES = Mistakes(", "MISTAKES = Mistakes(\n    Recipe('area', list),", "Recipe(", "`area` has two recipes"),
    "no recipe": ("MISTAKES = Mistakes(", "MISTAKES = Mistakes(\n    WRONG,", "MISTAKES", "holds a tuple"),
    "a comparison": ("steps=STEPS", "comparison=float,\n        steps=STEPS", "comparison=", "is of type type; expected a Comparison"),
    "a field": ("traits=", "trait=", "Recipe(", "unexpected keyword argument 'trait'.*mean `traits`"),
    "no probes": ("[Probe((2 + draw, 3)), Probe((5, 7 + draw)), (4,)]", "[]", None, "one Probe"),
    "a bare probe": ("(4,)]", "4]", None, "one Probe or tuple"),
    "a long probe": ("(4,)]", "(4, 5, 6)]", None, "3 arguments for 2 parameters"),
    "probes that stop": ("2 + draw", "2 + drw", None, "`drw` is not defined"),
    "no families": ("WRONG,\n", "'WRONG',\n", None, "`families` is of type str"),
    "steps for families": ("WRONG,\n", "STEPS,\n", '"product"', "for the mistake `product`"),
    "a step like a parameter": ('"product": lambda s', '"width": lambda s', "width", "the step `width` has the name of a parameter"),
    "one name for two results": ("steps=STEPS", 'steps=STEPS, results=("a", "a")', None, "two `results` have the name `a`"),
    "the name itself": ("MISTAKES = M", "MISTAKE = M", None, "reads `MISTAKE`; did you mean `MISTAKES`"),
    "an import": ("import Fact", "import Fcat", None, "mean `Fact`"),
    "values": ("    )\n)", "    ),\n    explain_value=abs,\n)", "explain_value", "value's name"),
    "values that nobody asks": ("MISTAKES = M", "def explain_value(a, b, c): ...\nMISTAKES = M", "explain_value", "never called"),
    "simulated": ("    )\n)", "    ),\n    simulated_values=[],\n)", "simulated_values", "without parameters"),
}  # fmt: skip


def slips_of(folder):
    course = load_course(folder / "course.yml")
    with pytest.raises(InvalidCourse) as caught:
        refuse_authoring_errors(course, course.content.exercises)
    return caught.value.errors


def place(slip):
    return slip.path.read_text().splitlines()[slip.line - 1]


@pytest.mark.parametrize(("before", "after", "at", "words"), CHECKS.values(), ids=CHECKS)
def test_a_slip_in_the_checks(tmp_path, before, after, at, words):
    (slip,) = slips_of(make(tmp_path, "checks", before, after))
    assert slip.path.name == "test_areas.py"
    assert re.search(words, slip.says), slip.says
    assert (at or after.strip().splitlines()[-1]) in place(slip)


@pytest.mark.one_in(15)
@pytest.mark.parametrize(("before", "after", "at", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_slip_in_the_misconceptions(tmp_path, before, after, at, words):
    slip, *_ = slips_of(make(tmp_path, "mistakes", before, after))
    assert slip.path.name == "areas.py" and slip.path.parent.name == "misconceptions"
    assert re.search(words, slip.says), slip.says
    assert (at or after.strip().splitlines()[-1]) in place(slip)


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ("    return width", "\treturn width", 5, "not valid Python: TabError"),
        ("\ndef area", "\nimport maths\n\ndef area", 2, "imports `maths`.*did you mean `math`"),
    ],
)
def test_a_solution_that_cannot_be_loaded(tmp_path, before, after, line, words):
    (slip,) = slips_of(make(tmp_path, "solution", before, after))
    assert (slip.path.name, slip.line) == ("areas.py", line)
    assert re.search(words, slip.says), slip.says


@pytest.mark.parametrize("name", ["check", "grade"])
def test_a_check_that_stops_costs_no_grades_and_shows_no_traceback(
    tmp_path, monkeypatch, capsys, name
):
    """No look at a file finds this one; the check fails for the solution too."""
    folder = make(
        tmp_path, "checks", "    expect_close(submission.a", "    {}['oops']\n    (submission.a"
    )
    code, out, said = command(monkeypatch, capsys, *arguments(folder, name))
    assert code == 1
    assert "Traceback" not in out + said
    told = " ".join(out.split())
    assert "The check itself stopped in line 8 of test_areas.py with KeyError: 'oops'" in told
    assert "no fault of the submission" in told
    if name == "grade":
        (row,) = csv.DictReader((folder / "out" / "grades.csv").read_text().splitlines())
        assert row["status"] == "needs a person"


def test_a_misconception_that_stops_in_simulated_values_is_a_fault_of_verify(tmp_path):
    more = (
        "def values():\n    yield from {}['oops']\nMISTAKES = Mistakes(simulated_values=values, *["
    )
    changed = MISTAKES_TEXT.replace("MISTAKES = Mistakes(", more).replace(
        "    )\n)\n", "    )\n])\n"
    )
    course = load_course(make(tmp_path, mistakes=changed) / "course.yml")
    verifier = Verifier(course, course.exercise("areas"))
    verifier.run(["misconceptions"])
    (fault,) = [each for each in verifier.result.faults if "oops" in each]
    assert re.search(
        r"areas\.py, line 18: simulated_values raises an error: KeyError: 'oops'", fault
    )


def test_an_exception_that_a_first_call_does_not_show_is_a_fault_of_verify(tmp_path):
    late = "s.width + (s.height if s.width < 4 else s.hieght)"
    course = load_course(make(tmp_path, "mistakes", "s.width + s.height", late) / "course.yml")
    verifier = Verifier(course, course.exercise("areas"))
    verifier.run(["misconceptions"])
    assert any(
        re.search(r"areas\.py, line 10: .*hieght; did you mean `height`", fault)
        for fault in verifier.result.faults
    ), verifier.result.faults


def test_pytest_says_it_too(tmp_path, pytester):
    folder = make(tmp_path, "checks", "points=2", "point=2")
    done = pytester.runpytest_inprocess(folder / "class" / "s01" / "areas.py")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*line 6: `check` has no argument `point`; did you mean `points`?*"])


def test_a_misspelt_file_of_misconceptions_is_found(tmp_path):
    folder = make(tmp_path)
    (path,) = folder.glob("*/misconceptions/areas.py")
    path.rename(path.with_name("aeras.py"))
    (slip,) = slips_of(folder)
    assert slip.path.name == "aeras.py"
    assert "did you mean `areas`?" in slip.says


def test_a_module_that_names_no_mistake_is_found(tmp_path):
    (slip,) = slips_of(make(tmp_path, mistakes="WORDS = 1\n"))
    assert (slip.path.name, slip.line) == ("areas.py", 1)
    assert "has no `MISTAKES`" in slip.says


def test_several_slips_are_said_together(tmp_path):
    folder = make(tmp_path, "checks", "points=2", "point=2, need=[]")
    course = load_course(folder / "course.yml")
    with pytest.raises(
        InvalidCourse, match="2 errors in the course, not in a submission"
    ) as caught:
        refuse_authoring_errors(course, course.content.exercises)
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.thorough
def test_the_kits_own_course_has_no_slip(course):
    refuse_authoring_errors(course, course.content.exercises)
    assert "torch" not in sys.modules or sys.modules["torch"] is not None
