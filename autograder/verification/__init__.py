"""The grader graded: right answers, the stub, every misconception, mutants, and other seeds."""
