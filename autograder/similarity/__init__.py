"""Similarity of submissions: a list for a person to judge, never a verdict."""
