"""Worker processes, as the judge has them: started, asked, timed and ended."""
