"""The libraries that submissions may import here, besides Python's own."""

import importlib.metadata

# As they are imported, and as they are installed.
OFFERED = {
    "numpy": "numpy",
    "matplotlib": "matplotlib",
    "torch": "torch",
    "scipy": "scipy",
    "pandas": "pandas",
    "seaborn": "seaborn",
    "einops": "einops",
}


def installed() -> dict[str, str]:
    """The versions by name; empty for one that is not here. Nothing is imported for that."""
    found = {}
    for name, package in OFFERED.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found
