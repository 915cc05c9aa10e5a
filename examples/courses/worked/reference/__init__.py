"""Correct answers, in named steps. All code that knows an answer is in this package."""
