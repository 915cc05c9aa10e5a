"""Checks, one file per exercise."""
