"""Safe reading of submissions. Their files may contain anything."""
