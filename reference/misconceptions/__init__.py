"""Misconceptions: common mistakes of students as code, one module per exercise.

A misconception replaces named steps of a recipe; the other steps stay right. `autograder verify`
shows that each one loses marks and is distinguished from all others.
"""
