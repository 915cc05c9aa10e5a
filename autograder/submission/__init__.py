"""Reading of submissions, whose files may contain anything."""
