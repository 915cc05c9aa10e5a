"""What students do in place of the right thing: one module an exercise, each mistake as code.

A misconception replaces named steps of a recipe; the rest stays right. `autograder verify` shows
that each loses marks and is told from all others.
"""
