"""What the pages are sent, as plain data for JSON."""
