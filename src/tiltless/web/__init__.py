"""The browser: play, study, review, watch training (`tiltless web`)."""
