"""`hand_computation` with other numbers in its text and its solution."""

import re
from collections.abc import Sequence

import numpy as np

from reference.by_hand import STEPS, HandProblem, hand_problem

Rows = Sequence[Sequence[float]]


def personalised(text: str, variant: str) -> str:
    """Return the exercise's text with the variant's matrices. A solution also gets new results."""
    problem = hand_problem(variant)
    a, b, c = (problem.parts[letter] for letter in "abc")
    matrices = iter([a.Q, a.K, a.V, b.Q, b.K, b.V, c.Q])

    def matrix(_: re.Match[str]) -> str:
        rows = (" & ".join(f"{x:g}" for x in row) for row in next(matrices))
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"

    head, *cells = re.split(r"(?m)^(?=# %%)", text)
    cells = [re.sub(r"(?s)\\begin\{bmatrix\}.*?\\end\{bmatrix\}", matrix, cell) for cell in cells]
    row = r",\\ ".join(f"{x:g}" for x in problem.masked_scores)
    cells = [re.sub(r"\$\[0\.5,\\ 0\.8,\\ 0\.3,\\ 0\.9\]\$", f"$[{row}]$", cell) for cell in cells]
    cells = [cell.replace(IN_PRINT, "") for cell in cells]
    stated = f'# %%\nVARIANT = "{variant}"  # whose numbers these are: leave this line as it is\n\n'
    return _solved(head + cells[0] + stated + "".join(cells[1:]), problem)


IN_PRINT = """#
# (This example is also in print with wrong numbers. Trust your arithmetic.)
"""


def _solved(text: str, problem: HandProblem) -> str:
    for letter, part in problem.parts.items():
        lines = [f"{letter}_{step} = {_rounded(part.exact(step))}" for step in STEPS]
        text = _between(text, f"{letter}_output = None", lines)
    lines = [f"c_masked_row = {[round(x, 4) for x in problem.masked_row]}"]
    return _between(text, "c_masked_row = None", lines)


def _rounded(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[list[float]]:
    rows: list[list[float]] = np.round(values, 4).tolist()
    return rows


def _between(text: str, after: str, lines: Sequence[str]) -> str:
    begin, end = "### BEGIN SOLUTION\n", "### END SOLUTION"
    start = text.index(after)
    first = text.index(begin, start) + len(begin)
    return text[:first] + "\n".join(lines) + "\n" + text[text.index(end, first) :]
