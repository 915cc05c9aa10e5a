"""The course's own functions in a process beside a submission's, called with hostile values."""

from collections.abc import Sequence
from typing import Any

from autograder.course import Library, Limits
from autograder.sandbox.child import Child, Children
from autograder.sandbox.client import Client
from autograder.sandbox.process import WorkerProcess
from autograder.submission.source import Source
from autograder.worker.codec import Handle
from autograder.worker.messages import Reply, Request


def beside(client: Client) -> "Beside":
    """The course's own code, in a process of its own that is there as long as a submission's."""
    ledger = client.ledger
    if ledger.beside is None:
        ledger.beside = Beside(client.children, client.library, client.limits)
    return ledger.beside


class Beside:
    """Functions of the course's in a process without a submission, called with hostile values.

    They are the right ones and the broken ones that a student's tests are tried on. Only what they
    return ever reaches the submission.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        self._client = _BesideClient(Source("course", "course.py", ()), library, limits, children)
        self._known: dict[str, Handle] = {}
        self._answering: WorkerProcess | None = None
        self._partner: WorkerProcess | None = None

    def call(self, text: str, name: str, args: list[Any], kwargs: dict[str, Any]) -> Reply:
        """What the function `name` of a text returns, with the arguments as they are then.

        Raises:
            StudentProblem: it raised, or did not come to an end.
        """
        on = self._number(text)
        return self._client.ask(Request("call", name, args, kwargs, on=on, echo=True))

    def _number(self, text: str) -> int:
        """What a text is kept as in the process."""
        worker = self._client.process()
        if worker is not self._answering:  # another process: what the last one kept is gone
            self._answering = worker
            self._known.clear()
        if text not in self._known:
            self._known[text] = self._client.define("course", text)
        return self._known[text].number

    def start(self, side: int, partner: WorkerProcess) -> None:
        """Begin anew, in a process with a line to a submission's, its `partner`."""
        self._client.process(side)
        self._partner = partner

    def is_partner_of(self, worker: WorkerProcess) -> bool:
        """Whether that process has a line to this one."""
        return self._partner is worker and self._client.process() is self._answering

    def offer(self, functions: Sequence[tuple[str, str]]) -> None:
        """Answer calls by the partner of these functions, each a name in a text, from now on."""
        kept = [[self._number(text), name] for text, name in functions]
        self._client.ask(Request("offer", "", kept))

    def close(self) -> None:
        self._client.close()


class _BesideClient(Client):
    def _child(self) -> Child:
        return self.children.take(self.library, self.limits, place="course", side=self.side)
