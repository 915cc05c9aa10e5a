"""The record of a grading, and its output formats: terminal, page, table, picture."""
