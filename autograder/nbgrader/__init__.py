"""Support for courses managed with nbgrader, which keeps the notebooks and the gradebook."""
