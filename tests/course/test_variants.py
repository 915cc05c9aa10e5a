"""Numbers of a student's own: always the same, never telling too little, graded by the right ones."""

import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from autograder.authoring.build import build_exercise
from autograder.authoring.lint import refuse_authoring_errors
from autograder.authoring.verify import Verifier
from autograder.classroom.grade_class import Job, grade_class
from autograder.cli import app
from autograder.course.course_file import load_course
from autograder.course.errors import UserError
from autograder.course.variants import (
    SECRET,
    make_secret,
    personalised,
    read_secret,
    stated_variant,
    variant_of,
)
from autograder.sandbox.levels import choose
from reference.by_hand import hand_problem
from tests.courses import write_course

NAME = "hand_computation"


@pytest.fixture
def own(tmp_path, root):
    """A course whose hand computation has numbers of each student's own."""
    for folder in ("solutions", "reference", "autograder"):
        (tmp_path / folder).symlink_to(root / folder)
    text = (root / "course.yml").read_text()
    changed = text.replace("    points: 13\n", "    points: 13\n    variant: per-student\n")
    assert changed != text
    (tmp_path / "course.yml").write_text(changed)
    return load_course(tmp_path / "course.yml")


def set_secret(course):
    """One that is the same in each run of the tests."""
    (course.root / SECRET).write_text("0123456789abcdef" * 4)


def test_a_secret_is_made_once_and_for_its_owner(own):
    path = make_secret(own)
    secret = read_secret(own)
    assert path.stat().st_mode & 0o077 == 0
    assert make_secret(own) is None
    assert read_secret(own) == secret


def solved(course, student):
    exercise = course.exercise(NAME)
    text = (course.root / "solutions" / f"{NAME}.py").read_text()
    variant = variant_of(exercise, student, read_secret(course))
    return personalised(course, exercise, text, variant)


def grade(course, folder):
    job = Job(
        course=course,
        exercises=(course.exercise(NAME),),
        submissions=folder / "class",
        out=folder / "out",
        workers=1,
        seed=0,
        level=choose(None, own_code=True),
    )
    overview = grade_class(job, lambda done, of: None)
    return {row.student: row for row in overview.rows}


def test_a_student_always_gets_the_same_numbers_and_others_get_others(own):
    set_secret(own)
    secret, exercise = read_secret(own), own.exercise(NAME)
    keys = {f"s{n}": variant_of(exercise, f"s{n}", secret) for n in range(200)}
    assert len(set(keys.values())) == 200
    assert keys == {name: variant_of(exercise, name, secret) for name in keys}
    assert keys["s1"] != variant_of(exercise, "s1", b"another secret of this course")
    assert hand_problem(keys["s1"]) == hand_problem(keys["s1"])
    assert len({hand_problem(key).parts["b"].Q for key in keys.values()}) == 200


@pytest.mark.thorough
def test_no_variant_hides_a_mixed_up_axis():
    for n in range(300):
        problem = hand_problem(f"{n:016x}")
        for letter in "ab":
            part = problem.parts[letter]
            scores = part.exact("scores")
            assert not np.allclose(scores, scores.T)
            assert np.abs(part.exact("output") - part.exact("weights").T @ part.V).max() > 0.01
        assert sum(problem.masked_row) == pytest.approx(1)


def test_the_file_says_whose_numbers_it_has_and_shows_them(own):
    set_secret(own)
    exercise = own.exercise(NAME)
    variant = variant_of(exercise, "ann", read_secret(own))
    files = build_exercise(own, exercise, variant)
    stub = next(text for path, text in files.items() if path.suffix == ".py")
    assert stated_variant(stub) == variant
    row = " & ".join(f"{x:g}" for x in hand_problem(variant).parts["b"].K[1])
    assert row in stub
    assert "BEGIN SOLUTION" not in stub
    standard = build_exercise(own, exercise)
    assert all("VARIANT" not in text for text in standard.values())


def test_each_is_graded_by_their_own_numbers(own, tmp_path):
    set_secret(own)
    for student in ("ann", "bob", "cem", "dan"):
        (tmp_path / "class" / student).mkdir(parents=True)
    hand_in = {
        student: tmp_path / "class" / student / f"{NAME}.py"
        for student in ("ann", "bob", "cem", "dan")
    }
    hand_in["ann"].write_text(solved(own, "ann"))
    hand_in["bob"].write_text(solved(own, "ann"))  # copied whole
    unnamed = solved(own, "ann").replace("VARIANT", "KEY")  # copied, and who it is from taken out
    hand_in["cem"].write_text(unnamed)
    shutil.copy(own.root / "solutions" / f"{NAME}.py", hand_in["dan"])  # everybody's numbers
    rows = grade(own, tmp_path)
    assert rows["ann"].points[NAME] == 13
    assert rows["bob"].status == "needs a person"
    assert "another student" in rows["bob"].notes[0]
    assert rows["cem"].points[NAME] < 7
    assert rows["dan"].points[NAME] < 7


def test_a_step_of_a_variant_is_named(own, tmp_path):
    set_secret(own)
    variant = variant_of(own.exercise(NAME), "ann", read_secret(own))
    part = hand_problem(variant).parts["b"]
    wrong = np.round(part.exact("scores") / part.d_k, 4).tolist()
    text = solved(own, "ann").replace(
        f"b_scaled = {np.round(part.exact('scaled'), 4).tolist()}", f"b_scaled = {wrong}"
    )
    (tmp_path / "class" / "ann").mkdir(parents=True)
    (tmp_path / "class" / "ann" / f"{NAME}.py").write_text(text)
    assert grade(own, tmp_path)["ann"].points[NAME] == 12
    report = (tmp_path / "out" / "report.jsonl").read_text()
    assert "divides-by-d-k" in report


def test_without_the_secret_nothing_is_graded(own, tmp_path):
    (tmp_path / "class" / "ann").mkdir(parents=True)
    with pytest.raises(UserError, match=f"{SECRET} is missing"):
        grade(own, tmp_path)


SUMS = """
import pytest

@pytest.mark.check("The sum", hints=("What is a sum?", "A sum adds.", "Look at sum()."))
def test_total(submission, reference):
    assert submission.value("total") == reference.numbers(submission.variant), "Not the sum."
"""
ANSWERS = """
def numbers(variant):
    return 3 if not variant else int(variant[:3], 16)
"""
SOLUTION = """# %% [markdown]
# What is 3 in all?

# %%
### BEGIN SOLUTION
total = 3
### END SOLUTION
"""
STATED = """f'# %%\\nVARIANT = "{variant}"\\n' + """
REPLACED = "text.replace('3', str(int(variant[:3], 16)))"


@pytest.fixture
def sums(tmp_path):
    """A course with numbers of each student's own, made by this expression."""

    def sums(expression):
        course = write_course(
            tmp_path,
            {"sums": {"points": 5, "variant": "per-student"}},
            checks={"sums": SUMS},
            answers=ANSWERS,
            solutions={"sums": SOLUTION},
        )
        folder = tmp_path / course.content.reference / "variants"
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "sums.py").write_text(
            f"def personalised(text, variant):\n    return {expression}\n"
        )
        return course

    return sums


def faults(course):
    verifier = Verifier(course, course.exercise("sums"))
    return verifier.run(["right answers"]).faults


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        (REPLACED, "returns a text without the line `VARIANT = "),
        (f"{STATED}text", "`personalised` replaces nothing, so all students have the same"),
        ("text[10**9]", "`personalised` stops with IndexError"),
    ],
)
def test_a_text_without_its_own_numbers_is_refused(sums, tmp_path, expression, fault):
    course = sums(expression)
    with pytest.raises(UserError, match=fault):
        refuse_authoring_errors(course, [course.exercise("sums")])
    assert fault in "".join(faults(course))
    (tmp_path / "students.txt").write_text("ann\n")
    arguments = ["variants", tmp_path / "students.txt", "--out", tmp_path / "out"]
    done = CliRunner().invoke(app, [*map(str, arguments), "--course", str(tmp_path)])
    assert fault in str(done.exception)


def test_verify_grades_the_solution_of_several_variants(sums):
    assert faults(sums(STATED + REPLACED)) == []


def test_verify_notices_numbers_that_the_solution_does_not_have(sums):
    wrong = STATED + REPLACED.replace("'3'", "'3 in'").replace("str(", "'7 in' + str(")
    found = faults(sums(wrong))
    assert len(found) == 1 and "The sum: Not the sum. The same in" in found[0]
    assert "the solution with the numbers of variant " in found[0]
