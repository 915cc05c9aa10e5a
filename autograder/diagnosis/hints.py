"""Hints of a failed check: those of its mistake, else of the kind of failure, else the check's own.

This is the one place that chooses. How many of them a student sees is for the student's attempts
and for the redaction of a report.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from autograder.checks.check_result import CheckResult
from autograder.report.model import Cause, CheckOutcome, CheckReport, Diagnosis
from autograder.report.presentation import first_cause

Three = tuple[str, str, str]

ENDED: frozenset[CheckOutcome] = frozenset(
    {"failed", "timed out", "crashed", "graded when handed in"}
)
# Kinds of failures that only the check knows something about.
OF_THE_CHECK = frozenset({"mismatch", "assertion", "no_end", "unreadable_answer"})
IMPORTS = {
    "np": "import numpy as np",
    "torch": "import torch",
    "nn": "from torch import nn",
    "plt": "import matplotlib.pyplot as plt",
    "math": "import math",
}


class _Rule(NamedTuple):
    """The exceptions of one kind: their classes, and what Python's message has in it."""

    kind: str
    errors: frozenset[str]
    message: str = ""


def _rule(kind: str, errors: str, message: str = "") -> _Rule:
    return _Rule(kind, frozenset(errors.split()), message)


# The first that fits is the kind of an exception.
EXCEPTIONS = (
    _rule("import", "ImportError ModuleNotFoundError"),
    _rule("unset", "UnboundLocalError"),
    _rule("name", "NameError"),
    _rule("no_object", "TypeError AttributeError", "NoneType"),
    _rule(
        "cannot_write",
        "TypeError ValueError RuntimeError UFuncTypeError UFuncOutputCastingError",
        r"annot cast ufunc|read-only|leaf Variable",
    ),
    _rule("parent_init", "AttributeError", r"before Module\.__init__"),
    _rule("attribute", "AttributeError", "no attribute"),
    _rule("truth", "ValueError RuntimeError", "truth value|Boolean value"),
    _rule("unpacked", "ValueError", "values to unpack"),
    _rule("axis", "AxisError ValueError IndexError RuntimeError", r"axis \S+ is out|Dimension out"),
    _rule(
        "shapes",
        "ValueError RuntimeError IndexError",
        r"core dimension|not aligned|broadcast|cannot reshape|shape|size|dimensions|axes",
    ),
    _rule("arguments", "TypeError AttributeError", r"(positional|keyword|required .*) argument"),
)

# A question, a property, a place; `name` is what the exception speaks of, `where` its line.
HINTS: Mapping[str, Three] = {
    "import": (
        "Is there a package, or a file in this folder, of exactly that name?",
        "`import` finds packages that are installed, and files that lie beside yours.",
        "Compare the line of the import, letter by letter, with the file that you were given.",
    ),
    "library": (
        "Which line of your file imports `{name}`?",
        "`{name}` is no part of Python itself: an import at the top of the file makes the name.",
        "Write `{line}` at the top of the file.",
    ),
    "name": (
        "Where in your file does `{name}` get its value?",
        "A name is there once an assignment, a `def`, an import or a parameter has made it. Small "
        "and capital letters differ.",
        "Look {where}: is the name spelled as where it is made, and is it made before?",
    ),
    "unset": (
        "On which way through the function does `{name}` get no value?",
        "A name that a function assigns is the function's own, from its first line on: until the "
        "assignment has run, it has no value.",
        "Give `{name}` a value before the `if` or the loop; then look {where} again.",
    ),
    "no_object": (
        "Which name is None {where}?",
        "A function without `return` gives None, and so does an argument that was left out.",
        "Print each name just before that line: the one that shows None comes from further up.",
    ),
    "cannot_write": (
        "Which array is written into {where}, and of which type are its entries?",
        "`+=`, `/=` and `[...] =` keep the array and its type: whole numbers take no decimals.",
        "Make a new array in that line: `x = x / 2` does, `x /= 2` does not.",
    ),
    "attribute": (
        "Of which type is the value before the dot {where}?",
        "A list, a number and an array have different methods; np.asarray makes an array of a "
        "list.",
        "Print type(…) of that value just before the line, and compare the spelling behind the "
        "dot.",
    ),
    "parent_init": (
        "Where does `__init__` call that of the class it is derived from?",
        "A class that is derived from nn.Module takes layers once nn.Module has been set up.",
        "Write `super().__init__()` as the first line of `__init__`.",
    ),
    "truth": (
        "Is the condition {where} one truth value, or an array of them?",
        "`if`, `and` and `or` need one truth value. np.where chooses entry by entry.",
        "Use np.where there, or .any() or .all() if one answer is meant.",
    ),
    "unpacked": (
        "How many values stand on each side of the `=` {where}?",
        "`a, b = …` takes exactly two values, and a shape has one size for each axis.",
        "Take the sizes one by one: x.shape[-1] and x.shape[-2] work for any number of axes.",
    ),
    "axis": (
        "How many axes does the array have {where}?",
        "An array with n axes has the axes 0 to n − 1. Counted from the end, −1 is the last one.",
        "Print the array's shape just before that line, and compare it with the axis asked for.",
    ),
    "shapes": (
        "Which shape has each array {where}?",
        "Sizes are compared from the last axis on: two fit if they are equal or one is 1. In "
        "`A @ B` the last axis of A is as long as the last but one of B.",
        "Print each shape just before that line. Which axis has to change places, to be kept "
        "(keepdims=True) or to be added?",
    ),
    "signature": (
        "Which parameters does the first line of `{name}` have in the file that you were given?",
        "The grader calls the function as the text does: with these parameters, in this order.",
        "Compare your line `def {name}(…)` with that one, and put back what is missing.",
    ),
    "arguments": (
        "Which function is called {where}, and with which arguments?",
        "A call gives a function as many arguments as it needs, by the names that it knows.",
        "Compare the call with the function's first line, or with help(…) of it.",
    ),
    "refused": (
        "Which condition leads to the `raise` or `assert` {where}?",
        "This check expects a result for this call, so the condition is true too often.",
        "Compare the condition with the text: which calls are to be refused, and is this one?",
    ),
    "raised": (
        "Which values do the names have {where}?",
        "The error ends the function at that line; the lines before it have run.",
        "Make the same call yourself, and print each name just before that line.",
    ),
    "endless_recursion": (
        "In which case does the function give a result without calling itself?",
        "Each call has to come nearer to that case, or the calls never end.",
        "Look {where}: with which argument does the function call itself, and is it smaller?",
    ),
    "out_of_memory": (
        "How many numbers does the largest array of your function hold?",
        "An array's sizes multiply: 10,000 rows of 10,000 numbers take 800 MB.",
        "Print the shape of each array as it is made, and look for one that is too large.",
    ),
    "not_python": (
        "Is every bracket and every quote closed there, and is there a `:` after def, if and for?",
        "Python notices a missing sign only where it can read no further, often a line later.",
        "Look {where}, and at the line above it.",
    ),
    "not_defined": (
        "Is `{name}` in your file spelled exactly as in the text?",
        "The grader finds names outside every function and class. One inside is not seen.",
        "Copy the name from the file that you were given, and let its line begin at the margin.",
    ),
    "timed_out": (
        "What makes the loop {where} end, and does the loop change that?",
        "A `while` goes on for as long as its condition is true. A `for` over many entries is "
        "slow where NumPy takes a whole array at once.",
        "Print what the condition looks at, in the first ten rounds only.",
    ),
    "load_timed_out": (
        "Which line outside every function runs for so long?",
        "The whole file runs before any function is called.",
        'Put that line below `if __name__ == "__main__":`, which runs for you alone.',
    ),
    "nothing_returned": (
        "What does the last line of your function do with what was computed?",
        "A function hands back what stands after `return`; assigning is not enough.",
        "End the function with `return` and the name of your result, on every path through it.",
    ),
    "printed": (
        "What does whoever calls your function get back from it?",
        "`print` shows a value on the screen. Only `return` hands it back, so a function that "
        "prints its result gives None.",
        "Write `return` in place of the last `print`, with the same value behind it.",
    ),
    "other_shape": (
        "Which shape does the text ask for, and which one has your result?",
        "A sum, a mean or a maximum along an axis takes that axis away; keepdims=True keeps it, "
        "with the size 1.",
        "Print the shape after each line: which is the first that you did not expect?",
    ),
    "other_kind": (
        "Of which type is the value that you return?",
        "The text asks for numbers, in an array where there are several.",
        "Print type(…) of the value just before the `return`, and see which line made it so.",
    ),
    "other_results": (
        "How many values stand after your `return`?",
        "`return a, b` hands back two results, in that order.",
        "Compare your `return` with the results that the text names, one by one.",
    ),
    "argument_changed": (
        "Does a line write into a parameter, such as `x -= …` or `x[...] = …`?",
        "An array that is passed to a function is the caller's own: changes are seen outside.",
        "Make a new array: `x = x - …` does, `x -= …` does not.",
    ),
    "order_dependent": (
        "What does your function still have from an earlier call?",
        "The same arguments give the same result, whatever was called before.",
        "Look for a global name, a default such as `x=[]`, and attributes that are written to.",
    ),
    "always_same": (
        "Which lines of your function use its parameters?",
        "A result that was worked out for one example is wrong for the others.",
        "Put the parameter where a fixed number or a fixed array stands now.",
    ),
}


def hints_for(result: CheckResult) -> tuple[str, ...]:
    """Return the hints of a check's result, from the first to the last; none if it did not fail."""
    if result.cause is None or result.outcome not in ENDED:
        return ()
    if result.hints:
        return result.hints
    cause = first_cause(result.cause)
    kind = failure_kind(cause, result.diagnosis)
    if kind in OF_THE_CHECK or (kind == "not_written" and result.place is None):
        return result.check.hints
    return _filled(HINTS[kind], cause, result.hidden) if kind in HINTS else ()


def failure_kind(cause: Cause, diagnosis: Diagnosis | None = None) -> str:
    """Return the kind of a failure, by its codes: a key of `HINTS`, or the code of its cause."""
    if diagnosis is not None and diagnosis.code in HINTS:
        return diagnosis.code
    cause = first_cause(cause)
    if cause.code != "raised":
        return "import" if cause.code == "import_failed" else cause.code
    place = cause.place
    if cause.error == "AssertionError" or (place is not None and place.text.startswith("raise")):
        return "refused"
    for kind, errors, message in EXCEPTIONS:
        if cause.error in errors and re.search(message, cause.message):
            return _nearer(kind, cause)
    return "raised"


def _nearer(kind: str, cause: Cause) -> str:
    """Return the kind of an exception that has two: by the name, or by where it was raised."""
    if kind == "name" and _name(cause) in IMPORTS:
        return "library"
    return "signature" if kind == "arguments" and cause.place is None else kind


def way_of_failing(check: CheckReport) -> str:
    """Return what two attempts have in common that fail the same way: a code and a function."""
    diagnosis, cause = check.diagnosis, check.cause
    names = diagnosis.misconceptions if diagnosis is not None else ()
    ways = sorted(names) or [failure_kind(cause, diagnosis) if cause is not None else check.outcome]
    function = diagnosis.function if diagnosis is not None else ""
    called = check.evidence.function if check.evidence is not None else ""
    return f"{'+'.join(ways)} {function or called}".strip()


def _name(cause: Cause) -> str:
    """Return the name that a message of Python's speaks of, or else what was asked for."""
    found = re.search(r"(?:name|variable) '(\w{1,60})'", cause.message)
    return found[1] if found is not None else cause.subject


def _filled(hints: Three, cause: Cause, hidden: bool) -> tuple[str, ...]:
    """Return the hints with their names; of a hidden check without a line of the student's."""
    place, name = cause.place, _name(cause)
    where = f"in line {place.line} of {place.file}" if place is not None else "there"
    return tuple(
        hint.format(
            where="there" if hidden else where, name=name or "it", line=IMPORTS.get(name, "")
        )
        for hint in hints
    )
