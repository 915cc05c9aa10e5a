"""From a folder of results to what a platform takes: its own tables, filled in, and zips."""
