"""What an exception of the student's code means, with the shapes named by their axes."""

import re
from collections.abc import Callable, Mapping, Sequence

from autograder.course.text import one_line
from autograder.report.numbers import shape
from autograder.sandbox.problems import Raised

MAX_ARRAYS, MAX_AXES = 6, 8

Sizes = Mapping[str, int]
Shapes = Mapping[str, Sequence[int]]


def explain(error: Raised, sizes: Sizes) -> str:
    """A sentence that says what the error means here, or nothing where it says so itself.

    Args:
        error: what the student's code raised, with the shapes of the arrays in the failing line.
        sizes: the sizes of the call by name, `{"L_q": 3, "d_k": 4}`.
    """
    arrays = list(error.shapes.items())[:MAX_ARRAYS]
    shapes = {one_line(name, 40): tuple(array[:MAX_AXES]) for name, array in arrays}
    line = error.place.text if error.place is not None else ""
    for pattern, meaning in MEANINGS:
        found = re.search(pattern, error.message)
        if found:
            said = meaning(found, line, shapes, sizes)
            if said:
                return said
    return _shapes_said(shapes, sizes) if error.type in {"ValueError", "RuntimeError"} else ""


def named_shape(array: Sequence[int], sizes: Sizes) -> str:
    """`(B, L_q, d_k) = (2, 3, 4)` where each size stands for one axis, else the numbers alone."""
    names = []
    for size in array:
        fitting = [name for name, value in sizes.items() if value == size]
        if len(fitting) != 1:
            return shape(tuple(array))
        names.append(fitting[0])
    if not names:
        return shape(tuple(array))
    return f"({', '.join(names)}{',' if len(names) == 1 else ''}) = {shape(tuple(array))}"


def _shapes_said(shapes: Shapes, sizes: Sizes) -> str:
    if not shapes:
        return ""
    said = [f"{name} has the shape {named_shape(sizes_, sizes)}" for name, sizes_ in shapes.items()]
    return f"In that line {', '.join(said)}."


def _product(_: re.Match[str], line: str, shapes: Shapes, sizes: Sizes) -> str:
    """A matrix product whose inner axes do not fit."""
    pair = _failing_product(line, shapes)
    if pair is None:
        return _shapes_said(shapes, sizes)
    left, right = list(shapes[pair[1]]), list(shapes[pair[3]])
    said = (
        f"{pair[1]} has the shape {named_shape(left, sizes)} and {pair[3]} "
        f"{named_shape(right, sizes)}. A product needs the last axis of the first to be as long "
        f"as the second-to-last of the second."
    )
    if pair[4] == ".T" and len(right) > 2:
        return (
            f"{said} .T turns all axes of {pair[3]} round, the batch too, not the last two alone."
        )
    if pair[2] == ".T" and len(left) > 2:
        return (
            f"{said} .T turns all axes of {pair[1]} round, the batch too, not the last two alone."
        )
    if not pair[2] and not pair[4] and len(left) > 1 and len(right) > 1:
        if left[-1] == right[-1] != right[-2]:
            return f"{said} The last two axes of {pair[3]} still need swapping."
        if left[-2] == right[-2] != left[-1]:
            return f"{said} The last two axes of {pair[1]} still need swapping."
    return said


def _failing_product(line: str, shapes: Shapes) -> re.Match[str] | None:
    """The first product in a line of which the shapes say that it cannot be."""
    operators = re.finditer(r"(\w+)((?:\.T|\.mT)?)\s*@\s*(\w+)((?:\.T|\.mT)?)", line)
    calls = re.finditer(
        r"(?:matmul|dot|bmm|mm)\(\s*(\w+)((?:\.T)?)\s*,\s*(\w+)((?:\.T)?)\s*\)", line
    )
    for pair in (*operators, *calls):
        if pair[1] in shapes and pair[3] in shapes and not _fits(pair, shapes):
            return pair
    return None


def _fits(pair: re.Match[str], shapes: Shapes) -> bool:
    """Whether two arrays can be multiplied, as far as their inner axes go."""
    left, right = _turned(shapes[pair[1]], pair[2]), _turned(shapes[pair[3]], pair[4])
    if not left or not right:
        return True  # a number: it is something else that fails
    batches = left[:-2] == right[:-2] or not left[:-2] or not right[:-2]
    return batches and left[-1] == (right[-2] if len(right) > 1 else right[-1])


def _turned(array: Sequence[int], how: str) -> list[int]:
    if how == ".T":
        return list(array)[::-1]
    return [*array[:-2], *array[:-3:-1]] if how == ".mT" else list(array)


def _unpacked(found: re.Match[str], line: str, shapes: Shapes, sizes: Sizes) -> str:
    said = f"{_shapes_said(shapes, sizes)} The line takes apart exactly {found[1]} parts"
    if re.search(r"=\s*[\w.]+\.(?:shape|size\(\))\s*$", line):
        said += "; shape[-1] and shape[-2] work for any number of axes"
    return f"{said}.".strip()


def _broadcast(_: re.Match[str], line: str, shapes: Shapes, sizes: Sizes) -> str:
    rule = (
        "Arrays are stretched to fit from the last axis on: two sizes fit if they are equal or "
        "one of them is 1."
    )
    keeps = ""
    if re.search(r"\.(sum|max|mean|min)\(|amax|logsumexp", line) and "keepdim" not in line:
        keeps = " A sum or maximum without keepdims=True loses its axis."
    said = _shapes_said(shapes, sizes)
    return f"{said} {rule}{keeps}".strip()


def _text(sentence: str) -> Callable[[re.Match[str], str, Shapes, Sizes], str]:
    return lambda found, *_: sentence.format(*(one_line(part or "", 60) for part in found.groups()))


def _not_callable(found: re.Match[str], line: str, _: Shapes, __: Sizes) -> str:
    called = re.search(r"(\w+)\s*\(", line)
    kind = one_line(found[1], 40)
    if not called:
        return f"A value of type {kind} was called as if it were a function."
    return (
        f"The name of a function, perhaps {called[1]}, has been given to a value of type {kind} "
        f"in your code, or a sign between two factors is missing."
    )


def _inverted(_: re.Match[str], line: str, __: Shapes, ___: Sizes) -> str:
    operand = re.search(r"~\s*(\w+)", line)
    name = one_line(operand[1], 40) if operand else "x"
    return (
        f"~ turns truth values and whole numbers, not floats, and for 1 it gives −2: "
        f"`{name} == 0` says the same for every kind of number."
    )


def _axis(found: re.Match[str], line: str, shapes: Shapes, sizes: Sizes) -> str:
    said = _shapes_said(shapes, sizes)
    return (
        f"{said} The line asks for axis {found[1]}, but there are only {found[2]} axes here: "
        f"counted from the end, as −1 and −2, the last axes are there for any number of them."
    ).strip()


def _unknown_keyword(found: re.Match[str], line: str, _: Shapes, __: Sizes) -> str:
    """Whose call it was: the line is empty where the grader's own call is refused."""
    name = one_line(found[1], 40)
    if line:
        return f"What this line calls has no parameter {name}."
    return (
        f"The exercise calls the function with {name}=…, so its first line has to name a parameter "
        f"{name}."
    )


MEANINGS: tuple[tuple[str, Callable[[re.Match[str], str, Shapes, Sizes], str]], ...] = (
    (r"mismatch in its core dimension|not aligned|shapes cannot be multiplied", _product),
    (r"Expected size for first two dimensions|must have same reduction|batch2", _product),
    (r"could not be broadcast|must match the size of tensor|non-broadcastable", _broadcast),
    (r"axis (-?\d+) is out of bounds for array of dimension (\d+)", _axis),
    (r"Dimension out of range.*got (-?\d+)()", lambda f, line, s, n: _shapes_said(s, n)),
    (
        r"axes don't match array|number of dimensions in the tensor input does not match",
        lambda f, line, s, n: (
            f"{_shapes_said(s, n)} The transpose lists another number of axes than the array has; "
            f"np.swapaxes(x, -1, -2) exchanges the last two of any number."
        ).strip(),
    ),
    (
        r"cannot reshape array of size (\d+) into shape|is invalid for input of size (\d+)",
        lambda f, line, s, n: (
            f"{_shapes_said(s, n)} A reshape keeps all {f[1] or f[2]} numbers: the sizes asked "
            f"for have to multiply to that."
        ).strip(),
    ),
    (
        r"view size is not compatible",
        _text(
            "view needs the numbers in the order of memory, and after a transpose they are not: "
            "reshape, or contiguous() before view, makes a copy in the new order."
        ),
    ),
    (
        r"'([\w.]+)' object is not callable",
        _not_callable,
    ),
    (
        r"'(list|tuple)' object has no attribute '(\w+)'",
        _text("The argument is a {0} here, and a {0} has no {1}: np.asarray makes an array of it."),
    ),
    (
        r"'(?:float|int|numpy\.float64|bool)' object has no attribute '(shape|T|ndim)'",
        _text("A single number has no {0}; in that line an array was expected."),
    ),
    (
        r"'NoneType' object (?:is not (?:subscriptable|iterable|callable)|has no attribute)|"
        r"unsupported operand type\(s\) for .*NoneType",
        _text(
            "Something in that line is None. An argument that may be left out can be, and so can "
            "the result of a function without `return`."
        ),
    ),
    (
        r"bad operand type for unary ~|ufunc 'invert' not supported",
        _inverted,
    ),
    (
        r"boolean index did not match|too many indices|arrays used as indices must be",
        lambda f, line, s, n: (
            f"{_shapes_said(s, n)} An index in brackets has to have the array's own shape; "
            f"np.where stretches a condition to fit."
        ).strip(),
    ),
    (
        r"truth value of an array",
        _text(
            "`if`, `and` and `or` need one truth value, and an array has many: np.where chooses "
            "entry by entry, and `x is not None` asks whether there is one."
        ),
    ),
    (
        r"only (?:length-1|0-dimensional) arrays can be converted",
        _text("float(…) or math.… takes one number; NumPy's own functions take whole arrays."),
    ),
    (
        r"(?:too many|not enough) values to unpack \(expected (\d+)",
        _unpacked,
    ),
    (
        r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given",
        _text("The function is called with {1} arguments, and its first line names {0}."),
    ),
    (
        r"got an unexpected keyword argument '(\w+)'",
        _unknown_keyword,
    ),
    (
        r"name '(\w+)' is not defined",
        _text("Nothing is called {0} there: an import or an assignment is missing, or misspelt."),
    ),
    (
        r"cannot access local variable '(\w+)'",
        _text("{0} has no value yet there: on this path through the function nothing sets it."),
    ),
    (
        r"expected scalar type (\w+) but found (\w+)|have the same dtype",
        _text("Two tensors of different dtypes meet there: x.to(y.dtype) brings them together."),
    ),
    (
        r"output array is read-only|cannot cast ufunc|Cannot cast ufunc",
        _text("The line writes into an array that cannot hold the result; make a new array."),
    ),
)
