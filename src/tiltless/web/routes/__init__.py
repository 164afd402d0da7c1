"""Routes of the pages: play, study, drills, runs and results."""
