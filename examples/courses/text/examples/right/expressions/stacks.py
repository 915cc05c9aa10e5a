import re


def split_tokens(text):
    tokens = re.findall(r"[0-9]+|\S", text)
    if any(not re.fullmatch(r"[0-9]+|[-+*/()]", token) for token in tokens):
        raise ValueError(text)
    return tokens


def parse(text):
    values, signs = [], []

    def reduce():
        right, left = values.pop(), values.pop()
        values.append((signs.pop(), left, right))

    wants_value = True
    for token in split_tokens(text):
        if wants_value != (token.isdigit() or token == "("):
            raise ValueError(text)
        if token.isdigit():
            values.append(int(token))
            wants_value = False
        elif token == "(":
            signs.append(token)
        elif token == ")":
            while signs and signs[-1] != "(":
                reduce()
            if not signs:
                raise ValueError(text)
            signs.pop()
        else:
            while signs and signs[-1] != "(" and not (token in "*/" and signs[-1] in "+-"):
                reduce()
            signs.append(token)
            wants_value = True
    if wants_value or "(" in signs:
        raise ValueError(text)
    while signs:
        reduce()
    return values[0]
