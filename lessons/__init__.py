"""The figures of the lessons, drawn by code: `python -m lessons`."""
