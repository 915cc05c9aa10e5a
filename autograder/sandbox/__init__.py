"""Management of worker processes: the judge starts, calls, times and ends them."""
