"""The course's checks: one pytest file an exercise."""
