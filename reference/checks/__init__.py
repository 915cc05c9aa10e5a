"""The course's checks: one pytest file per exercise."""
