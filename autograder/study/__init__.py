"""A student's day: how far the course has come, what is next, and checks as files are saved."""
