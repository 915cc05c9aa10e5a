"""The course: course.yml, variants, lateness, errors, texts, and installed libraries."""
