"""Tables read as spreadsheets read them."""

import csv
import io
import re


def is_formula(cell):
    """Return True if any spreadsheet computes the cell, after leading blanks and quotes."""
    start = cell.lstrip(' \t\r\n\v\f"')
    is_number = re.fullmatch(r"[-+－＋]?[\d.]*", start) is not None
    return not is_number and start.startswith(tuple("=+-@＝＋－＠"))


def readings(text):
    """Yield the cells of a file as programs read it: any delimiter, with or without quotes."""
    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            yield from row
        for line in re.split("[\r\n]", text):
            yield from line.split(delimiter)
    yield from re.split("[,;\t\r\n]", text)


def formulas_in(text):
    return [cell for cell in readings(text) if is_formula(cell)]
