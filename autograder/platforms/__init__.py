"""Downloads from learning platforms, and exports in the platforms' formats."""
