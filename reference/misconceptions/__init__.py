"""Misconceptions: what students often write instead, one module an exercise, each as code.

A misconception replaces named steps of a recipe; the rest stays right. `autograder verify` shows
that each loses marks and is told from all others.
"""
