"""The student's commands: check, watch, status and next, and `check()` in a notebook."""
