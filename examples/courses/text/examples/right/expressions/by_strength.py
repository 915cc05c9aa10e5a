STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}


def split_tokens(text):
    tokens, number = [], ""
    for letter in text + " ":
        if letter in "0123456789":
            number += letter
            continue
        if number:
            tokens.append(number)
            number = ""
        if letter in "+-*/()":
            tokens.append(letter)
        elif not letter.isspace():
            raise ValueError(letter)
    return tokens


def parse(text):
    tokens = split_tokens(text) + ["end"]

    def operand():
        token = tokens.pop(0)
        if token != "(":
            return int(token)
        inside = expression(0)
        if tokens.pop(0) != ")":
            raise ValueError("unbalanced")
        return inside

    def expression(above):
        left = operand()
        while STRENGTH.get(tokens[0], 0) > above:
            sign = tokens.pop(0)
            left = [sign, left, expression(STRENGTH[sign])]
        return left

    found = expression(0)
    if tokens != ["end"]:
        raise ValueError("not at the end")
    return found
