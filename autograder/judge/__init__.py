"""The trusted side: sends inputs to the worker, gets plain data back, and compares."""

MARKS = (
    "check(title, points=1, needs=(), hints=()): a check of an exercise",
    "hidden: a check whose inputs and values are not shown to students",
)
