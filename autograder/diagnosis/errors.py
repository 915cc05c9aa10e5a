"""Explanations of exceptions in the student's code. They name the axes of shapes."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from autograder.course.text import join_names, one_line
from autograder.report.numbers import shape
from autograder.sandbox.problems import Raised

MAX_ARRAYS, MAX_AXES = 6, 8

Sizes = Mapping[str, int]


class _Failure(NamedTuple):
    """Exception whose message matches a pattern."""

    found: re.Match[str]
    line: str  # the student's line that raised; empty if the grader's own call failed
    part: str  # the expression in that line that raised; empty if unknown
    shapes: Mapping[str, Sequence[int]]  # of the arrays in the line
    known: str  # a sentence about these shapes
    sizes: Sizes
    of_torch: bool


def explain(error: Raised, sizes: Sizes, of_torch: bool = False) -> str:
    """Return a sentence that explains an error.

    If Python's message is clear, return "". `of_torch` is true if the exercise needs tensors.
    """
    arrays = list(error.shapes.items())[:MAX_ARRAYS]
    shapes = {one_line(name, 40): tuple(array[:MAX_AXES]) for name, array in arrays}
    place = error.place
    line, part = (place.text, place.text[place.column : place.end]) if place else ("", "")
    texts = [f"{name} has the shape {named_shape(array, sizes)}" for name, array in shapes.items()]
    known = f"In that line {', '.join(texts)}.{_reversed(line, shapes)}" if texts else ""
    for pattern, meaning in {**MEANINGS, **WHERE.get(error.library, {})}.items():
        if (found := re.search(pattern, error.message)) is None:
            continue
        if isinstance(meaning, str):
            groups = [one_line(part or "", 60) for part in found.groups()]
            explained = meaning.format(
                *groups, shapes=known, advice=OF_TORCH if of_torch else OF_NUMPY
            )
        else:
            explained = meaning(_Failure(found, line, part, shapes, known, sizes, of_torch))
        if explained.strip():
            return explained.strip()
    return known if error.type in {"ValueError", "RuntimeError"} else ""


def named_shape(array: Sequence[int], sizes: Sizes) -> str:
    """Return a text such as `(B, L_q) = (2, 3)`, or only numbers if a name is not clear."""
    numbers = shape(tuple(array))
    fitting = [[name for name, value in sizes.items() if value == size] for size in array]
    if not fitting or any(len(names) != 1 for names in fitting):
        return numbers
    names = ", ".join(name for (name,) in fitting)
    return f"({names}{',' if len(fitting) == 1 else ''}) = {numbers}"


def _product(failure: _Failure) -> str:
    shapes, sizes = failure.shapes, failure.sizes
    pair = _failing_product(failure.line, shapes)
    if pair is None:
        return failure.known
    left, right = shapes[pair[1]], shapes[pair[3]]
    text = (
        f"{pair[1]} has the shape {named_shape(left, sizes)} and {pair[3]} has the shape "
        f"{named_shape(right, sizes)}. In a product, the last axis of the first array must be as "
        f"long as the second-last axis of the second.{_reversed(pair[0], shapes)}"
    )
    kept = re.search(r"(\w+)\.transpose\((?:-2, -1|0, 1)\)", failure.line)
    if kept is not None and "Input operand" in failure.found.string:
        text += f" In NumPy, `{kept[0]}` keeps the order of the axes. It changes nothing here."
        return f"{text} np.swapaxes({kept[1]}, -1, -2) exchanges the last two axes."
    return text


def _reversed(line: str, shapes: Mapping[str, Sequence[int]]) -> str:
    names = dict.fromkeys(re.findall(r"(\w+)\.T\b", line))
    turned = {name: shapes[name] for name in names if len(shapes.get(name, ())) > 2}
    return "".join(
        f" {name}.T reverses all axes: {shape(tuple(a))} becomes {shape(tuple(a[::-1]))}."
        for name, a in turned.items()
    )


def _transposed(failure: _Failure) -> str:
    call = r"(?:(?:np|torch)\.\w+\()?(.+?)(?:\.(?:transpose|permute)\(|, ?)[(\[]?([-\d, ]+)[)\]]+"
    found = re.fullmatch(call, failure.part)  # groups: the array, the axes
    if found is None:
        return failure.known
    listed, array = re.findall(r"-?\d+", found[2]), failure.shapes.get(found[1])
    text = f"The transpose lists {len(listed)} axes, and `{one_line(found[1], 60)}` has "
    text += f"the shape {named_shape(array, failure.sizes)}." if array else "other axes."
    if failure.line.strip() == failure.part:
        return f"{text} That line does not store its result, so it changes nothing."
    of_torch = "permute" in failure.found.string
    axes = [*map(str, range(len(listed)))]
    if array and "@" in failure.line and listed == [*axes[:-2], *axes[:-3:-1]]:
        call = f"{found[1]}.transpose(-2, -1)" if of_torch else f"np.swapaxes({found[1]}, -1, -2)"
        return f"{text} {call} exchanges the last two axes of an array with any number of axes."
    if len(listed) == 2 and not of_torch:
        return f"{text} In NumPy, it has to list all axes. swapaxes({found[2]}) exchanges two axes."
    return f"{text} It has to list each axis of the array once."


def _failing_product(line: str, shapes: Mapping[str, Sequence[int]]) -> re.Match[str] | None:
    """Return the first product in a line whose shapes do not fit. If all fit, return None."""
    operators = re.finditer(r"(\w+)((?:\.T|\.mT)?)\s*@\s*(\w+)((?:\.T|\.mT)?)", line)
    calls = re.finditer(
        r"(?:matmul|dot|bmm|mm)\(\s*(\w+)((?:\.T)?)\s*,\s*(\w+)((?:\.T)?)\s*\)", line
    )
    for pair in (*operators, *calls):
        left, right = (
            _turned(shapes.get(name, ()), how) for name, how in (pair.group(1, 2), pair.group(3, 4))
        )
        if not left or not right:
            continue  # an unknown shape, or a number: this product does not fail
        batches = left[:-2] == right[:-2] or not left[:-2] or not right[:-2]
        if not batches or left[-1] != right[-2:][0]:
            return pair
    return None


def _turned(array: Sequence[int], how: str) -> list[int]:
    if how == ".T":
        return list(array)[::-1]
    return [*array[:-2], *array[:-3:-1]] if how == ".mT" else list(array)


def _unpacked(failure: _Failure) -> str:
    is_shape = re.search(r"=\s*[\w.]+\.(?:shape|size\(\))\s*$", failure.line)
    more = " A shape has one part for each axis." if is_shape else ""
    return f"{failure.known} The line needs exactly {failure.found[1]} parts.{more}"


def _broadcast(failure: _Failure) -> str:
    if "einsum" in failure.part:
        return f"{failure.known} In einsum, each letter stands for one size in all arrays."
    text = (
        f"{failure.known} Broadcasting compares sizes from the last axis to the first. Two sizes "
        "fit if they are equal, or if one of them is 1."
    )
    reduces = re.search(r"\.(sum|max|mean|min)\(|amax|logsumexp", failure.line)
    if reduces and "keepdim" not in failure.line:
        text += " A sum or maximum without keepdims=True loses its axis."
    return text


def _indexed(failure: _Failure) -> str:
    """Explain the error of an index that is an array of truth values with a wrong shape."""
    shapes, sizes = failure.shapes, failure.sizes
    index = r"~?\(?(\w+)(?:\.astype\(bool\)|\.bool\(\)| [!=]= \w+)?\)?"
    found = re.fullmatch(rf"(\w+)\[(\.\.\., ?|(?::, ?)*)({index})\]", failure.part)
    if found is None or found[1] not in shapes or not shapes.get(found[4]):
        return failure.known
    array, mask, first = shapes[found[1]], shapes[found[4]], found[2].count(":")
    axes = array[-len(mask) :] if "." in found[2] else array[first : first + len(mask)]
    text = (
        f"The index `{found[3]}` has the shape {named_shape(mask, sizes)}. The axes of {found[1]} "
        f"that it selects have the shape {named_shape(axes, sizes)}. Both shapes have to be equal."
    )
    value = re.search(rf"{re.escape(found[0])} = ([^#]+)", failure.line)
    fits = (size in {1, whole} for size, whole in zip(mask[::-1], array[::-1], strict=False))
    if value is None or len(mask) > len(array) or not all(fits):
        return text
    where = "torch.where" if "ensor" in failure.found.string else "np.where"
    return f"{text} `{where}({found[3]}, {one_line(value[1], 40).strip()}, {found[1]})` broadcasts."


def _built_in(failure: _Failure) -> str:
    name = failure.part[: failure.part.find("(")]
    if name not in {"max", "min", "sum"}:
        return ""
    does, of_torch = ("adds", "sum") if name == "sum" else ("compares", f"a{name}")
    other = f"`np.{name}(…, axis=…, keepdims=True)`"
    if re.search(r"Tensor|'(?:keep)?dim'", failure.found.string):
        other = f"`torch.{of_torch}(…, dim=…, keepdim=True)`"
    parts = "the parts along the first axis, such as whole rows"
    return f"Python's own `{name}` {does} {parts}. {other} works for any axis."


def _inverted(failure: _Failure) -> str:
    operand = one_line(failure.part.removeprefix("~").strip(), 60)
    compared = f"`({operand} == 0)`" if failure.part.startswith("~") else "A comparison with 0"
    return (
        "~ works for truth values and whole numbers, but not for floats, and ~1 is −2. "
        f"{compared} works for every kind of number."
    )


def _made(failure: _Failure) -> str:
    name = failure.found[1]
    if re.search(rf"\b{re.escape(name)}\b", failure.line):
        if re.match(r"self\.\w+ =", failure.line):
            return ""
        return f"`{name}(…)` makes an object. Make it in `__init__`, and call it here."
    return (
        f"That line calls the class {name} itself. Perhaps an earlier line stores the class, and "
        f"should store an object: `{name}(…)`, with brackets."
    )


def _of_an_array(failure: _Failure) -> str:
    if failure.of_torch and failure.found[1] != "int":
        return f"The value before the dot is a NumPy array. {OF_TORCH}"
    pairs = (pair.split("=") for pair in METHODS.split())
    used = [(torch, numpy) for torch, numpy in pairs if f".{torch}(" in failure.line]
    words = [f"`{one}` is `{other}`" if other else f"`{one}` is not needed" for one, other in used]
    if re.search(r"\.transpose\(-?\d, ?-?\d\)", failure.line):
        words.append("`transpose` of two axes is `swapaxes`")
    if words:
        return f"That line uses methods of torch. In NumPy, {join_names(words)}."
    name = failure.found[1] or ""
    is_function = callable(getattr(np, name, None))
    return f"Arrays have no method `{name}`. Write `np.{name}(…)`." if is_function else ""


# Methods of torch, and what NumPy has instead.
METHODS = (
    "size=shape view=reshape permute=transpose contiguous= unsqueeze=np.expand_dims "
    "masked_fill=np.where(mask,number,array) float=astype(float)"
)
Meanings = Mapping[str, str | Callable[[_Failure], str]]
TENSORS = "torch's functions need tensors, and this line passes a NumPy array. {advice}"
OF_NUMPY = "Use NumPy's functions here."
OF_TORCH = "Where the array is made, use torch: torch.where instead of np.where, for example."
# Errors about names, attributes and types. Such an error in the code of a library says nothing
# about the student's line.
OF_THE_LINE: Meanings = {
    r"'(int)' object is not callable": _of_an_array,
    r"'([\w.]+)' object is not callable": (
        "That line calls a value of type {0} like a function. Did an earlier line store it instead "
        "of a function or layer? Or is a sign such as `*` missing before the brackets?"
    ),
    r"(\w+)\.__init__\(\) takes .* positional arguments? but": _made,
    r"'numpy\.ndarray' object has no attribute '(\w+)'": _of_an_array,
    r"'(list|tuple)' object has no attribute '(\w+)'": (
        "A value in that line is a {0}, and a {0} has no {1}. np.asarray makes an array of a list. "
        "Did a function return several results?"
    ),
    r"'(?:float|int|numpy\.float64|bool)' object has no attribute '(shape|T|ndim)'": (
        "A single number has no {0}. That line needs an array."
    ),
    r"'function' object has no attribute|'builtin_function_or_method'": (
        "A function is used there as a value. Round brackets call it: `f(…)`."
    ),
    r"unhashable type: 'numpy": "Arrays cannot be keys of a dict, a set or a cache (`lru_cache`).",
    r"'NoneType' object (?:is not (?:subscriptable|iterable|callable)|has no attribute)|"
    r"(?:unsupported operand type\(s\)|not supported between instances) .*NoneType": (
        "Something in that line is None, for example an argument that was left out, or the result "
        "of a function without `return`."
    ),
    # if Python did not suggest a name
    r"name '(\w+)' is not defined$": (
        "An import or an assignment of {0} is missing there, or misspelt."
    ),
    r"cannot access local variable '(\w+)'": (
        "{0} has no value yet there: on this path through the function, no line sets it."
    ),
}
IN_TORCH: Meanings = {r"'numpy\.ndarray' object has no attribute": TENSORS}
WHERE = {"": OF_THE_LINE, "torch": IN_TORCH}  # by the library that raised; "" is none
# The sentence for each pattern of Python's messages. Parts of the message and the shapes are filled
# into the sentence.
MEANINGS: Meanings = {
    r"Cannot interpret '\d+' as a data type": "The shape is one argument: `np.ones((2, 3))`.",
    r"matching types \(dtype\('<U": "An array in that line has text instead of numbers.",
    r"mismatch in its core dimension|not aligned|shapes cannot be multiplied": _product,
    r"batch\d must be a 3D tensor": (
        "{shapes} torch's bmm takes arrays with exactly three axes. `@` takes any number of axes."
    ),
    r"Expected size for first two dimensions|must have same reduction|batch2": _product,
    r"could not be broadcast|must match the size of tensor|non-broadcastable": _broadcast,
    r"axis (-?\d+) is out of bounds for array of dimension (\d+)": (
        "{shapes} The line asks for axis {0}, but the number of axes is {1} here. The first axis "
        "is 0, and the last is −1."
    ),
    r"Dimension out of range.*got -?\d+|tuple index out of range": "{shapes}",
    r"transpose\(\) takes from 1 to 2 positional": (
        "np.transpose takes all axes as one tuple, such as `np.transpose(a, (1, 0))`."
    ),
    r"axes don't match array|number of dimensions in the tensor input does not": _transposed,
    r"cannot reshape array of size (\d+) into shape|is invalid for input of size (\d+)": (
        "{shapes} A reshape keeps all {0}{1} numbers: the product of the new sizes must be this "
        "number."
    ),
    r"view size is not compatible": (
        "view needs the numbers in the order of memory, and a transpose changes this order. Use "
        "reshape, or contiguous() before view. Both make a copy in the new order."
    ),
    r"^(view)\(\) takes from 0 to 2 positional|^Tuple must have size 2, but has size": _of_an_array,
    r"must be Tensor, not numpy\.ndarray|got \(numpy\.ndarray": TENSORS,
    r"Can't call numpy\(\) on Tensor that": (
        "NumPy's functions have no gradient. torch's functions have one: torch.where for np.where."
    ),
    r"before Module\.__init__\(\) call": (
        "`super().__init__()` prepares a module for its parts. In `__init__` this call is missing, "
        "lacks its brackets, or comes after that line."
    ),
    r"numpy boolean negative": (
        "`~` inverts truth values, but not numbers: ~1 is −2. A comparison with 0 inverts both."
    ),
    r"bad operand type for unary ~|ufunc 'invert' not supported": _inverted,
    r"boolean index did not match|shape of the mask .* does not match|too many indices": _indexed,
    r"(?:arrays|tensors) used as indices must be": (
        "{shapes} An index needs whole numbers or truth values. `mask == 0` makes truth values."
    ),
    r"invalid index to scalar variable": "The value before the brackets is a single number.",
    r"truth value of an|Boolean value of|argument for (?:m..|sum)": _built_in,
    r"truth value of an array|Boolean value of Tensor": (
        "`if`, `and` and `or` need one truth value, but this value has many. `where` (np, torch) "
        "chooses entry by entry. `x is not None` tests whether x has a value."
    ),
    r"only (?:length-1|0-dimensional) arrays can be converted": (
        "float(…) and math.… take one number. NumPy's own functions take whole arrays."
    ),
    r"boolean subtract|with (?:a|two) bool tensor": (
        "`-` does not work for truth values. A comparison such as `mask == 0` works for every kind "
        "of mask. `~` is right for truth values only."
    ),
    r"return arrays must be of ArrayType": (
        "Arguments without a name are read in the order of the function: in NumPy, the argument "
        "after `axis` is often `out`. Write the name, such as `keepdims=True`."
    ),
    r"type\(s\) for \^|ufunc 'bitwise_xor'": "In Python, a power is `**`: `2 ** 0.5` is √2.",
    r"unexpected keyword argument '(?:keep)?dim'": (
        "In NumPy, the names are `axis` and `keepdims`. `dim` and `keepdim` are torch's names."
    ),
    r"(?:too many|not enough) values to unpack \(expected (\d+)": _unpacked,
    r"expected scalar type (\w+) but found (\w+)|have the same dtype": (
        "That line combines tensors of different dtypes. x.to(y.dtype) gives x the dtype of y."
    ),
    r"output array is read-only|cannot cast ufunc|Cannot cast ufunc": (
        "The line writes into an array that cannot store the result. Make a new array."
    ),
}
