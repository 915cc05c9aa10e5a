"""Numbers as people read them: signs and digits, shapes and places, and differences."""

import math

from autograder.report.model import CellValue, Matrix

_DIGITS = (3, 4, 6, 9, 12, 17)


def as_cell(plain: float) -> CellValue:
    """Return a number of Python's as JSON can hold it."""
    if isinstance(plain, bool | int):
        return plain
    number = float(plain)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")


def shown(value: CellValue, digits: int = 3) -> str:
    """Format a number: whole ones as such, others with `digits` decimals or in short form."""
    if isinstance(value, bool | str):
        return {"nan": "NaN", "inf": "∞", "-inf": "−∞"}.get(str(value), str(value))
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e6):
        return str(int(value)).replace("-", "−")
    small_or_large = not 10.0**-digits <= abs(value) < 1e6
    text = f"{value:.{digits}g}" if small_or_large else f"{value:.{digits}f}"
    return text.replace("-", "−")


def digits_for(yours: Matrix, expected: Matrix) -> int:
    """Return so many digits that no wrong cell looks the same on both sides."""
    pairs = [
        (mine, right)
        for marks, mine_row, right_row in zip(yours.wrong, yours.rows, expected.rows, strict=False)
        for mark, mine, right in zip(marks, mine_row, right_row, strict=False)
        if mark
    ]
    for digits in _DIGITS:
        if all(shown(mine, digits) != shown(right, digits) for mine, right in pairs):
            return digits
    return _DIGITS[-1]


def difference(yours: Matrix, expected: Matrix) -> list[list[float]]:
    """Return yours less expected, by cell, of two excerpts that show the same part.

    Infinities of one sign differ by 0; nothing is returned where the two cannot be compared.
    """
    same = (yours.shape, yours.at, yours.top, yours.left) == (
        expected.shape,
        expected.at,
        expected.top,
        expected.left,
    )
    if not same or not yours.rows:
        return []
    marks = yours.wrong or [[True] * len(row) for row in yours.rows]
    return [
        [_apart(*each) for each in zip(*rows, strict=True)]
        for rows in zip(yours.rows, expected.rows, marks, strict=True)
    ]


def _apart(yours: CellValue, expected: CellValue, wrong: bool) -> float:
    """Return the difference of two cells; within the tolerance there is none."""
    mine, right = float(yours), float(expected)
    return mine - right if wrong and mine != right else 0.0


def shape(sizes: tuple[int, ...]) -> str:
    """Return `(2, 3)`, `(4,)`, or `a single number` for no axes."""
    if not sizes:
        return "() (a single number)"
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def index(place: tuple[int, ...]) -> str:
    """Return `[1][2]`, as the student would write it."""
    return "".join(f"[{i}]" for i in place)
