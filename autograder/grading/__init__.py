"""One submission after another through the checks, and from their results to a report."""

MARKS = (
    "check(title, points=1, needs=(), hints=()): a check of an exercise; its docstring may "
    "hold the hints, one a line",
    "hidden: a check whose inputs and values are not shown to students",
)
