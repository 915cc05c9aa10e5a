"""The one record of a grading, and the faces it has: terminal, page, table, picture."""
