"""Reading of submissions, which may contain anything."""
