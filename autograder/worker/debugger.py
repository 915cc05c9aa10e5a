"""Debugger for the student's code: repeat a call in a process that can use the terminal."""

import pdb
import traceback
from pathlib import Path
from typing import Any, NoReturn

from .codec import FRAME, decode
from .failures import innermost
from .messages import Callback, Request
from .preparation import warm_up
from .serve import Answers


def main(config: dict[str, Any]) -> None:
    """Load a source, repeat the call, and open the debugger at the student's failing line."""
    warm_up(config["warm"])
    data = memoryview(Path(config["requests"]).read_bytes())
    requests = []
    while data:
        header, payload, _ = FRAME.unpack_from(data)
        end = FRAME.size + header
        requests.append(decode(Request, data[FRAME.size : end], data[end : end + payload]))
        data = data[end + payload :]
    load, call = requests
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


def _no_judge(_ask: Callback) -> NoReturn:
    raise RuntimeError("in the debugger, a function of the check cannot be called")
