"""Grading of a class on many machines. Dask sends submissions to judges on these machines."""
