"""Management of worker processes by the judge: it starts, calls, times and ends them."""
