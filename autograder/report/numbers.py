"""Formats of numbers, shapes and indices for people, and differences of arrays."""

import math

from autograder.report.model import CellValue, Matrix


def as_cell(plain: float) -> CellValue:
    if isinstance(plain, bool | int):
        return plain
    number = float(plain)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")


def shown(value: CellValue, digits: int = 3) -> str:
    """Return a number as text. Whole numbers have no decimals."""
    if isinstance(value, bool | str):
        return {"nan": "NaN", "inf": "∞", "-inf": "−∞"}.get(str(value), str(value))
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e6):
        return str(int(value)).replace("-", "−")
    small_or_large = not 10.0**-digits <= abs(value) < 1e6
    text = f"{value:.{digits}g}" if small_or_large else f"{value:.{digits}f}"
    return text.replace("-", "−")


def digits_for(yours: Matrix, expected: Matrix) -> int:
    """Return the number of digits that shows each wrong number's difference."""
    pairs = [
        (value, right)
        for marks, values, rights in zip(yours.wrong, yours.rows, expected.rows, strict=False)
        for mark, value, right in zip(marks, values, rights, strict=False)
        if mark
    ]
    for digits in (3, 4, 6, 9, 12):
        if all(shown(value, digits) != shown(right, digits) for value, right in pairs):
            return digits
    return 17


def difference(yours: Matrix, expected: Matrix) -> list[list[float]]:
    """Return the differences of the student's and the expected values, cell by cell.

    Infinities of the same sign have the difference 0. If the excerpts show different parts, or the
    arrays have different shapes, the list is empty.
    """
    parts = [(side.shape, side.at, side.top, side.left) for side in (yours, expected)]
    if parts[0] != parts[1] or not yours.rows:
        return []
    marks = yours.wrong or [[True] * len(row) for row in yours.rows]
    return [
        [
            float(value) - float(right) if wrong and float(value) != float(right) else 0.0
            for value, right, wrong in zip(*rows, strict=True)
        ]
        for rows in zip(yours.rows, expected.rows, marks, strict=True)
    ]


def shape(sizes: tuple[int, ...]) -> str:
    """Return a shape as text, such as `(2, 3)`. Without axes, it is `a single number`."""
    if not sizes:
        return "() (a single number)"
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def index(place: tuple[int, ...]) -> str:
    """Return an index as text, such as `[1][2]` for (1, 2)."""
    return "".join(f"[{i}]" for i in place)
