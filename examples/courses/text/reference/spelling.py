"""The right answers of `spelling`: its solution serves as the reference."""

from solutions.spelling import closest, corrected, edit_distance

__all__ = ["closest", "corrected", "edit_distance"]
