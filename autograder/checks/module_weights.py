"""Search for the parameters of a student's module that contain the requested weights.

Imagine all numbers of all requested weights in one long row. For each entry of the student's
parameters, a `ParameterFit` has a position in this row. So a fit can describe a transposed matrix,
three matrices in one parameter, or a matrix in pieces. The engine uses the fit to load weights and
to read gradients.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.worker.messages import Passed

Indices = npt.NDArray[np.int64]
ShapesByName = Mapping[str, tuple[int, ...]]
Weights = Mapping[str, Any]
"""Type of a module's parameters: a dict from the names in the task to float32 arrays."""
Ways = list[dict[str, Indices]]
"""Type of the layouts in which a module can store some weights.

Each layout is a dict from parameters of the module to arrays. Such an array has the position of
each entry of the parameter in the row of all requested weights.
"""
MAX_FITS = 24
MAX_TRIES = 96  # combinations of layouts to try, including those that lead to no fit
MAX_AXES = 4
# A student's process reports the shapes, so they may be false. The number of unrequested numbers in
# a module is limited: MAX_EXTRA for each requested number, but at least LEAST_EXTRA and at most
# MOST_EXTRA in total. Larger modules are not loaded.
MAX_EXTRA, LEAST_EXTRA, MOST_EXTRA = 16, 10_000, 1_000_000
ZERO = -1


@dataclass(frozen=True)
class ParameterNames:
    """Names that students may give to parameters.

    Without arguments, only shapes count. `role` returns a parameter's role, such as "query". For an
    unclear name, it returns "". `is_shift` returns True for the name of a bias. Some parameters
    stack several weights: `joined` maps the role of such a parameter to the roles of its weights,
    in order. `neutral` returns a number that can replace a missing parameter, or None. `shared` has
    pairs of roles that one ("tied") parameter may have at the same time.
    """

    role: Callable[[str], str] = lambda name: ""  # noqa: ARG005
    is_shift: Callable[[str], bool] = lambda name: name.endswith("bias")
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    neutral: Callable[[str], float | None] = lambda name: None  # noqa: ARG005
    shared: frozenset[tuple[str, str]] = frozenset()


USUAL_NAMES = ParameterNames()


@dataclass(frozen=True)
class ParameterFit:
    """Fit of a student's parameters to the requested weights.

    `wanted` has the shape of each requested weight. For each of the student's parameters, `holds`
    has an int64 array: the position of each entry in the row of all requested weights, or -1 for
    zero. `extra` has biases that the task does not request. These biases are set to 0. `absent` has
    the number that replaces each missing weight. If two weights share a parameter, `tied` maps the
    one to the other.
    """

    wanted: ShapesByName
    holds: Mapping[str, Indices]
    extra: tuple[str, ...] = ()
    absent: Mapping[str, float] = field(default_factory=dict)
    tied: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Return True if every parameter has its requested name and none is set to 0."""
        return not (self.extra or self.absent or self.tied) and set(self.holds) == set(self.wanted)

    def used(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights that the module uses for `state`, by requested name."""
        return {
            name: np.full_like(value, self.absent[name])
            if name in self.absent
            else state[self.tied.get(name, name)]
            for name, value in state.items()
        }

    def loaded(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of `state` as arrays for the student's parameters."""
        row = [np.asarray(state[name]).reshape(-1) for name in self.wanted]
        numbers = np.concatenate([*row, np.zeros(1, np.float32)])
        return {name: numbers[places] for name, places in self.holds.items()}

    def back(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the gradients of the requested weights.

        `own` has the gradients of the student's parameters. If one piece of a weight has no
        gradient, the weight has none.
        """
        gradients: dict[str, Any] = {k: each for k, each in own.items() if k.startswith("input ")}
        size = sum(map(math.prod, self.wanted.values()))
        numbers = np.zeros(size + 1)
        cut = np.zeros(size + 1, bool)
        for name, places in self.holds.items():
            gradient = own.get(name)
            if isinstance(gradient, np.ndarray) and gradient.shape == places.shape:
                numbers[places] = gradient
            else:
                cut[places] = True
        for name, places in _places(self.wanted).items():
            if name not in self.absent and name not in {*self.tied, *self.tied.values()}:
                gradients[name] = None if cut[places].any() else numbers[places]
        return gradients

    def held_by(self, name: str) -> tuple[str, ...]:
        """Return the names of the student's parameters that contain the weight `name`."""
        asked = _places(self.wanted)[name]
        return tuple(own for own, held in self.holds.items() if np.isin(held, asked).any())


def find_fits(
    passed: Passed, state: Mapping[str, Any], words: ParameterNames
) -> list[ParameterFit]:
    """Return the possible fits, likeliest first. With far too many, raise `TooManyParameters`."""
    wanted = {name: tuple(np.shape(value)) for name, value in state.items()}
    tied = {
        name: first
        for name, first in passed.same_as.items()
        if name in wanted
        and first in wanted
        and (words.role(first), words.role(name)) in words.shared
    }
    own = {
        name: tuple(shape)
        for name, shape in passed.state.items()
        if name not in {*passed.buffers, *tied} and (name in wanted or name not in passed.same_as)
    }
    return list(islice(_Search(wanted, own, words, tied).run(), MAX_FITS))


class TooManyParameters(ValueError):
    """Exception: a module has far more parameters than requested. `name` is one of them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _places(wanted: ShapesByName) -> dict[str, Indices]:
    places, end = {}, 0
    for name, shape in wanted.items():
        start, end = end, end + math.prod(shape)
        places[name] = np.arange(start, end, dtype=np.int64).reshape(shape)
    return places


class _Search:
    """Search for the parameters that hold each requested weight."""

    def __init__(
        self,
        wanted: ShapesByName,
        own: ShapesByName,
        words: ParameterNames,
        tied: Mapping[str, str],
    ) -> None:
        self.wanted, self.own, self.words, self.tied = wanted, own, words, tied
        self.places = _places(wanted)
        self.exact = {name for name in wanted if own.get(name) == wanted[name]} | set(tied)
        self.role, self.is_shift = functools.cache(words.role), functools.cache(words.is_shift)
        self.shifts = [name for name in own if self.is_shift(name)]
        asked = sum(map(math.prod, wanted.values()))
        left = asked + min(max(MAX_EXTRA * asked, LEAST_EXTRA), MOST_EXTRA)
        for name in self.shifts:
            left -= math.prod(max(1, size) for size in own[name])
            if left < 0:
                raise TooManyParameters(name)
        # the weights and parameters without a layout yet
        self.weights = [n for n in wanted if n not in self.exact and len(wanted[n]) > 1]
        self.free = [n for n in own if n not in self.exact and 1 < len(own[n]) <= MAX_AXES]

    def run(self) -> Iterator[ParameterFit]:
        ways = product(*self._joined(), *self._by_role(), *self._in_order())
        for chosen in islice(ways, MAX_TRIES):
            holds = {name: self.places[name] for name in self.own if name in self.exact}
            for part in chosen:
                holds |= part
            fit = self._with_vectors(holds)
            if fit is not None:
                yield fit

    def _take(self, weights: Sequence[str], parameters: Iterable[str]) -> None:
        used = set(parameters)
        self.weights = [w for w in self.weights if w not in weights]
        self.free = [o for o in self.free if o not in used]

    def _joined(self) -> Iterator[Ways]:
        for name in self.free:
            roles = self.words.joined.get(self.role(name), ())
            parts = [next((w for w in self.weights if self.role(w) == each), "") for each in roles]
            if parts and all(parts) and (ways := self._stacked(name, parts)):
                self._take(parts, [name])
                yield ways

    def _by_role(self) -> Iterator[Ways]:
        role, wanted = self.role, self.wanted
        for group in dict.fromkeys((role(w), wanted[w]) for w in self.weights if role(w)):
            same = [w for w in self.weights if (role(w), wanted[w]) == group]
            held = [o for o in self.free if role(o) == group[0]]
            fitting = [o for o in held if self._one(o, same[0])]
            if len(fitting) == len(same):
                self._take(same, fitting)
                for weight, own in zip(same, fitting, strict=True):
                    yield self._one(own, weight)
            elif len(same) == 1 and (ways := self._pieces(held, same[0])):
                self._take(same, ways[0])
                yield ways

    def _in_order(self) -> Iterator[Ways]:
        """Yield the possible layouts for each shape, first in the order of definition."""
        for shape in dict.fromkeys(self.wanted[w] for w in self.weights):
            places = [self.places[w] for w in self.weights if self.wanted[w] == shape]
            fitting = [o for o in self.free if self.own[o] == shape]
            orders = islice(permutations(fitting, len(places)), MAX_FITS)
            yield [dict(zip(order, places, strict=True)) for order in orders]

    def _one(self, own: str, wanted: str) -> Ways:
        places, shape = self.places[wanted], self.own[own]
        bare = own.rpartition(".")[2] != "weight"  # not nn.Linear's, so often used as x @ W
        turned = [places.T] if bare and places.ndim == 2 else []
        if bare and places.ndim == 2 and len(shape) == 3 and shape[0] * shape[2] == len(places):
            turned.append(places.reshape(shape[0], shape[2], -1).transpose(0, 2, 1))
        return [{own: way} for way in (*turned, places) if way.shape == shape]

    def _stacked(self, own: str, parts: Sequence[str]) -> Ways:
        """Return the possible layouts of several matrices that are stacked in one parameter."""
        blocks = [self.places[part] for part in parts]
        if len({block.shape[1:] for block in blocks}) != 1:
            return []
        ways = [np.concatenate(blocks)]
        rows = len(blocks[0])
        if all(len(block) == rows for block in blocks):
            stacked = np.stack(blocks)
            for pieces in range(2, rows + 1):
                if rows % pieces == 0:
                    cut = stacked.reshape(len(blocks), pieces, rows // pieces, -1)
                    ways.append(np.swapaxes(cut, 0, 1).reshape(ways[0].shape))
        shape = self.own[own]
        straight = [{own: way} for way in ways if way.shape == shape]
        bare = own.rpartition(".")[2] != "weight" or not straight
        return straight + ([{own: way.T} for way in ways if way.T.shape == shape] if bare else [])

    def _pieces(self, held: Sequence[str], wanted: str) -> Ways:
        places = self.places[wanted]
        if places.ndim != 2 or not held or len(places) % len(held):
            return []
        rows = len(places) // len(held)
        cut = [places[rows * n : rows * (n + 1)] for n in range(len(held))]
        if all(self.own[o] == (rows, places.shape[1]) for o in held):
            return [dict(zip(held, cut, strict=True))]
        if all(self.own[o] == (places.shape[1], rows) for o in held):
            return [dict(zip(held, (each.T for each in cut), strict=True))]
        return []

    def _with_vectors(self, holds: dict[str, Indices]) -> ParameterFit | None:
        """Return the fit with biases, or None if nothing can replace a missing bias."""
        holds, absent = dict(holds), {}
        for name, shape in self.wanted.items():
            if len(shape) != 1 or name in self.exact:
                continue
            vectors = self._vectors_for(name, holds)
            if vectors:
                holds[vectors[0]] = self.places[name]
            elif (nothing := self.words.neutral(name)) is not None:
                absent[name] = nothing
            else:
                return None
        extra = tuple(name for name in self.shifts if name not in holds)
        holds |= {name: np.broadcast_to(ZERO, self.own[name]) for name in extra}
        return ParameterFit(self.wanted, holds, extra, absent, self.tied)

    def _vectors_for(self, name: str, holds: Mapping[str, Indices]) -> list[str]:
        free = [o for o in self.own if o not in holds and self.own[o] == self.wanted[name]]
        stem = name.removesuffix("bias")
        weight = self.places.get(f"{stem}weight", ()) if name.endswith(".bias") else ()
        held = [o for o in holds if o.endswith("weight") and np.array_equal(holds[o], weight)]
        beside = [f"{own.removesuffix('weight')}bias" for own in held]
        kind = self.is_shift(name), self.role(name)
        return [o for o in beside if o in free] or [
            o for o in free if (self.is_shift(o), self.role(o)) == kind
        ]
