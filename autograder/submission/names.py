"""Which names in a student's folder are of things that people made."""

IGNORED = {"__pycache__", "__MACOSX", ".ipynb_checkpoints", ".git", "node_modules"} | {
    "env",
    "venv",
    "site-packages",
    "dist-packages",
}


def counts(name: str) -> bool:
    """Whether a name is one that people give."""
    return name not in IGNORED and not name.startswith(".")
