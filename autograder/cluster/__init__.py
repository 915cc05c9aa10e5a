"""Grading of a class on many machines. Dask starts the judges."""
