"""A class graded on many machines: Dask carries chunks of submissions, judges grade them there."""
