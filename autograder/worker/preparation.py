"""Preparation of a worker for a student's code: imports, limited output, arrays of NaN."""

import builtins
import faulthandler
import functools
import gc
import importlib
import io
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .limits import STACK_SIGNAL
from .messages import MAX_PRINTED

COMPILER = "torch._dynamo"


class KeyboardNeeded(Exception):
    """Exception: the code asked for keyboard input."""


class BoundedBytes(io.RawIOBase):
    """Stream for output that keeps only the first MAX_PRINTED bytes."""

    def __init__(self) -> None:
        self.kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        self.kept += view[: max(0, MAX_PRINTED - len(self.kept))]
        return len(view)


def redirect() -> BoundedBytes:
    """Send printed text and warnings to a limited stream. Refuse `input()`, and define `exit`."""
    kept = BoundedBytes()
    buffered: Any = kept
    stream = io.TextIOWrapper(buffered, encoding="utf-8", errors="replace", write_through=True)
    sys.stdout = sys.stderr = stream
    builtins.input = functools.partial(refuse_keyboard, "input()")
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # Python's own come from the module site
    sys.breakpointhook = functools.partial(refuse_keyboard, "breakpoint()")
    return kept


def refuse_keyboard(called: str, *_args: object, **_kwargs: object) -> NoReturn:
    raise KeyboardNeeded(called)


def show_stack_to(descriptor: int) -> None:
    """Make `STACK_SIGNAL` write the call stack to a descriptor, even while no Python code runs."""
    if STACK_SIGNAL is not None:
        faulthandler.register(STACK_SIGNAL, descriptor, all_threads=False)


class _LateCompiler(types.ModuleType):
    """Module in place of torch's compiler. It imports the compiler only when something compiles.

    torch's optimisers import the compiler, only to say that it should leave their methods alone.
    This import takes as long as that of torch, and 100 MB.
    """

    __file__ = None  # else a search through all modules would import the compiler

    def disable(self, function: Any, *_: object, **__: object) -> Any:
        return function

    def graph_break(self) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(COMPILER) is self:
            del sys.modules[COMPILER]
        return getattr(importlib.import_module(COMPILER), name)


def import_compiler_late() -> None:
    sys.modules.setdefault(COMPILER, _LateCompiler(COMPILER))


def warm_up(names: list[str]) -> None:
    """Import the modules for submissions, and make the calls that are slow the first time."""
    fill_unwritten()
    for name in names:
        importlib.import_module(name)
    if "torch" in sys.modules:
        import torch

        import_compiler_late()
        torch.set_num_threads(1)
        torch.backends.cpu.get_cpu_capability()  # the first call reads /proc
        weight = torch.nn.Parameter(torch.ones(2))
        (weight.sum() ** 2).backward()
        torch.optim.AdamW([weight]).step()
    if "matplotlib.pyplot" in sys.modules:
        _draw_a_figure()


def _draw_a_figure() -> None:
    from matplotlib import font_manager, mathtext, pyplot

    figure, (left, axes) = pyplot.subplots(1, 2)  # the first figure finds and reads the fonts
    figure.colorbar(left.imshow([[1, 2], [3, 4]], cmap="viridis"))
    left.text(0, 0, "1.00")
    axes.semilogx([1, 10], [1, 2], label="$x_1$")
    axes.set(title="title", xlabel="x", ylabel="y")
    axes.legend()
    figure.suptitle("all")
    figure.canvas.draw()
    pyplot.close(figure)
    # a fork closes the open font files without matplotlib noticing
    for owner, name in ((font_manager, "_get_font"), (mathtext.MathTextParser, "_parse_cached")):
        if hasattr(getattr(owner, name, None), "cache_clear"):
            getattr(owner, name).cache_clear()
    gc.collect()


def fill_unwritten() -> None:
    """Make `numpy.empty` and `numpy.empty_like` fill their results.

    Otherwise, grades could vary, and a function could see earlier arguments in unfilled arrays. As
    in PyTorch's deterministic mode, floating-point numbers become NaN. Integers become the largest
    of their type.
    """
    for name in ("empty", "empty_like"):
        setattr(np, name, _filling(getattr(np, name)))


def _filling(make: Callable[..., Any]) -> Any:
    @functools.wraps(make, assigned=("__name__", "__qualname__", "__doc__", "__module__"))
    def filled(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        kind = made.dtype.kind if isinstance(made, np.ndarray) else ""
        if kind in tuple("fc"):
            np.ndarray.fill(made, np.nan)
        elif kind in tuple("iu"):
            np.ndarray.fill(made, np.iinfo(made.dtype).max)
        elif kind == "b":
            np.ndarray.fill(made, True)
        return made

    return filled
