"""Reports for continuous integration: for test dashboards, job logs and beside the code."""
