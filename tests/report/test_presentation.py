"""What is not begun, or cannot be read, is said once, in a terminal, in words and on a page."""

import xml.etree.ElementTree as ET

import msgspec
import pytest

from autograder.report.html import exercise_html
from autograder.report.model import Cause, CheckReport, Diagnosis, Evidence, ExerciseReport, Line
from autograder.report.presentation import (
    closing,
    excerpt,
    first_failure,
    opening,
    presented,
    sentence,
)
from autograder.report.terminal import exercise_lines, plain
from autograder.report.test_results import ShownExercise, job_summary, junit

BROKEN = "is not valid Python: '(' was never closed in line 3 of f.py: `f(`."


def check(name, **changes):
    fields = {"name": name, "title": f"Title of {name}", "points": 0.0, "max_points": 1.0}
    return CheckReport(**{**fields, "outcome": "failed", **changes})


def unwritten(name, what, **changes):
    place = Line(file="f.py", line={"h": 9}.get(what, 7), text="raise NotImplementedError")
    said = f"{what} is not written yet."
    call = Evidence(call=f"{what}(1)")
    cause = Cause(code="not_written", subject=what)
    fields = {"finding": said, "cause": cause, "unwritten": what, "place": place, "evidence": call}
    return check(name, **{**fields, **changes})


def waits(name, other, **changes):
    cause = Cause(code="needs_first", names=(f"Title of {other}",))
    return check(name, outcome="not run", finding=sentence(cause), cause=cause, **changes)


def exercise(*checks, **changes):
    fields = {"name": "f", "title": "F", "status": "graded", "points": 0.0, "max_points": 9.0}
    return ExerciseReport(**{**fields, "file": "f.py", "checks": checks, **changes})


def faces(report):
    yield "\n".join(plain(line) for line in exercise_lines(report))
    yield "\n".join(plain(line) for line in exercise_lines(report, spoken=True))
    yield exercise_html(report)


UNTOUCHED = exercise(
    unwritten("a", "f"),
    waits("b", "a"),
    unwritten("c", "g"),
    unwritten("d", "g"),
    check("e", hidden=True),
    reason="f is not written yet.",
    cause=Cause(code="not_written", subject="f"),
)


def test_what_is_not_begun_is_said_once():
    assert opening(UNTOUCHED).text == "Begin with f, in line 7 of f.py."
    assert first_failure(UNTOUCHED) is None
    assert {each.outcome for each in presented(UNTOUCHED).checks} == {"not run"}
    for face in faces(UNTOUCHED):
        assert face.count("Begin with f") == 1
        assert "✗" not in face and "f(1)" not in face and "it needs" not in face
        assert "does not show its inputs" not in face
        assert all(f"Title of {name}" in face for name in "abcde")


def test_what_is_left_of_it_is_said_once():
    half = exercise(
        check("a", outcome="passed", points=1.0),
        unwritten("b", "g"),
        waits("c", "b"),
        waits("d", "c"),
        unwritten("e", "h"),
        check("f", hidden=True),
        points=1.0,
    )
    assert opening(half).text == "Write this next: g, in line 7 of f.py."
    told = presented(half).checks
    assert {each.finding for each in told[1:5]} == {"Not run: g and h are not written yet."}
    caller = msgspec.structs.replace(half.checks[1], name="g", unwritten="calls_g")
    calling = msgspec.structs.replace(half, checks=(half.checks[1], caller))
    assert "calls_g" not in " ".join(each.finding for each in presented(calling).checks)
    assert told[5].outcome == "failed"
    for face in faces(half):
        assert face.count("not written yet") == 1


def test_a_mistake_comes_before_what_is_not_begun():
    mixed = exercise(unwritten("a", "f"), check("b", finding="It differs."))
    assert opening(mixed).text == "“Title of b” fails. It differs."


def test_the_first_hint_stays_where_to_begin():
    hints = ("What would you say?",)
    report = exercise(
        unwritten("a", "x", hints=hints, place=None), unwritten("b", "y", hints=hints, place=None)
    )
    assert opening(report).text == "Begin with x."
    for face in faces(report):
        assert face.count(hints[0]) == 1


SYNTAX = Cause(
    code="not_python",
    subject="The file",
    message="'(' was never closed",
    place=Line(file="f.py", line=3, text="f("),
)
UNDEFINED = Cause(code="not_defined", subject="g", message="f.py", because=SYNTAX)


@pytest.mark.parametrize(
    "subject, cause",
    [
        ("f.py", msgspec.structs.replace(SYNTAX, subject="f.py")),
        ("g is not defined in f.py. The file", UNDEFINED),
    ],
)
def test_a_file_that_is_no_python_is_said_once(subject, cause):
    reason = f"{subject} {BROKEN}"
    other = msgspec.structs.replace(UNDEFINED, subject="h")
    report = exercise(
        check("a", finding=reason, cause=cause, evidence=Evidence(call="f(1)")),
        waits("b", "a"),
        check("c", finding=f"h is not defined in f.py. The file {BROKEN}", cause=other),
        check("d", hidden=True),
        status="not loaded",
        reason=reason,
        cause=cause,
        notes=(f"The file {BROKEN}", "Something else."),
        note_causes=(SYNTAX, Cause(code="import_failed", message="Something else.")),
    )
    assert opening(report).text == reason
    for face in faces(report):
        assert face.count("is not valid Python") == 1
        assert "✗" not in face and "it needs" not in face
        assert "Something else." in face


def test_why_checks_wait_is_said_once_on_a_page():
    report = exercise(check("a", finding="It differs."), waits("b", "a"), waits("c", "a"))
    for face in faces(report):
        assert face.count("“Title of a” must pass first") == 1


LINE = Line(file="softmax.py", line=5, text="exps = np.exp(shiftd)", column=14, end=20)


def test_a_line_has_carets_below_the_part_that_is_meant():
    assert excerpt(LINE) == ["5 | exps = np.exp(shiftd)", "  |               ^^^^^^"]
    whole = Line(file="softmax.py", line=12, text="return x")
    assert excerpt(whole) == ["12 | return x", "   | ^^^^^^^^"]
    assert excerpt(None) == excerpt(Line(file="softmax.py", line=1)) == []


@pytest.mark.parametrize("room", [30, 60, 80])
@pytest.mark.parametrize("start", [0, 20, 55, 90])
def test_of_a_long_line_the_part_that_is_meant_is_shown(room, start):
    text = "".join(f"{number:02} " for number in range(33))
    place = Line(file="f.py", line=7, text=text.rstrip(), column=start, end=start + 5)
    line, carets = excerpt(place, room)
    assert len(line) <= room
    meant = "".join(sign for sign, caret in zip(line, carets, strict=False) if caret == "^")
    assert meant == text[start : start + 5]


def test_a_place_outside_its_line_is_the_whole_line():
    odd = Line(file="f.py", line=1, text="x = 1", column=3, end=999)
    assert excerpt(odd)[1] == "  | ^^^^^"


def stopped(name, line=5, message="shapes (2,3) (2,)"):
    place = Line(file="f.py", line=line, text="return e / e.sum(axis=axis)")
    cause = Cause(code="raised", subject="f", error="ValueError", message=message, place=place)
    said = f"f stopped with ValueError: {message} in line {line} of f.py."
    return check(name, finding=said, cause=cause, place=place)


def test_an_error_is_said_once():
    """Its numbers differ with the sizes of each check; another line's error is another one."""
    checks = stopped("a"), stopped("b", message="shapes (4,5) (4,)"), stopped("c", line=9)
    report = exercise(*checks, reason=checks[0].finding, cause=checks[0].cause)
    text = "\n".join(plain(line) for line in exercise_lines(report))
    assert (
        text.count("in line 5") == 1
        and text.count("The same with other numbers in 1 more check.") == 1
    )
    assert text.count("in line 9") == 1
    assert text.count("5 | return e / e.sum(axis=axis)") == 1
    spoken = "\n".join(plain(line) for line in exercise_lines(report, spoken=True))
    assert spoken.count("in line 5") == 1 and "Line 5: return e" in spoken
    page = exercise_html(report)
    assert page.count("stopped with ValueError") == 2
    assert "The same with other numbers in 1 more check." in page


@pytest.mark.parametrize(("function", "is_first"), [("f", True), ("g", False)])
def test_an_error_of_the_same_function_comes_before_wrong_values(function, is_first):
    cause = Cause(code="mismatch", message="3 of 4 values differ.")
    wrong = check("a", finding=cause.message, cause=cause, evidence=Evidence(function="f"))
    evidence = Evidence(function=function, call=f"{function}(1)")
    error = msgspec.structs.replace(stopped("b"), evidence=evidence, hints=("Look there.",))
    text = "\n".join(plain(line) for line in exercise_lines(exercise(wrong, error)))
    assert text.startswith(error.finding if is_first else "“Title of a” fails.")
    assert ("Look there." in text) == is_first and text.count(error.finding) == 1


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("name 'sqrt' is not defined", "name 'sqrt' is not defined", "The same in"),
        ("name 'sqrt' is not defined", "name 'exp' is not defined", ""),
        ("name 'x1' is not defined", "name 'x2' is not defined", ""),
        ("must be real number, not list", "only length-1 arrays can be converted", ""),
        ("shapes (3,2) (3,)", "shapes (2,3,4) (2,3) ()", "The same with other numbers in"),
        ("(3x3 and 5x4)", "(6x3 and 4x4)", "The same with other numbers in"),
    ],
)
def test_errors_in_one_line_are_the_same_if_their_messages_are(one, other, said):
    report = exercise(stopped("a", message=one), stopped("b", message=other))
    text = "\n".join(plain(line) for line in exercise_lines(report))
    assert ("The same" in text) == bool(said) and said in text
    assert text.count("stopped with") == (1 if said else 2)


def test_an_error_that_stands_within_a_diagnosis_is_not_said_again():
    """As `key.t()` gets it: right without a batch, and an error with batch axes."""
    one = stopped("a")
    said = f"f: It is right for one row, and stops with an error: {one.finding} x has the shape 2."
    diagnosis = Diagnosis(kind="located", finding=said, sentence=said).beside(one.finding)
    report = exercise(msgspec.structs.replace(one, diagnosis=diagnosis), unwritten("b", "g"))
    for text in faces(report):
        assert text.count("ValueError") == 1


def test_what_passes_by_follow_through_has_no_tick():
    """A tick would say that the title holds for the student's own steps too."""
    given = check("m", outcome="passed", points=1.0, note="Right, given your split.")
    report = exercise(stopped("a"), given)
    for text in faces(report):
        assert "✓" not in text and "Right, given your split." in text
    said, spoken, page = faces(report)
    assert "→   1/1  Title of m" in said and "follow-through, 1 of 1 points: Title" in spoken
    assert 'aria-label="follow-through">→</span>' in page
    assert closing(report).startswith("0 of 2 checks pass, 1 passes by follow-through, 1 fails.")
    assert closing(exercise(check("b", outcome="passed", points=1.0), given)) == (
        "1 of 2 checks passes, 1 passes by follow-through. You have full points. The values "
        "that are still wrong come from the function named there."
    )
    shown = [ShownExercise(report)]
    case = ET.fromstring(junit(shown)).findall(".//testcase")[1]
    assert case.get("name") == "Title of m" and not list(case)
    assert "- → follow-through: Title of m" in job_summary(shown).decode()


def test_a_sentence_that_names_what_it_is_about_stands_without_a_title():
    """It was "f: the shape is (n,): f did not finish within 5 seconds."."""
    slow = Cause(code="timed_out", subject="f")
    ends = check("a", finding="f did not finish within 5 seconds.", cause=slow)
    differs = check("a", finding="The result: 2 of 3 values differ.")
    assert opening(exercise(ends)).text == ends.finding
    assert opening(exercise(differs)).text == f"“Title of a” fails. {differs.finding}"
    for report in (exercise(ends), exercise(differs)):
        for text in faces(report):
            assert text.count(report.checks[0].finding) == 1


def test_an_error_while_loading_is_said_once():
    place = Line(file="f.py", line=8, text='axis = int(input("?"))')
    cause = Cause(code="keyboard", subject="f.py", message="input()", place=place)
    absent = Cause(code="not_defined", subject="f", message="f.py", because=cause)
    note = msgspec.structs.replace(cause, subject="A line outside every function")
    report = exercise(
        check("a", finding="f is not defined: input().", cause=absent),
        status="not loaded",
        reason="f.py calls input() in line 8.",
        cause=cause,
        notes=("A line outside every function calls input() in line 8.",),
        note_causes=(note,),
    )
    for text in faces(report):
        assert text.count("input() in line 8") == 1 and "not defined" not in text


def test_the_last_line_counts_the_checks():
    passed = check("p", outcome="passed", points=1.0)
    waits = msgspec.structs.replace(passed, name="w", outcome="not run")
    left = msgspec.structs.replace(passed, name="l", outcome="graded when handed in")
    assert closing(exercise(passed)) == "The check passes."
    assert closing(exercise(passed, passed)) == "All 2 checks pass."
    assert closing(exercise(passed, left)) == "1 of 2 checks passes, 1 is graded when handed in."
    again = "Change your file, save it, and check again."
    assert closing(exercise(stopped("a"), waits, waits)) == (
        f"0 of 3 checks pass, 1 fails, 2 were not run. {again}"
    )
