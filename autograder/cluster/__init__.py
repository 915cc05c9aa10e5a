"""Grading of a class on many machines. Dask sends submissions, and judges there grade them."""
