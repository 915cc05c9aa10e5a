import math


def softmax(x, axis=-1):
    """Recursion over the axes; exponentials one by one."""
    x = x.tolist() if hasattr(x, "tolist") else x
    depth = axis if axis >= 0 else rank(x) + axis
    return along(x, depth)


def rank(x):
    return 1 + rank(x[0]) if isinstance(x, (list, tuple)) else 0


def along(x, depth):
    if depth > 0:
        return [along(row, depth - 1) for row in x]
    if not isinstance(x[0], (list, tuple)):
        top = max(x)
        e = [math.exp(v - top) for v in x]
        return [v / sum(e) for v in e]
    columns = [along([row[i] for row in x], 0) for i in range(len(x[0]))]
    return [list(row) for row in zip(*columns)] if rank(columns) == 2 else swap(columns)


def swap(columns):
    return [[column[i] for column in columns] for i in range(len(columns[0]))]
