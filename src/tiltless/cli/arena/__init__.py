"""Commands to play, and to compare agents."""
