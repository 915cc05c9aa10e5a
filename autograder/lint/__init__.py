"""An author's slips, found before anything is graded: each with file, line and word."""
