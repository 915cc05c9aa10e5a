"""The instructor's desk, which shows a class's results in a browser on this machine only."""
