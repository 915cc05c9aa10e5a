import re


def split_tokens(text):
    if re.sub(r"[\d\s()*/+-]", "", text):
        raise ValueError("odd characters")
    return re.sub(r"([()*/+-])", r" \1 ", text).split()


def parse(text):
    return _tree(split_tokens(text))


def _tree(tokens):
    for signs in ("+-", "*/"):
        depth = 0
        for i in reversed(range(len(tokens))):
            depth += (tokens[i] == ")") - (tokens[i] == "(")
            if depth < 0:
                raise ValueError("brackets")
            if depth == 0 and tokens[i] in signs:
                return [tokens[i], _tree(tokens[:i]), _tree(tokens[i + 1 :])]
    if len(tokens) > 2 and tokens[0] == "(" and tokens[-1] == ")":
        return _tree(tokens[1:-1])
    if len(tokens) != 1 or not tokens[0].isdigit():
        raise ValueError("no number")
    return int(tokens[0])
