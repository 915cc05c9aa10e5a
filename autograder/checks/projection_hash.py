"""Hash of arguments that tolerates rounding errors: a digest of the structure, and three sums.

The tolerance is needed because random numbers may differ in the last digit between two machines or
two NumPy releases.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.checks.check_result import NotJudged
from autograder.checks.value_structure import Leaves, Vector, signature_of
from autograder.worker.values import Record, fields_of

SUMS = 3
CLOSE = 1e-9  # relative to the size of the numbers
LEAST = 1e-12
_MULTIPLIERS = np.array([2654435761, 2246822519, 3266489917], np.uint64)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)


class ProjectionHash:
    """Hash of arguments, or of any other plain value.

    `kind` is a digest of the value's structure. `sums` are three weighted sums of the value's
    numbers. `size` is the sum of the absolute values of these numbers.
    """

    def __init__(self, value: Any) -> None:
        """Compute the hash of a value.

        Raises:
            NotJudged: the value is not plain data: it contains a function or an object with
                methods.
        """
        require_plain_data(value)
        leaves: Leaves = []
        signature = signature_of(value, leaves)
        rows = [leaf.astype(np.float64).ravel() for leaf in leaves]
        self.kind, numbers = kind_and_numbers(signature, np.concatenate([np.zeros(0), *rows]))
        self.sums: Vector = projection_weights(len(numbers)) @ numbers
        self.size = float(np.abs(numbers).sum())

    def is_close(self, sums: Vector) -> npt.NDArray[np.bool_]:
        """Return True for each row of `sums` that matches. A row has the three sums of a value."""
        allowed = LEAST + CLOSE * self.size
        return np.asarray((np.abs(sums - self.sums) <= allowed).all(axis=-1))


def hash_of_pass(made_with: Any, inputs: Any, state: Any, toward: Any) -> ProjectionHash:
    """Return the hash of the arguments of `reference_pass`."""
    return ProjectionHash((list(made_with), list(inputs), dict(state), toward and list(toward)))


def require_plain_data(value: Any) -> None:
    """Check that a value is plain data.

    Raises:
        NotJudged: the value contains a function or an object with methods.
    """
    if isinstance(value, _PLAIN):
        return
    if isinstance(value, dict):
        parts: Iterable[Any] = [*value, *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = value
    elif isinstance(value, Record):
        parts = value.fields.values()
    else:
        fields = fields_of(value)
        own = {name for name in vars(type(value)) if not name.startswith("__")}
        if fields is None or not own <= set(fields):  # an object with methods
            raise NotJudged
        parts = fields.values()
    for part in parts:
        require_plain_data(part)


def kind_and_numbers(signature: str, numbers: Vector) -> tuple[bytes, Vector]:
    """Return a digest of the structure and the infinite numbers, and asinh of the finite numbers.

    asinh hardly changes small numbers and shrinks large numbers. So a −1e9 in a mask does not hide
    the other numbers of a sum.
    """
    odd = ~np.isfinite(numbers)
    if odd.any():
        signature += f" {np.flatnonzero(odd).tolist()} {numbers[odd].tolist()}"
        numbers = np.where(odd, 0.0, numbers)
    kind = hashlib.blake2b(signature.encode("utf-8", "replace"), digest_size=8).digest()
    return kind, np.arcsinh(numbers)


def projection_weights(count: int) -> Vector:
    """Return three rows of weights between −½ and ½. The weights are the same on every machine."""
    places = np.arange(1, count + 1, dtype=np.uint64)
    mixed = (places[np.newaxis, :] * _MULTIPLIERS[:, np.newaxis]) & np.uint64(0xFFFFFFFF)
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(2246822519) & np.uint64(0xFFFFFFFF)
    return np.asarray(mixed.astype(np.float64) / 2.0**32 - 0.5)
