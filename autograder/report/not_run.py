"""Why a check was not run, in sentences of the engine's own."""

NOT_SELECTED = "Not run: it was not selected."


def needs_first(title: str) -> str:
    """Another check has to pass first."""
    return f"Not run: it needs “{title}” first."


def not_written(names: str, count: int) -> str:
    """So many names stand for stubs still."""
    return f"Not run: {names} {'is' if count == 1 else 'are'} not written yet."
