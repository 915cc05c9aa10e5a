"""A student's day: check, watch, status and next; the cell of a notebook that checks it."""
