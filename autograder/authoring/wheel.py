"""Wheel of the engine for a released course, built with hatchling.

Equal inputs give equal bytes.
"""

import importlib.metadata
import io
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

from autograder.course.installation import PACKAGE, engine_folder, version

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_OF_EXTRA = re.compile(r"(?:;| and) extra == ['\"]([\w-]+)['\"]$")


def build_wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel that contains the installed engine and no course."""
    from hatchling.builders.wheel import WheelBuilder

    # make a `pyproject.toml` from the metadata of the installed engine
    installed = importlib.metadata.distribution(PACKAGE)
    needed: list[str] = []
    optional: dict[str, list[str]] = {
        extra: [] for extra in installed.metadata.get_all("Provides-Extra") or []
    }
    for requirement in installed.requires or []:
        extra = _OF_EXTRA.search(requirement)
        if extra is None:
            needed.append(requirement)
        else:
            optional[extra[1]].append(requirement[: extra.start()])
    groups: dict[str, dict[str, str]] = {}
    for point in installed.entry_points:
        groups.setdefault(point.group, {})[point.name] = point.value
    project = {
        "name": PACKAGE,
        "version": version(),
        "description": installed.metadata["Summary"],
        "requires-python": installed.metadata["Requires-Python"],
        "dependencies": needed,
        "optional-dependencies": optional,
        "scripts": groups.pop("console_scripts", {}),
        "entry-points": groups,
    }
    packages = {"packages": ["autograder"]}
    config = {"project": project, "tool": {"hatch": {"build": {"targets": {"wheel": packages}}}}}
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(engine_folder(), Path(scratch, "autograder"), ignore=compiled)
        (path,) = WheelBuilder(scratch, config=config).build(directory=scratch)
        return Path(path).name, Path(path).read_bytes()


def zip_bytes(files: dict[str, bytes]) -> bytes:
    """Return a zip. Its bytes depend only on the names and the content of the files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
