"""Diagnosis of mistakes: a misconception is run on the inputs that the student's code got.

A recipe splits a function into steps, and has wrong versions of some steps. The course's modules
`reference.misconceptions.NAME` contain the recipes.
"""
