"""Worker processes as the judge sees them: started, called, timed and ended."""
