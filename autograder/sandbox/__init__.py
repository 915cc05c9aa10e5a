"""Management of worker processes by the judge, which starts, calls, times and ends them."""
