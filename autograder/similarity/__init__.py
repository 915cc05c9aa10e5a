"""Lists of similar submissions for a person to judge."""
