"""Actions as numbers and observations as vectors, for programs that learn."""
