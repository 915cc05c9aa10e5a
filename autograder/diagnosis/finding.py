"""Diagnoses, with a diagnosis code and fields, and the engine's sentences about wrong results."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from autograder.course.text import are, capital, printable, uncapital
from autograder.diagnosis.recipe import Misconception
from autograder.report.model import Diagnosis, DiagnosisCode, Line, Statement

MAX_FINDING = 1500
SCOPED = re.compile(r"\{([^{}|]*)\|?([^{}]*)\}")
ONLY_CAUSE = re.compile("([Yy]our) numbers (?:are|match) (?:a (?:call|module) with )?")


@dataclass(frozen=True)
class Finding:
    """Diagnosis of a function's results. The docstring of `Diagnosis` describes the fields."""

    kind: Literal["named", "located", "error"]
    says: str
    misconceptions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    told: str = ""
    places: tuple[Line, ...] = ()
    code: DiagnosisCode = "value"
    calls: str = ""
    statements: tuple[Statement, ...] = ()

    @property
    def tells_only_errors(self) -> bool:
        return [statement.code for statement in self.statements] == ["some_stop"]

    def with_more(self, *statements: Statement) -> "Finding":
        """Return the finding, with these statements at the end."""
        says = " ".join([self.says, *map(sentence, statements)])
        return replace(self, says=says, statements=(*self.statements, *statements))

    def about(self, function: str) -> Diagnosis:
        """Return the diagnosis of `function` as a record for the report."""
        statements = (
            stated(s.code, **{n: printable(text, MAX_FINDING) for n, text in s.values.items()})
            for s in self.statements
        )
        return Diagnosis(
            kind=self.kind,
            code=self.code,
            calls=self.calls,
            statements=tuple(statements),
            finding=printable(self.says, MAX_FINDING),
            misconceptions=self.misconceptions,
            function=function,
            told=printable(self.told, MAX_FINDING),
            places=self.places,
        )


DEPENDS = "So the result depends on earlier calls."
# The sentence for each statement about the answers, by the statement's code.
STATEMENTS: Mapping[str, str] = {
    "always_same": "In every tested call, the result is the same, whatever the arguments are.",
    "order_dependent": (
        "The same call gives another result after other calls. So the result depends on chance, "
        "or on something that an earlier call left behind."
    ),
    "right_alone": f"A call that is right alone is wrong after other calls. {DEPENDS}",
    "stops_after": f"A call that gives a result alone stops after other calls. {DEPENDS}",
    "differs_alone": f"A call gives another result alone than after other calls. {DEPENDS}",
    "keeps_results": "Line {line} stores the results of {name} for later calls.",
    "writes_attribute": "Line {line} sets {name}, and this value stays after the call.",
    "sets_global": "Line {line} changes the value of the global name {name}.",
    "writes_default": "Line {line} changes the default value of {name}, which is made only once.",
    "writes_outside": "Line {line} changes {name}, and this change stays after the call.",
    "error": "{error}",
    "some_stop": "{error} Some other calls return a wrong result.",
    "also_stop": "In some calls, {error}",
    "only_nan": "In every call, all numbers in the results are NaN (not a number).",
    "right_and_wrong": (
        "The grader also tried {count} other inputs. {Wrong}, your code is wrong each time. "
        "{Right}, it is right each time."
    ),
    "right_and_error": (
        "The grader also tried {count} other inputs. {Wrong}, your code stops with an error "
        "each time. {Right}, it is right each time. {error}"
    ),
    "wrong_only": "{Wrong}, your code is wrong for some tested inputs.",
    "fact": "{says}",
    "measure": "{says}",
    "right_result": "{Right} {is_right} right. {Wrong} {is_wrong} wrong.",
    "times_number": "Every number{of} is {factor} times the right number.",
    "plus_number": "Every number{of} is the right number {amount}.",
    "other_order": "All the right numbers{of} are there, but some of them are in the wrong places.",
    "other_alone": "A call alone shows another mistake. {says}",
    "changes_argument": "Your code changes its argument {name}, so the caller's array is changed.",
    "equal_results": "{first} and {second} are equal in every wrong call, like one array.",
    "equal_rows": "In every wrong call, all rows of {what} are equal.",
    "reshaped": "All numbers{of} are right and in the right order. Only the shape is wrong.",
    "rearranged": "All the right numbers{of} are there, but in another shape and in other places.",
    "cut": "The numbers{of} are right, but the last ones along an axis are missing.",
    "too_long": "The right numbers{of} are there, but more numbers follow them along an axis.",
    "shape_in_names": "The shape of {what} is {shape}. It should be {expected}.",
}
# Sentences about misconceptions, by the code of the diagnosis. `first` and `second` are replaced by
# the findings of the misconceptions.
NAMED: Mapping[str, str] = {
    "named": "{first}",
    "in_some_calls": "{Calls}: {first_part}",
    "in_wrong_calls": "{Calls}: {first_part}",
    "and_errors": "{Calls}: {first_part} Some other calls stop with an error.",
    "two_mistakes": "There are two mistakes. 1: {first} 2: {second}",
    "and_something_else": "{first} Something else is wrong too.",
}


def stated(code: str, **values: str) -> Statement:
    return Statement(code=code, values=values)


def sentence(statement: Statement) -> str:
    values = statement.values
    right, wrong, result = (values.get(name, "") for name in ("right", "wrong", "result"))
    return STATEMENTS[statement.code].format(
        **values,
        of=f" of {result}" if result else "",
        Right=capital(right),
        Wrong=capital(wrong),
        is_right=are(right),
        is_wrong=are(wrong),
    )


def located(
    code: DiagnosisCode,
    *statements: Statement,
    names: tuple[str, ...] = (),
    stops: bool = False,
    shows_error: bool = False,
) -> Finding:
    """Return a diagnosis that consists of statements about the results.

    With `stops`, some calls stop with an error, so only the first statement is true of all calls.
    If `shows_error` is true, the report shows a call that stops.
    """
    first, *more = map(sentence, statements)
    says, wrong = " ".join([first, *more]), " ".join(more)
    if statements[0].code == "some_stop" and not shows_error:
        says = f"{wrong} In other calls, " if more else "In some calls, "
        says += statements[0].values["error"]
    elif more and stops and statements[1].code != "also_stop":
        says = f"{first} In calls that return a wrong result: {uncapital(wrong)}"
    kind: Literal["located", "error"] = "error" if code == "error" else "located"
    return Finding(kind, says, names, code=code, statements=statements)


def with_error(finding: Finding, error: str) -> Finding:
    if not any("error" in statement.values for statement in finding.statements):
        return finding
    statements = (
        stated(s.code, **{name: error if name == "error" else v for name, v in s.values.items()})
        for s in finding.statements
    )
    return located(
        finding.code, *statements, names=finding.misconceptions, stops=True, shows_error=True
    )


def worded(code: DiagnosisCode, finding: str, *, stops: bool = False) -> str:
    """Return a misconception's sentence in the form that fits the diagnosis.

    The report uses parts in braces only if the misconception explains all results. With `stops`,
    some calls stop with an error, so the sentence is about the program code instead of the results.
    """
    if code == "named" and not stops:
        return SCOPED.sub(r"\1", finding)
    text = capital(SCOPED.sub(r"\2", finding))
    is_alone = code in {"in_some_calls", "in_wrong_calls", "and_errors"} and not stops
    return text if is_alone else ONLY_CAUSE.sub(r"\1 code has the effect of ", text)


def named(
    code: DiagnosisCode, *misconceptions: Misconception, calls: str = "", stops: bool = False
) -> Finding:
    """Return a diagnosis that names misconceptions, with the hints of the first.

    If only some calls show the misconception, `calls` describes these calls. A hidden check may
    show this diagnosis, because its sentences come from the course and contain no values.
    """
    first, second = (*(worded(code, m.finding, stops=stops) for m in misconceptions), "")[:2]
    says = NAMED[code].format(
        first=first, second=second, first_part=uncapital(first), Calls=capital(calls)
    )
    statements = tuple(  # for the class summary: the sentence of each misconception alone
        stated("misconception", mistake=wrong.id, says=worded("named", wrong.finding))
        for wrong in misconceptions
        if code != "named"
    )
    ids, hints = tuple(wrong.id for wrong in misconceptions), misconceptions[0].hints
    return Finding("named", says, ids, hints, says, (), code, calls, statements)


def named_fact(code: Literal["fact", "measure"], statement: Statement) -> Finding:
    name = statement.values["id"]
    return Finding("named", sentence(statement), (name,), code=code, statements=(statement,))
