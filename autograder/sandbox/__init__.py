"""Worker processes: how the judge starts, calls, times and ends them."""
