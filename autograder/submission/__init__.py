"""What students hand in: reading it without trusting it."""
