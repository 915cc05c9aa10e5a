"""Submissions: read without being trusted."""
