"""Record of a grading run, and output formats: terminal, web page, table and picture."""
