"""Picture of a failed comparison: student's array, expected array and difference."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.files import refuse_unwritable, write_atomically
from autograder.report.model import CheckReport, ExerciseReport, Matrix
from autograder.report.numbers import digits_for, index, shown


def save_picture(exercise: ExerciseReport, path: Path) -> str:
    """Save a picture of the first failed check with two arrays. Return a sentence for the user."""
    for check in exercise.checks:
        picture = picture_of(check)
        if picture is not None:
            with refuse_unwritable(path):
                write_atomically(path, picture)
            return f"Picture: {path}"
    return "There is nothing to draw: no failed check has a value and an expected value."


def picture_of(check: CheckReport) -> bytes | None:
    """Draw a failed comparison as a PNG with marked cells. Without two arrays, return None."""
    yours, expected = check.evidence.matrices if check.evidence is not None else (None, None)
    if check.evidence is None or yours is None or expected is None:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sides = check.evidence.sides
    numbers = [np.array(matrix.rows, float) for matrix in (yours, expected)]
    same = yours.shape == expected.shape
    figure = Figure(figsize=(4 * (2 + same), 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    all_axes = figure.subplots(1, 2 + same, squeeze=False)[0]
    finite = [0.0, *(x for side in numbers for x in side[np.isfinite(side)])]
    digits = digits_for(yours, expected)
    for place, matrix in enumerate((yours, expected)):
        axes = all_axes[place]
        axes.imshow(numbers[place], cmap="cividis", vmin=min(finite), vmax=max(finite))
        axes.set_title(f"{sides[place]}{index(matrix.at)}")
        _write(axes, matrix, [[shown(x, digits) for x in row] for row in matrix.rows])
    _outline(all_axes[0], yours)
    if same:
        difference = numbers[0] - numbers[1]
        largest = np.nanmax(np.abs(difference), initial=0.0, where=np.isfinite(difference)) or 1.0
        all_axes[2].imshow(difference, cmap="PuOr", vmin=-largest, vmax=largest)
        all_axes[2].set_title(" − ".join(sides))
        _write(all_axes[2], yours, [[f"{x:+.3g}" for x in row] for row in difference])
        _outline(all_axes[2], yours)
    figure.suptitle(f"{check.title}\n{check.evidence.call}", fontsize=9, parse_math=False)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120, metadata={"Software": None})
    return data.getvalue()


def _write(axes: Any, matrix: Matrix, texts: Sequence[Sequence[str]]) -> None:
    rows, columns = len(texts), len(texts[0]) if texts else 0
    axes.set_xticks(range(columns), [str(matrix.left + i) for i in range(columns)])
    axes.set_yticks(range(rows), [str(matrix.top + i) for i in range(rows)])
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            axes.text(j, i, text, ha="center", va="center", fontsize=8, bbox=box)


def _outline(axes: Any, matrix: Matrix) -> None:
    from matplotlib.patches import Rectangle

    for i, j in np.argwhere(matrix.wrong):
        corner, colour = (j - 0.5, i - 0.5), "#c2410c"
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=colour, linewidth=2.5))
