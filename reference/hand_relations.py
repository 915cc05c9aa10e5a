"""Relations between the steps of attention by hand, for student kits, which have no solutions.

Each function tests whether a student's numbers fit together: the scores fit the matrices in the
text, and each later step fits the scores or the previous step.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import MayFollow, Mismatch, few, index, join_names

Numbers = npt.NDArray[np.float64]
Cells = npt.NDArray[np.bool_]
Steps = Mapping[str, Numbers]
WITHIN = 0.002  # allowed error of an entry
COARSE = 0.0099  # largest error of a correct number with two decimals
CLEAR = 10 * WITHIN  # numbers in a row that differ by less count as equal
AGAIN = {
    "scores": "row {i} of Q times row {j} of K",
    "scaled": "entry [{i}][{j}] of the scores, divided by √d_k",
    "weights": (
        "e to the power of entry [{i}][{j}], divided by the sum of these powers over row {i}"
    ),
    "output": "row {i} of the weights times column {j} of V",
}
ORDER = ("scores", "scaled", "weights", "output")


def judge_by_relations(name: str, steps: Steps, givens: Mapping[str, Any]) -> str:
    """Return the wrong earlier step from which a step follows. If there is none, return "".

    Args:
        name: the value, such as `a_scaled`.
        steps: the student's steps of this part by name, without missing or infinite numbers or
            wrong shapes.
        givens: the matrices Q, K and V.

    Raises:
        Mismatch: the step is wrong, whatever the earlier steps are.
        MayFollow: the step may be right for the numbers of an earlier, wrong step.
    """
    letter, step = name.split("_", 1)
    if step not in steps:
        raise Mismatch(f"{name} has an entry that is NaN or infinite.", name)
    wrong_before = first_wrong(step, steps, givens)
    wrong = None if wrong_before else ~fits(step, steps, givens)
    if step == "weights":
        expect_shares(name, steps[step], wrong)
    if wrong is not None:
        if wrong.any():
            raise not_right(name, steps[step], wrong)
        return ""
    before = ORDER[ORDER.index(step) - 1]
    has_right_scores = _holds("scores", steps, givens)
    shape = steps[step].shape
    right = fits(step, steps, givens) if has_right_scores else np.zeros(shape, bool)
    if right.all():
        return ""
    follows = np.zeros(shape, bool)
    if before in steps:
        follows = _follows(step, steps, givens)
        for rows in (steps[before], *([steps[step]] if step == "weights" else [])):
            follows[_trivial_rows(rows, steps, givens)] = False
    if (right | follows).all():
        return f"Right, from your {letter}_{before}."
    from_own = f"{letter}_{before}" if (follows & ~right).any() else ""
    mismatch = not_right(name, steps[step], ~(right | follows), from_own)
    raise mismatch if has_right_scores else MayFollow(mismatch, f"{letter}_{wrong_before}")


def judge_masked_row(name: str, row: Numbers, scores: Numbers) -> None:
    """Pass if the last position's weight is 0 and the other weights fit their scores.

    Raises:
        Mismatch: the row is wrong.
    """
    wrong = ~np.append(are_shares(row[:-1], scores[:-1]), abs(row[-1]) <= WITHIN)
    expect_shares(name, row, wrong)
    if wrong.any():
        raise not_right(name, row, wrong)


def expect_shares(name: str, rows: Numbers, wrong: Cells | None) -> None:
    """Pass if the rows are weights: between 0 and 1, with sum 1.

    Args:
        wrong: a mask of the wrong entries for the report. If they are unknown, None.

    Raises:
        Mismatch: the rows are not weights.
    """
    out = (rows < -WITHIN) | (rows > 1 + WITHIN)
    if out.any():
        place = tuple(int(i) for i in np.argwhere(out)[0])
        value = f"{rows[place]:g}".replace("-", "−").replace("inf", "∞")
        text = f"{name}{index(place)} is {value}. A weight is between 0 and 1."
        raise Mismatch(text, name, rows, None, out if wrong is None else wrong)
    sums = rows.sum(axis=-1)
    off = np.abs(sums - 1) > rows.shape[-1] * WITHIN
    if off.any():
        place = tuple(int(i) for i in np.argwhere(off)[0])
        said = f"sums to {round(float(sums[place]), 3):g}. The weights of a row sum to 1."
        raise Mismatch(f"{name}{index(place)} {said}", name, rows, None, wrong)


def not_right(
    name: str, answer: Numbers, wrong: Cells, from_own: str = "", later: str = ""
) -> Mismatch:
    """Return the message for wrong entries, without the right entries.

    All other entries are right, or follow from the student's step `from_own`.
    """
    places = [index(tuple(int(i) for i in place)) for place in np.argwhere(wrong)]
    be, does = ("is", "does") if len(places) == 1 else ("are", "do")
    nor = f" and {does} not count as following from your {from_own}" if from_own else ""
    count = f"{len(places)} of {wrong.size} entries {be} wrong{nor}: {few(places, 6)}"
    if wrong.all() and not nor:
        count = f"all {wrong.size} entries are wrong"
    text = f"{name}: {count}."
    if len(places) == 1 and wrong.size > 4 and not nor:
        i, j = map(int, np.argwhere(wrong)[0])
        again = AGAIN[name.split("_", 1)[1]].format(i=i, j=j)
        text += f" All other entries are right. Calculate this entry again: {again}."
    return Mismatch(text + later, name, answer, None, wrong)


def too_few_decimals(own: Numbers, fitting: Cells) -> bool:
    """Return True if the numbers have two decimals and fit within `COARSE`."""
    return bool(fitting.all() and (np.round(own, 2) == own).all())


def with_few_decimals(wrong: Mismatch, name: str) -> Mismatch:
    """Return the message `wrong`, changed to say that the numbers have too few decimals."""
    says = f"{name}: your numbers are close to the right numbers, but two decimals are too few."
    return Mismatch(says, name, wrong.yours, None, wrong.wrong)


def first_wrong(step: str, steps: Steps, givens: Mapping[str, Any]) -> str:
    earlier = ORDER[: ORDER.index(step)]
    return next((each for each in earlier if not _holds(each, steps, givens)), "")


def _holds(step: str, steps: Steps, givens: Mapping[str, Any]) -> bool:
    return step in steps and bool(fits(step, steps, givens).all())


def near(own: Numbers, numbers: Any, times: Any = 1.0, allowed: float = 0.0) -> bool:
    """Return True if the numbers agree.

    `allowed` is an additional tolerance, because a student may round in another way.
    """
    if own.shape != np.shape(numbers):
        return False
    return bool((np.abs(own - numbers) <= (allowed or as_written(own)) * times).all())


def as_written(own: Numbers) -> float:
    """Return the tolerance for rounded numbers: one unit in the last decimal.

    The tolerance is at most that of a right entry, and at least half a thousandth.
    """
    digits = next((n for n in range(4) if (np.round(own, n) == own).all()), 4)
    return min(WITHIN, max(10.0**-digits, WITHIN / 4))


def fits(step: str, steps: Steps, givens: Mapping[str, Any], within: float = WITHIN) -> Cells:
    """Return a mask of the entries of a step that fit the correct scores."""
    Q, K, V = (np.asarray(givens[each], float) for each in "QKV")
    own, scores = steps[step], steps["scores"]
    root = K.shape[1] ** 0.5
    if step == "scores":  # |q − k|² = |q|² + |k|² − 2 q·k
        apart = np.square(Q[:, np.newaxis] - K[np.newaxis]).sum(axis=-1)
        sizes = np.square(Q).sum(axis=-1)[:, np.newaxis] + np.square(K).sum(axis=-1)
        return np.asarray(np.abs(sizes - apart - 2 * own) <= 2 * within)
    if step == "scaled":
        return np.asarray(np.abs(own * root - scores) <= within * root)
    if step == "weights":
        return are_shares(own, scores / root, within)
    sizes = np.exp(scores / root)[..., np.newaxis]  # so the rows of V are centred
    around = (sizes * (V[np.newaxis] - own[:, np.newaxis])).sum(axis=1)
    return np.asarray(np.abs(around) <= within * sizes.sum(axis=1))


def _follows(step: str, steps: Steps, givens: Mapping[str, Any]) -> Cells:
    own, before = steps[step], steps[ORDER[ORDER.index(step) - 1]]
    if step == "scaled":
        return fits(step, steps, givens)
    if step == "weights":
        return are_shares(own, before)
    V = np.asarray(givens["V"], float)
    return np.asarray(np.abs(np.einsum("ij,jc->ic", before, V) - own) <= WITHIN)


def with_later(
    text: str,
    name: str,
    steps: Steps,
    givens: Mapping[str, Any],
    is_right: Callable[[str], bool | None] = lambda _: None,
) -> str:
    """Return a message on a wrong step, with the later steps that follow from it.

    If a wrong later step follows from the wrong step, the message asks the student to compute the
    later step again.
    """
    letter, step = name.split("_", 1)
    following: list[str] = []
    other = ""
    for each in ORDER[ORDER.index(step) + 1 :]:
        before = ORDER[ORDER.index(each) - 1]
        if each not in steps or before not in steps:
            break
        if not _follows(each, steps, givens).all():
            if is_right(each) is False:
                last = f"{letter}_{each} does not follow from your {letter}_{before}"
                other = f" {last}, and is wrong too."
            break
        if not is_right(each):
            following.append(f"{letter}_{each}")
    if following:
        follow, them = ("follows", "it") if len(following) == 1 else ("follow", "them")
        text += f" {join_names(following)} {follow} from {name}: calculate {them} again."
    return text + other


def are_shares(shares: Numbers, x: Numbers, allowed: float = WITHIN) -> Cells:
    """Return a mask of the entries j for which entry j times Σ_k e^(x_k − x_j) is 1."""
    if shares.shape != x.shape:
        return np.zeros(shares.shape, bool)
    ratios = np.exp(x[..., np.newaxis, :] - x[..., :, np.newaxis]).sum(axis=-1)
    return np.asarray(np.abs(shares * ratios - 1) <= allowed * ratios)


def _trivial_rows(rows: Numbers, steps: Steps, givens: Mapping[str, Any]) -> Cells:
    known = np.zeros(len(rows), bool)
    if "scores" in steps:
        known = np.asarray(fits("scores", steps, givens).all(axis=1))
        known &= np.ptp(steps["scores"], axis=1) <= CLEAR
    ends = np.abs(np.sort(rows, axis=1) - np.eye(rows.shape[1])[-1]).max(axis=1)
    needs_no_work = (np.ptp(rows, axis=1) <= CLEAR) | (ends <= CLEAR)
    return np.asarray(needs_no_work & ~known)
