"""Frames on a line: one read for a short one, and one write."""

import os
from collections.abc import Sequence

from .codec import FRAME, MAX_HEADER, MAX_PAYLOAD, Buffer, ProtocolError

CHUNK = 2048  # more would make the process larger, and it is asked whether it is as it was


class Wire:
    """Sends and receives frames by descriptors that block.

    What is `bounded` takes no frame that is larger than a worker may send.
    """

    def __init__(self, read_from: int, write_to: int, bounded: bool = False) -> None:
        self.read_from = read_from
        self.write_to = write_to
        self.bounded = bounded
        self._ahead = b""

    def receive(self) -> tuple[bytes, bytes, int]:
        """Header, payload and call number of the next frame.

        Raises:
            EOFError: the other side hung up.
            OSError: the line is broken.
            ProtocolError: the frame is too large.
        """
        header, payload, call = FRAME.unpack(self._read(FRAME.size))
        if self.bounded and (header > MAX_HEADER or payload > MAX_PAYLOAD):
            raise ProtocolError("a frame that is too large")
        return self._read(header), self._read(payload), call

    def _read(self, size: int) -> bytes:
        parts, left = [self._ahead[:size]], size - len(self._ahead)
        self._ahead = self._ahead[size:]
        while left > 0:
            part = os.read(self.read_from, max(CHUNK, min(left, 1 << 20)))
            if not part:
                raise EOFError
            parts.append(part[:left])
            self._ahead = part[left:]
            left -= len(part)
        return b"".join(parts)

    def send(self, header: int, payload: int, buffers: Sequence[Buffer], call: int) -> None:
        """Write a frame of what `encode` gave.

        Raises:
            OSError: the line is broken.
        """
        view = memoryview(b"".join([FRAME.pack(header, payload, call), *buffers]))
        while view:
            view = view[os.write(self.write_to, view) :]
