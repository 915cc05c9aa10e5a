"""Which mistake was made: misconceptions are replayed on the same inputs as the student's code.

A course's `reference.misconceptions.NAME` holds `RECIPES`: for each function of the exercise, its
named steps and the ways in which they are done wrong. Nothing here knows what the steps mean.
"""
