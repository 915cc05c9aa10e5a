"""The instructor's desk: a class's results in a browser, on this machine only."""
