"""Sums and products as trees, in named steps: tokens, the strength of each sign, the tree."""

import re

STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}


def split_tokens(text):
    """Numbers, signs and brackets, in order.

    Raises:
        ValueError: there is something else in the text; it names it.
    """
    odd = re.search(r"[^0-9+\-*/()\s]", text)
    if odd:
        raise ValueError(f"{odd[0]!r} does not belong in an expression")
    return re.findall(r"\d+|[+\-*/()]", text)


def tree(tokens, strength, leftmost_first=True, number=int):
    """The tree of an expression: a number, or [sign, left, right].

    Raises:
        ValueError: the tokens are no expression.
    """
    left_over = list(tokens)

    def operand():
        if left_over and left_over[0] == "(":
            left_over.pop(0)
            inside = expression(1)
            if not left_over or left_over.pop(0) != ")":
                raise ValueError("a bracket is not closed")
            return inside
        if not left_over or not left_over[0].isdigit():
            raise ValueError("a number is missing")
        return number(left_over.pop(0))

    def expression(least):
        found = operand()
        while left_over and strength.get(left_over[0], 0) >= least:
            sign = left_over.pop(0)
            found = [sign, found, expression(strength[sign] + leftmost_first)]
        return found

    whole = expression(1)
    if left_over:
        raise ValueError(f"{left_over[0]!r} is too much")
    return whole


def parse(text):
    """The tree of an expression that is given as a text."""
    return tree(split_tokens(text), STRENGTH)
