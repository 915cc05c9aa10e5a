"""Grading of a class on many machines, with judges that Dask starts."""
