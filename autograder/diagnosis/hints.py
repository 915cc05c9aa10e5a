"""Choice of the hints for a failed check.

Hints come from the diagnosed mistake, else from the kind of failure, else from the check. The
number of attempts and the hint policy decide how many hints a student sees.
"""

import itertools
import re
from collections.abc import Mapping

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.report.model import Cause, CheckReport, Diagnosis
from autograder.report.presentation import first_cause

Three = tuple[str, str, str]

ENDED = frozenset({"failed", "timed out", "crashed", "graded when handed in"})
# Kinds of failures for which only the check has hints.
OF_THE_CHECK = frozenset({"mismatch", "assertion", "no_end", "unreadable_answer"})
# Mistakes of a function that should refuse its arguments, as `expect_error` names them.
OF_ERRORS = {"not-refused", "not-checked", "another-error", "assert-in-its-place"}
OF_ERRORS |= {"another-message", "message-says-too-little"}
IMPORTS = {
    "np": "import numpy as np",
    "torch": "import torch",
    "nn": "from torch import nn",
    "plt": "import matplotlib.pyplot as plt",
    "math": "import math",
}
# The kinds of exceptions, by class and by a part of Python's message. The first kind that fits is
# used.
EXCEPTIONS = (
    ("import", "ImportError ModuleNotFoundError", ""),
    ("unset", "UnboundLocalError", ""),
    ("name", "NameError", ""),
    ("no_object", "TypeError AttributeError", "(?<!=)NoneType"),
    ("comma", "TypeError", "list indices must be integers or slices, not (?:list|tuple)"),
    ("power", "TypeError", r"type\(s\) for \^|ufunc 'bitwise_xor'"),
    ("cannot_write", "TypeError UFuncTypeError UFuncOutputCastingError", "annot cast ufunc"),
    ("argument_changed", "ValueError RuntimeError", "read-only|leaf Variable"),
    ("in_place", "RuntimeError", "inplace operation"),
    ("no_numpy", "RuntimeError", "that requires grad"),
    ("two_results", "TypeError AttributeError", r"torch\.return_types"),
    ("parent_init", "AttributeError", r"before Module\.__init__"),
    ("not_in_module", "AttributeError", "^module "),
    ("attribute", "AttributeError", "no attribute"),
    ("truth", "ValueError RuntimeError", "truth value|Boolean value"),
    ("unpacked", "ValueError", "values to unpack"),
    ("index", "IndexError", "index .*out of "),
    ("axis", "AxisError", ""),
    ("axis", "ValueError IndexError", "Dimension out|axes don't match|too many indices"),
    ("axis", "RuntimeError", r"batch\d must be a 3D tensor"),
    ("reshape", "ValueError RuntimeError", "cannot reshape|invalid for input of size"),
    ("shapes", "ValueError RuntimeError IndexError", "shape|size|dimension|axes"),
    ("arguments", "TypeError AttributeError", r"(positional|keyword|required .*) argument"),
)

OF_MISTAKES: Mapping[tuple[str, ...], str] = {("remembers",): "order_dependent"}
# The three hints for each kind: a question, a property, a place. `name` is replaced by the name in
# the exception, and `where` by the line that raised the exception.
HINTS: Mapping[str, Three] = {
    "import": (
        "Which of your imports fails, and does the exercise need it?",
        "Python imports installed packages and files in your folder. It imports only names that "
        "are defined outside all functions.",
        "Compare your imports with those of the original file. The exercise needs no others.",
    ),
    "library": (
        "Which line of your file imports `{name}`?",
        "`{name}` is not a part of Python itself. An import at the top of the file defines it.",
        "Write `{line}` at the top of the file.",
    ),
    "name": (
        "Where in your file does `{name}` get its value?",
        "An assignment, `def`, import or parameter defines a name. Small and capital letters "
        "differ.",
        "Look {where}, and for an earlier line that makes exactly this name.",
    ),
    "unset": (
        "On which path through the function does `{name}` get no value?",
        "A name that a function assigns has no value in this function before the assignment.",
        "Give `{name}` a value before the `if` or the loop.",
    ),
    "no_object": (
        "Which name is None {where}?",
        "A function without `return` returns None. An argument that was left out may be None.",
        "Print each name just before the line that fails.",
    ),
    "comma": (
        "Is there a comma between every two rows {where}?",
        "Brackets right after a list are an index: `[1, 2] [3, 4]` asks for an entry of `[1, 2]`.",
        "Put a comma between `]` and `[`.",
    ),
    "power": (
        "Which sign stands for a power {where}? In Python, it is `**`.",
        "`2 ** 0.5` is the square root of 2. `^` is XOR, which works only for whole numbers.",
        "Write `**` instead of `^`.",
    ),
    "cannot_write": (
        "Which type do the entries of the changed array have {where}?",
        "`+=`, `/=` and `[...] =` keep the array and its type. An int array stores no decimals.",
        "Make a new array: write `x = x / 2` instead of `x /= 2`.",
    ),
    "in_place": (
        "Which line changes a tensor in place, as `x.mul_(…)`, `x += …` or `inplace=True` do?",
        "To compute gradients, torch needs each value as it was. A change in place overwrites it.",
        "Make a new tensor: write `x = x * …` instead of `x.mul_(…)` or `x *= …`.",
    ),
    "no_numpy": (
        "Which operation of torch can replace NumPy {where}?",
        "No gradient goes through NumPy or `detach()`. It goes only through torch's operations.",
        "Keep every value between the inputs and the output a tensor.",
    ),
    "not_in_module": (
        "Does this library have a function with the name after the dot {where}?",
        "A function of one library may be missing in another, or have another name.",
        "Look up the function in the library's documentation, and compare the spelling.",
    ),
    "own_attribute": (
        "Which line of your class sets `self.{name}`?",
        "The name exists only after `__init__` has assigned it. Small and capital letters differ.",
        "Look {where}, and compare the name with its assignment.",
    ),
    "attribute": (
        "Of which type is the value before the dot {where}?",
        "Lists, arrays and tensors have different methods. A function needs `()` after it.",
        "Print type(…) of the value before the dot.",
    ),
    "parent_init": (
        "Where does `__init__` call the `__init__` of its parent class?",
        "A class derived from nn.Module cannot store layers before nn.Module's `__init__` runs.",
        "Write `super().__init__()` as the first line of `__init__`.",
    ),
    "two_results": (
        "How many results does `max` with `dim` have {where}?",
        "With `dim`, `max` and `min` of torch return two results: the values and the indices.",
        "Take the values: x.max(dim=-1, keepdim=True).values, or torch.amax(x, -1, keepdim=True).",
    ),
    "truth": (
        "Which value {where} is an array, although Python needs a single truth value there?",
        "`where` (np, torch) chooses entry by entry. Python's own `max` compares whole rows.",
        "`x is not None` tests if x has a value. .any() and .all() make a single True or False.",
    ),
    "unpacked": (
        "How many values does Python unpack {where}, and into how many names?",
        "`a, b = …` and `for a, b in …` take two values. A shape has one size for each axis.",
        "Print the shape just before that line. Write as many names as it has sizes.",
    ),
    "index": (
        "Which index is too large {where}?",
        "An axis or a tuple with n entries has the indices 0 to n − 1.",
        "Print the index and the array's shape just before the line that fails.",
    ),
    "reshape": (
        "Does an array of the new shape have as many elements as your array {where}?",
        "A reshape keeps all numbers: the product of the sizes stays the same.",
        "Print the array's shape just before the reshape.",
    ),
    "axis": (
        "How many axes does each array have {where}?",
        "An array with n axes has the axes 0 to n − 1. Counted from the end, −1 is the last axis.",
        "Print the shape of each array just before the line that fails.",
    ),
    "shapes": (
        "What is the shape of each array {where}?",
        "Broadcasting compares sizes from the last axis to the first. Two sizes fit if they "
        "are equal, or if one of them is 1. In `A @ B`, the last axis of A must be as long as "
        "the second-last axis of B.",
        "Print each shape just before the line that fails.",
    ),
    "signature": (
        "Which parameters does the first line of `{name}` have in the file that you were given?",
        "The grader calls the function with these parameters, in this order.",
        "Compare your line `def {name}(…)` with the same line of the given file.",
    ),
    "arguments": (
        "Which arguments does the code pass {where}?",
        "A call of a function needs the function's arguments. A call of a class needs "
        "the arguments of __init__, without self.",
        "Compare the call with the first line of the function, or with help(…) of the function.",
    ),
    "refused": (
        "Which condition leads to the `raise` or `assert` {where}?",
        "This check expects a result. Your `raise` or `assert` should not stop this call.",
        "Compare the condition with the text: should this call be refused?",
    ),
    "raised": (
        "Which values do the names have {where}?",
        "The error ends the function at the line that fails. The lines before this line have run.",
        "Make the same call yourself, and print each name just before the line that fails.",
    ),
    "endless_recursion": (
        "In which case does the function return a result without calling itself?",
        "Each call has to come nearer to a case without a further call.",
        "Look {where}, and print the argument with which the function calls itself.",
    ),
    "out_of_memory": (
        "Which array is very large, or which list grows in a loop that does not end?",
        "The sizes of an array multiply: 10,000 rows of 10,000 numbers need 800 MB.",
        "Look {where}. Print the shape of each array, or the length of each list, before it.",
    ),
    "not_python": (
        "Which sign may be missing {where}: a bracket, a quote or a `:`?",
        "Python notices a missing sign only where it cannot read on. This is often one line later.",
        "Look {where}, and at the line above it.",
    ),
    "indentation": (
        "How far are the lines of a block indented {where}, and before it?",
        "Lines of a block begin at the same column. A tab is not the same as spaces.",
        "Look {where}, and at the line with `:` above it. Type the spaces of the lines again.",
    ),
    "not_defined": (
        "Is `{name}` in your file spelled exactly as in the text?",
        "The grader finds only names that are defined outside all functions and classes.",
        "Copy the name from the file that you were given, and begin its line without spaces.",
    ),
    "timed_out": (
        "What makes the loop {where} end?",
        "A `while` loop runs while its condition is true. A `for` over many entries is slow.",
        "Print the values of the condition, but only in the first ten rounds.",
    ),
    "load_timed_out": (
        "Which line outside every function runs for so long?",
        "The whole file runs before any function is called.",
        'Put the slow line below `if __name__ == "__main__":`. There it runs only when you '
        "start the file yourself.",
    ),
    "nothing_returned": (
        "Which line ends your function in this call? Does this line return the result?",
        "A function returns the value after `return`. An assignment is not enough.",
        "End the function with `return` and the name of your result, on every path through it.",
    ),
    "return-in-loop": (
        "How many rounds does the loop make before the function returns?",
        "A `return` ends the function at once, even in the middle of a loop.",
        "Move the `return` below the loop: indent it as far as the `for`.",
    ),
    "printed": (
        "What does a call of your function return?",
        "`print` only shows a value. Without `return`, a function returns None.",
        "Write `return` instead of the last `print`, and put the same value after it.",
    ),
    "other_shape": (
        "How does the shape of your result differ from the shape in the text?",
        "`A @ B` has the rows of A and the columns of B. A sum along an axis removes that axis.",
        "Print the shape after each line, and look for the first unexpected shape.",
    ),
    "other_kind": (
        "What does your function return: of which type, and with how many numbers in each row?",
        "The text says what is returned: numbers, an array, a list, a dict or a figure.",
        "Print the value and its type(…) just before the `return`.",
    ),
    "value": (
        "How many rows of how many numbers are {where}?",
        'A row is a list of numbers. `"0.5"` is text, and `0,5` is two numbers.',
        "Count the numbers in each row {where}. Write them without quotes and with a decimal "
        "point.",
    ),
    "other_results": (
        "How many values are after your `return`?",
        "`return a, b` returns two results, in that order.",
        "Compare your `return` with the results that the text names, one by one.",
    ),
    "argument_changed": (
        "Does a line change an argument, such as `x -= …`, `x[...] = …` or `x.shape = …`?",
        "An array that is passed to a function belongs to the caller.",
        "Make a new array: write `x = x - …` instead of `x -= …`.",
    ),
    "order_dependent": (
        "Which line uses random numbers, or something that an earlier call left behind?",
        "The same arguments should give the same result, whatever was called before.",
        "Look for a global name, a default such as `x=[]`, and attributes that your code sets.",
    ),
    "always_same": (
        "Which lines of your function use its parameters?",
        "A fixed result for one example is wrong for other examples.",
        "Replace a fixed number or a fixed array by the parameter.",
    ),
}


def hints_for(result: CheckResult) -> tuple[str, ...]:
    """Return the hints for a check's result in order. Only failed checks have hints."""
    if result.cause is None or result.outcome not in ENDED:
        return ()
    cause = first_cause(result.cause)
    kind = failure_kind(cause, result.diagnosis)
    if result.hints and not _may_have_another_reason(result, kind):
        return result.hints
    if kind in OF_THE_CHECK or (kind == "not_written" and result.place is None):
        return result.check.hints
    if not getattr(result.evidence, "function", "") and kind in {"other_shape", "other_kind"}:
        kind, cause = "value", msgspec.structs.replace(cause, place=result.place)
    return _filled(HINTS[kind], cause, result.hidden) if kind in HINTS else ()


def _may_have_another_reason(result: CheckResult, kind: str) -> bool:
    """Return True if the check may fail for another reason than the mistake that has hints."""
    code, own = getattr(result.diagnosis, "code", ""), getattr(result.own, "misconceptions", ())
    if kind == "argument_changed" or code == "and_errors" or not OF_ERRORS.isdisjoint(own):
        return True
    if kind not in OF_THE_CHECK:
        return code in {"two_mistakes", "and_something_else"}
    cells = itertools.chain(*getattr(getattr(result.evidence, "yours", None), "rows", ()))
    return code == "two_mistakes" and any(isinstance(cell, str) for cell in cells)  # NaN


def _filled(hints: Three, cause: Cause, hidden: bool) -> tuple[str, ...]:
    place, name, where = cause.place, _name(cause), "in the line that fails"
    if place is not None and not hidden:
        where = f"in line {place.line} of {place.file}"
    line = IMPORTS.get(name, "")
    return tuple(hint.format(where=where, name=name or "it", line=line) for hint in hints)


def failure_kind(cause: Cause, diagnosis: Diagnosis | None = None) -> str:
    """Return the kind of a failure: a key of `HINTS`, or else the error code of the cause."""
    if diagnosis is not None:
        code = OF_MISTAKES.get(diagnosis.misconceptions, diagnosis.code)
        if code in HINTS:
            return code
    cause = first_cause(cause)
    place = cause.place
    if cause.error in {"IndentationError", "TabError"}:
        return "indentation"
    if cause.error == "SyntaxError" and cause.message.startswith("leading zeros"):
        return "value"
    code = {"import_failed": "import", "not_comparable": "other_kind"}.get(cause.code, cause.code)
    if code != "raised":
        return code
    if cause.error == "AssertionError" or (place is not None and place.text.startswith("raise")):
        return "refused"
    for kind, errors, message in EXCEPTIONS:
        if cause.error in errors.split() and re.search(message, cause.message):
            return _nearer(kind, cause)
    return "raised"


def _nearer(kind: str, cause: Cause) -> str:
    place = cause.place
    if cause.library and kind in {"name", "unset", "attribute"}:
        return "raised"  # the exception is about names and values inside a library
    if kind == "comma" and (place is None or place.text[place.column] != "["):
        return "raised"  # the brackets follow a name
    if kind == "name" and _name(cause) in IMPORTS:
        return "library"
    if kind == "attribute" and cause.message.startswith(f"'{cause.subject}' object"):
        return "own_attribute"
    return "signature" if kind == "arguments" and place is None else kind


def way_of_failing(check: CheckReport) -> str:
    """Return a text that is equal for two checks which fail in the same way."""
    diagnosis, cause = check.diagnosis, check.cause
    names = diagnosis.misconceptions if diagnosis is not None else ()
    ways = sorted(names) or [failure_kind(cause, diagnosis) if cause is not None else check.outcome]
    function = diagnosis.function if diagnosis is not None else ""
    called = check.evidence.function if check.evidence is not None else ""
    return f"{'+'.join(ways)} {function or called}".strip()


def _name(cause: Cause) -> str:
    found = re.search(r"(?:name|variable|attribute) '(\w{1,60})'", cause.message)
    return found[1] if found is not None else cause.subject
