"""The right answers, in named steps."""
