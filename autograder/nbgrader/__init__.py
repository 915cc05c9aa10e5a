"""Courses that nbgrader manages: its notebooks, its gradebook, its feedback; our grading."""
