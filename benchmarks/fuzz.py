"""`make fuzz`: a coverage-guided fuzzer of the decoder, the notebook reader and the magics.

Only the declared exceptions may occur, and memory may not grow. It needs atheris, which the
project does not require: `pip install atheris`.
"""

import re
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["autograder.worker", "autograder.submission"]):
    from autograder.course.text import file_name, printable
    from autograder.submission.read import UnreadableFile
    from autograder.submission.source import read_source
    from autograder.worker.codec import ProtocolError, decode
    from autograder.worker.messages import Reply

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


def one(data: bytes) -> None:
    """Give one input to each reader of hostile bytes."""
    cut = data[0] if data else 0
    try:
        decode(Reply, data[1 : 1 + cut], data[1 + cut :])
    except ProtocolError:
        pass
    notebook = FOLDER / "softmax.ipynb"
    notebook.write_bytes(data)
    try:
        read_source(notebook, "softmax").digest
    except UnreadableFile:
        pass
    text = data.decode("utf-8", "surrogateescape")
    shown = printable(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", file_name(text))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
