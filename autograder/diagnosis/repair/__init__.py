"""Verified repair: a small edit of a student's code that makes every check pass."""
