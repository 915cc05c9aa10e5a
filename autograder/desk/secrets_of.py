"""What only the browser of the person at this machine knows."""

import hmac
import secrets
from typing import NamedTuple

BYTES = 32


class Secrets(NamedTuple):
    """The token of the first address, the value of the cookie, and what forms carry."""

    token: str
    session: str
    csrf: str

    @classmethod
    def drawn(cls) -> "Secrets":
        """New ones, which nobody can guess."""
        return cls(*(secrets.token_urlsafe(BYTES) for _ in cls._fields))


def same(one: str, other: str) -> bool:
    """Whether two texts are the same, in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
