"""What a course's checks import: the submission's functions, and what may be expected of them."""
