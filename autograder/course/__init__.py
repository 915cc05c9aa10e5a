"""The course: course.yml, variants, lateness, errors, texts, and what is installed."""
