"""Verified repair: a small edit of a student's own code that makes every check pass."""
