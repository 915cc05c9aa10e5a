"""Support for courses that nbgrader manages."""
