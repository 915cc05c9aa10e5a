"""Support for courses that are managed with nbgrader, which has the notebooks and gradebook."""
