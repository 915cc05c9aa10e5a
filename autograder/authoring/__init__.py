"""For authors: from a solution to what students get."""
