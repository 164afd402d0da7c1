"""The six-player report: its agent rebuilt, trained by self-play, and its trials played again."""
