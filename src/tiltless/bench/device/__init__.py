"""Programs for a machine with a graphics card: checks, rates and profiles."""
