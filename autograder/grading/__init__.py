"""One submission after another through the checks, and from their results to a report."""
