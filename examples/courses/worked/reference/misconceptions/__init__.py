"""Misconceptions: common mistakes of students as code, one module per exercise."""
