"""A person at the table."""
