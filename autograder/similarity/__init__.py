"""Similarity of submissions: it makes a list that a person judges, and never decides itself."""
