"""A solution without its solutions: what stands between nbgrader's markers is taken out."""

import re

from autograder.errors import UserError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
TEXT_STUB = "YOUR ANSWER HERE"
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


def strip_solutions(text: str, name: str) -> str:
    """The student's text. In a function, a stub takes the solution's place; elsewhere nothing.

    Raises:
        UserError: a marker has no partner; it names the line.
    """
    kept: list[str] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().removeprefix("# ") == BEGIN:
            if begun:
                raise UserError(f"{name}, line {number}: {BEGIN} again, before {END}.")
            begun = number
            indent = line[: len(line) - len(line.lstrip())]
            if line.startswith("# "):
                kept.append(f"# {TEXT_STUB}")
            kept += [indent + stub for stub in STUB] if indent else []
        elif line.strip().removeprefix("# ") == END:
            if not begun:
                raise UserError(f"{name}, line {number}: {END} without {BEGIN}.")
            begun = 0
        elif not begun:
            kept.append(line)
    if begun:
        raise UserError(f"{name}, line {begun}: {BEGIN} without {END}.")
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept))
