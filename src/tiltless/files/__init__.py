"""The one way that tiltless writes and reads files."""
