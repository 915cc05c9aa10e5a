"""What one page leaves for the next: a sentence that is said once, a file to be fetched."""

import secrets
import threading
from collections import OrderedDict
from typing import NamedTuple

MOST = 8


class KeptFile(NamedTuple):
    """A file that was made for somebody to fetch, and what is to be said of it."""

    name: str
    data: bytes
    notes: tuple[str, ...]


class KeptForOnce:
    """The last few sentences and files, by keys that nobody can guess; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: OrderedDict[str, str] = OrderedDict()
        self._files: OrderedDict[str, KeptFile] = OrderedDict()

    def say(self, text: str) -> str:
        """Keep a sentence; its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._said[key] = text
            while len(self._said) > MOST:
                self._said.popitem(last=False)
        return key

    def said(self, key: str) -> str:
        """A sentence, which is then forgotten; nothing where there is none."""
        with self._lock:
            return self._said.pop(key, "")

    def keep(self, file: KeptFile) -> str:
        """Keep a file; its key."""
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._files[key] = file
            while len(self._files) > MOST:
                self._files.popitem(last=False)
        return key

    def file(self, key: str) -> KeptFile | None:
        """A file that is kept."""
        with self._lock:
            return self._files.get(key)
