import re


class Reader:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else None

    def sees(self, signs):
        return self.at < len(self.tokens) and self.tokens[self.at] in signs

    def sum(self):
        left = self.product()
        while self.sees(("+", "-")):
            left = [self.next(), left, self.product()]
        return left

    def product(self):
        left = self.factor()
        while self.sees(("*", "/")):
            left = [self.next(), left, self.factor()]
        return left

    def factor(self):
        token = self.next()
        if token == "(":
            inside = self.sum()
            if self.next() != ")":
                raise ValueError("expected )")
            return inside
        if token is None or not token.isdigit():
            raise ValueError("expected a number")
        return int(token)


def split_tokens(text):
    found = re.findall(r"\s*(\d+|[-+*/()]|$)", text)
    if "".join(found) != "".join(text.split()):
        raise ValueError("odd characters")
    return [token for token in found if token]


def parse(text):
    reader = Reader(split_tokens(text))
    found = reader.sum()
    if reader.at < len(reader.tokens):
        raise ValueError("something is left")
    return found
