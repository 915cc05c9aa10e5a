"""Lists of similar submissions for a person to judge. The package never decides itself."""
