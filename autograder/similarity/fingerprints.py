"""Fingerprints of code by the library copydetect, which ignores names, blanks and comments.

Each run of 25 characters is a fingerprint, and all are kept: a selection would depend on Python's
own hashes, which differ between two processes.
"""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from autograder.submission.source import Source

if TYPE_CHECKING:
    from copydetect import CodeFingerprint

Fingerprints = npt.NDArray[np.int64]  # sorted, without duplicates
Spans = list[tuple[int, int]]  # (start, end) in a text

RUN = 25  # characters of a fingerprint
LONGEST = 32 * 1024  # the most characters of a submission that are compared


def code_of(source: Source, others: Iterable[str]) -> str:
    """Return a submission's code: its cells and helper files, but no files of other exercises."""
    helpers = [text for name, text in sorted(source.helpers.items()) if name not in set(others)]
    return normalized("\n".join([source.text, *helpers]))


def normalized(text: str) -> str:
    """Return a text in normal form. Positions of fingerprints refer to this form."""
    return text.replace("\r\n", "\n").replace("\r", "\n")[:LONGEST].strip("\n") + "\n"


def fingerprints_of(text: str) -> Fingerprints:
    """Return the fingerprints of a normalized text: int64 of shape (n,), sorted, all different."""
    return np.array(sorted(_made(text).hashes), dtype=np.int64)


def common_spans(one: str, other: str, known: Fingerprints) -> tuple[Spans, Spans]:
    """Return the shared spans of both normalized texts, without known fingerprints."""
    from copydetect import compare_files

    taken_out = set(known.tolist())
    both = [_made(text) for text in (one, other)]
    for prints in both:
        prints.hashes -= taken_out
        for each in taken_out & prints.hash_idx.keys():
            del prints.hash_idx[each]
    _, _, slices = compare_files(*both)
    return _stretches(slices[0], len(one)), _stretches(slices[1], len(other))


def _made(text: str) -> "CodeFingerprint":
    from copydetect import CodeFingerprint

    made = CodeFingerprint("work.py", RUN, 1, fp=io.StringIO(text), language="python")
    if len(made.offsets):  # the offsets begin again after the name of a class
        made.offsets[:, 1] = np.maximum.accumulate(made.offsets[:, 1])
    return made


def _stretches(found: npt.NDArray[np.int64], length: int) -> Spans:
    """Return the library's spans in order. Adjacent spans are joined."""
    joined: Spans = []
    places = np.clip(found.astype(int), 0, length).T.tolist() if found.size else []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif start < end:
            joined.append((start, end))
    return joined
