"""A zip that has the same bytes whenever it is made."""

import io
import zipfile
from collections.abc import Iterable

BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, in a zip
UNIX = 3  # the system whose rights are stored


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of files by their paths, in this order; scripts can be run as they come out of it."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for path, content in files:
            info = zipfile.ZipInfo(path, BEGINNING)
            info.create_system = UNIX
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = rights(content) << 16
            file.writestr(info, content)
    return data.getvalue()


def rights(content: bytes) -> int:
    """Who may do what with a file: everybody may read it, and run it if it is a script."""
    return 0o755 if content.startswith(b"#!") else 0o644
