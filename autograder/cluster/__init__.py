"""Grading of a class on many machines: Dask transports submissions, judges there grade them."""
