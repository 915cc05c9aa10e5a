"""Hints belong to the mistake that was found, else to the kind of failure, else to the check."""

from pathlib import Path

import msgspec
import pytest

from autograder.checks.check_result import Check, CheckResult
from autograder.diagnosis.hints import HINTS, failure_kind, hints_for
from autograder.report.model import Cause, Diagnosis, Evidence, Line

PLACE = Line(file="softmax.py", line=4, text="y = x / s")
OWN = ("Of the check?", "A property.", "A place.")


def result(cause, diagnosis=None, mistake=(), outcome="failed", hidden=False):
    check = Check("test_a", "test_a", Path("test_a.py"), "A", hints=OWN, hidden=hidden)
    return CheckResult(
        check=check, outcome=outcome, cause=cause, diagnosis=diagnosis, hints=mistake
    )


def raised(error, message, place=PLACE):
    return Cause(code="raised", subject="softmax", error=error, message=message, place=place)


def test_the_hints_of_the_mistake_come_first():
    mistake = ("Of the mistake?", "A property.", "A place.")
    assert hints_for(result(raised("NameError", "name 'y' is not defined"), None, mistake)) == (
        mistake
    )
    assert hints_for(result(Cause(code="mismatch"), None, mistake)) == mistake


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (raised("NameError", "name 'y' is not defined (Did you mean: 'x'?)"), "name"),
        (raised("NameError", "name 'np' is not defined"), "library"),
        (raised("UnboundLocalError", "cannot access local variable 'y' where it is …"), "unset"),
        (raised("ImportError", "No module named 'sofmax'"), "import"),
        (raised("ImportError", "cannot import name 'sotfmax' from 'softmax'"), "import"),
        (raised("AttributeError", "'list' object has no attribute 'max'"), "attribute"),
        (raised("AttributeError", "Line.set() got an unexpected keyword argument"), "arguments"),
        (raised("AttributeError", "cannot assign module before Module.__init__()"), "parent_init"),
        (raised("AttributeError", "'NoneType' object has no attribute 'shape'"), "no_object"),
        (
            raised("AttributeError", "module 'numpy' has no attribute 'trill' (Did …"),
            "not_in_module",
        ),
        (raised("AttributeError", "'softmax' object has no attribute 'W_Q'"), "own_attribute"),
        (raised("RuntimeError", "a leaf Variable that requires grad is …"), "argument_changed"),
        (raised("RuntimeError", "… has been modified by an inplace operation"), "in_place"),
        (raised("ValueError", "assignment destination is read-only"), "argument_changed"),
        (raised("IndexError", "index 3 is out of bounds for axis 0 with size 3"), "index"),
        (raised("IndexError", "list index out of range"), "index"),
        (
            raised("IndexError", "too many indices for array: array is 2-dimensional, but 3 …"),
            "axis",
        ),
        (raised("IndexError", "Dimension out of range (expected to be in range of …"), "axis"),
        (raised("ValueError", "axes don't match array"), "axis"),
        (raised("RuntimeError", "batch1 must be a 3D tensor"), "axis"),
        (raised("ValueError", "cannot reshape array of size 6 into shape (2,2)"), "reshape"),
        (raised("RuntimeError", "shape '[2, 2]' is invalid for input of size 6"), "reshape"),
        (raised("TypeError", "unsupported operand type(s) for +: 'NoneType' and …"), "no_object"),
        (raised("TypeError", "softmax() takes 1 positional argument but 2 …", None), "signature"),
        (raised("TypeError", "softmax() got an unexpected keyword argument 'a'"), "arguments"),
        (raised("ValueError", "operands could not be broadcast together with shapes"), "shapes"),
        (raised("ValueError", "matmul: … has a mismatch in its core dimension 0"), "shapes"),
        (raised("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and …"), "shapes"),
        (raised("AxisError", "axis 2 is out of bounds for array of dimension 1"), "axis"),
        (raised("ValueError", "not enough values to unpack (expected 2, got 1)"), "unpacked"),
        (raised("ValueError", "The truth value of an array with more than one …"), "truth"),
        (raised("UFuncTypeError", "Cannot cast ufunc 'divide' output from …"), "cannot_write"),
        (raised("ZeroDivisionError", "division by zero"), "raised"),
        (raised("KeyError", "'shape'"), "raised"),
        (
            raised("ValueError", "wrong shape", Line(file="a.py", line=1, text="raise ValueError")),
            "refused",
        ),
        (raised("AssertionError", ""), "refused"),
        (Cause(code="timed_out", subject="softmax", message="2", place=PLACE), "timed_out"),
        (Cause(code="other_shape"), "other_shape"),
        (Cause(code="argument_changed"), "argument_changed"),
        (Cause(code="printed"), "printed"),
        (Cause(code="nothing_returned"), "nothing_returned"),
    ],
)
def test_without_a_mistake_they_are_those_of_the_kind(cause, kind):
    outcome = "timed out" if cause.code == "timed_out" else "failed"
    assert failure_kind(cause) == kind
    hints = hints_for(result(cause, outcome=outcome))
    assert len(hints) == 3
    assert not set(hints) & set(OWN)


def test_only_a_difference_of_values_has_those_of_the_check():
    for code in ("mismatch", "assertion", "no_end"):
        assert hints_for(result(Cause(code=code))) == OWN
    for code in ("crashed", "exited", "needs_first", "internal_error"):
        assert hints_for(result(Cause(code=code), outcome="crashed")) == ()
    assert hints_for(result(Cause(code="needs_first"), outcome="not run")) == ()
    assert hints_for(result(None, outcome="passed")) == ()


def test_an_answer_that_is_not_begun_has_those_of_the_check_and_a_stub_has_none():
    not_begun = result(Cause(code="not_written", subject="a_scores"))
    assert hints_for(not_begun) == OWN
    assert hints_for(msgspec.structs.replace(not_begun, place=PLACE)) == ()


def test_a_cause_behind_the_cause_comes_first():
    """In a kit, an exception of a check that cannot be judged; an import that gave no names."""
    error = raised("NameError", "name 'y' is not defined")
    open_still = Cause(code="not_recorded", because=error)
    expected = hints_for(result(error))
    assert hints_for(result(open_still, outcome="graded when handed in")) == expected
    unjudged = result(Cause(code="not_recorded"), outcome="graded when handed in")
    assert hints_for(unjudged) == ()
    imported = Cause(code="not_defined", because=Cause(code="import_failed"))
    assert hints_for(result(imported)) == HINTS["import"]


MISTAKE = ("Of the mistake?", "A property.", "A place.")


@pytest.mark.parametrize(
    ("code", "cause", "expected"),
    [
        ("named", Cause(code="other_shape"), MISTAKE),
        ("named", raised("ValueError", "wrong"), MISTAKE),
        ("named", Cause(code="argument_changed"), HINTS["argument_changed"]),
        ("two_mistakes", Cause(code="mismatch"), MISTAKE),
        ("two_mistakes", Cause(code="other_results"), HINTS["other_results"]),
        ("and_something_else", Cause(code="other_shape"), HINTS["other_shape"]),
        ("and_errors", Cause(code="mismatch"), OWN),
        ("and_errors", Cause(code="printed"), HINTS["printed"]),
    ],
)
def test_where_something_else_may_be_wrong_the_hints_are_not_those_of_the_mistake(
    code, cause, expected
):
    """Overflow has no part in an array of whole numbers that cannot be written to."""
    diagnosis = Diagnosis(kind="named", finding="It overflows.", code=code)
    evidence = Evidence(function="softmax")
    found = msgspec.structs.replace(result(cause, diagnosis, MISTAKE), evidence=evidence)
    assert hints_for(found) == expected


def test_a_value_in_the_file_is_not_returned():
    for code in ("other_shape", "other_kind"):
        value = msgspec.structs.replace(result(Cause(code=code)), place=PLACE)
        said = " ".join(hints_for(value))
        assert "in line 4 of softmax.py" in said and "return" not in said
        returned = msgspec.structs.replace(value, evidence=Evidence(function="softmax"))
        assert hints_for(returned) == HINTS[code]


def test_what_the_diagnosis_says_comes_before_the_cause():
    depends = Diagnosis(kind="located", finding="It depends.", code="order_dependent")
    assert failure_kind(raised("NameError", "name 'y' is not defined"), depends) == (
        "order_dependent"
    )


def test_they_name_what_python_named_and_the_line():
    first, _, last = hints_for(result(raised("NameError", "name 'y' is not defined")))
    assert first == "Where in your file does `y` get its value?"
    assert last.startswith("Look in line 4 of softmax.py, ")
    library = hints_for(result(raised("NameError", "name 'np' is not defined")))
    assert library[2] == "Write `import numpy as np` at the top of the file."


def test_a_hidden_check_names_no_line():
    hints = hints_for(result(raised("KeyError", "'a'"), hidden=True))
    assert not any("line 4" in hint for hint in hints)


NUMPY = "import numpy as np\n"
RIGHT = "    e = np.exp(x - np.max(x, axis=axis, keepdims=True))\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (f"{NUMPY}def softmax(x, axis=-1):\n    return np.exp(y)\n", "name"),
        ("def softmax(x, axis=-1):\n    return np.exp(x)\n", "library"),
        (f"{NUMPY}def softmax(x, axis=-1):\n    e = np.exp(x)\n", "nothing_returned"),
        (f"{NUMPY}def softmax(x, axis=-1):\n    print(np.exp(x))\n", "printed"),
        pytest.param(
            f"{NUMPY}def softmax(x, axis=-1):\n    while True:\n        x = x\n",
            "timed_out",
            marks=pytest.mark.thorough,  # ten seconds
        ),
        (f"{NUMPY}def softmax(x):\n    return np.exp(x)\n", None),
        (f"{NUMPY}def softmax(x, axis=-1):\n    return x @ np.ones((9, 2))\n", "shapes"),
        (f"{NUMPY}def softmax(x, axis=-1):\n    return np.exp(x).summ()\n", "attribute"),
        (f"{NUMPY}def softmax(values, axis=-1):\n{RIGHT}    return e\n", "name"),
    ],
)
def test_no_mistake_in_python_gets_a_hint_about_exponentials(grade_text, code, kind):
    """A NameError, a missing import or return, a timeout: none is about what a softmax is."""
    first = next(check for check in grade_text("softmax", code).checks if check.hints)
    of_check = first.hints[0].startswith("What are the exponentials")
    assert of_check == (kind is None)
    if kind is not None:
        assert first.hints[1] == HINTS[kind][1].replace("{name}", "np")
