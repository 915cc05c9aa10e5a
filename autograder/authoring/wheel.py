"""The engine as a wheel, put together from what is installed: the same files, the same bytes."""

import base64
import hashlib
import importlib.metadata
import io
import zipfile

from autograder.course.installation import PACKAGE, engine_folder, version

NEVER = ("__pycache__",)
WHEN = (1980, 1, 1, 0, 0, 0)


def wheel() -> tuple[str, bytes]:
    """The wheel's file name, and its bytes. It holds no course, and of the project no text."""
    there = importlib.metadata.distribution(PACKAGE)
    stem = f"{PACKAGE.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    engine = engine_folder()
    files = {
        f"autograder/{path.relative_to(engine).as_posix()}": path.read_bytes()
        for path in sorted(engine.rglob("*"))
        if path.is_file() and not set(path.parts) & set(NEVER)
    }
    head = (there.read_text("METADATA") or "").partition("\n\n")[0]
    lines = [line for line in head.split("\n") if not line.startswith(("Description", "License-F"))]
    version_line = [f"Version: {version()}"]
    kept = [line for line in lines if not line.startswith("Version:")]
    files[f"{info}/METADATA"] = ("\n".join([*kept[:2], *version_line, *kept[2:]]) + "\n").encode()
    files[f"{info}/entry_points.txt"] = (there.read_text("entry_points.txt") or "").encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    rows = [f"{name},sha256={_hash(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*rows, f"{info}/RECORD,,"]) + "\n").encode()
    return f"{stem}-py3-none-any.whl", zipped(files)


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip whose bytes depend on the names and the content of the files alone."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
