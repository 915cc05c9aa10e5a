"""Auto-graded exercises: run a student's file in a process of its own, compare, explain."""

__version__ = "0.1.0"
