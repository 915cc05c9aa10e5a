"""Why a check was not run, in sentences of the engine's own."""

NOT_SELECTED = "Not run: it was not selected."


def needs_first(title: str) -> str:
    """Another check has to pass first."""
    return f"Not run: it needs “{title}” first."
