"""Record of a grading run, and its output formats: terminal, web page, table and picture."""
