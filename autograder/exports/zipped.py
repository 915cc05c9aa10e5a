"""A zip that has the same bytes whenever it is made."""

import io
import zipfile
from collections.abc import Iterable

BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, in a zip


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of files by their paths, in this order."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for path, content in files:
            file.writestr(zipfile.ZipInfo(path, BEGINNING), content)
    return data.getvalue()
