import ast
import re

SIGN = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def split_tokens(text):
    if not re.fullmatch(r"[\d\s+*/()-]*", text):
        raise ValueError("no such character")
    return [found[0] for found in re.finditer(r"\d+|[^\d\s]", text)]


def parse(text):
    try:
        return tree(ast.parse(" ".join(split_tokens(text)), mode="eval").body)
    except SyntaxError as error:
        raise ValueError("no expression") from error


def tree(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in SIGN:
        return [SIGN[type(node.op)], tree(node.left), tree(node.right)]
    raise ValueError("no expression")
