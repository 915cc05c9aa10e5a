"""Code that cannot keep anything between two calls, so that its calls may share a process."""
