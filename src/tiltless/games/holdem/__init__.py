"""Hold'em: its rules, states, views and records."""
