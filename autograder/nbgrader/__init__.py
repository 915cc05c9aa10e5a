"""Support for courses whose notebooks and gradebook are managed with nbgrader."""
