"""Similarity of submissions: a list for a person to judge, and never a verdict."""
