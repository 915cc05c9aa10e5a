"""Reading of submissions as untrusted input."""
