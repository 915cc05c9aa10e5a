"""Whether answers depend on anything but the arguments: asked again, in another order, alone.

Nothing else that is said of a function's answers would be true of one whose answers depend on
what was called before, so this is found out first.
"""

from collections.abc import Callable, Sequence

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.outcome import same
from autograder.diagnosis.recipe import Probe
from autograder.diagnosis.seen import Answer

REMEMBERS = "remembers"
Ask = Callable[[Probe], Answer]
DEPENDS = (
    "The same call gives another result after other calls: it depends on something that an earlier "
    "call left behind, or on chance."
)
FIRST_IS_RIGHT = " The first call is right."


def dependence(
    probes: Sequence[Probe],
    answers: Sequence[Answer],
    right: Sequence[bool],
    alone: Callable[[], Ask],
) -> Finding | None:
    """What the answers depend on besides the arguments; None if that is nothing.

    Args:
        probes: the calls that were made, in this order, in a process where nothing ran before.
        answers: what came of them, and `right`, which of them are right.
        alone: another such process.
    """
    wrong = next((number for number, is_right in enumerate(right) if not is_right), 0)
    order = [wrong, *(n for n in reversed(range(len(probes))) if n != wrong)]
    ask = alone()
    again = {number: ask(probes[number]).outcome for number in order}
    if all(
        same(answers[number].outcome, outcome, probes[number].condition)
        for number, outcome in again.items()
    ):
        return None
    return Finding("located", DEPENDS + (FIRST_IS_RIGHT if right[0] else ""), (REMEMBERS,))
