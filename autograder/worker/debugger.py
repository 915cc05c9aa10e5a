"""Debugger for the student's code: repeat a call in a process that can use the terminal."""

import pdb
import traceback
from typing import IO, Any, NoReturn

from .codec import FRAME, decode
from .failures import innermost
from .messages import Callback, Request
from .preparation import warm_up
from .serve import Answers


def main(config: dict[str, Any]) -> None:
    """Load a source, repeat the call, and open the debugger at the student's failing line."""
    warm_up(config["warm"])
    with open(config["requests"], "rb") as file:
        load, call = _request(file), _request(file)
    answers = Answers(config["hidden"], _no_judge)
    answers.answer(load)
    try:
        answers.call(call)
    except BaseException as error:
        step = innermost(error.__traceback__, answers.labels)
        if step is not None:
            step.tb_next = None  # leave out the libraries' frames below the student's frame
            print(traceback.format_exception_only(error)[-1], end="")
            pdb.post_mortem(error.__traceback__)


def _request(file: IO[bytes]) -> Request:
    header, payload, _ = FRAME.unpack(file.read(FRAME.size))
    return decode(Request, file.read(header), file.read(payload))


def _no_judge(_ask: Callback) -> NoReturn:
    raise RuntimeError("in the debugger, a function of the check cannot be called")
