"""Misconceptions: common mistakes of students as code, one module per exercise.

A misconception replaces named steps of a recipe. All other steps stay right. `autograder verify`
shows that each misconception loses points and is distinguished from all others.
"""
