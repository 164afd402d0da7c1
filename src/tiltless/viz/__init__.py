"""Pictures: grids, curves, cross tables, for files and for the terminal."""
