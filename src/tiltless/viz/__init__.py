"""Plots: grids, curves, cross tables, for files, terminals and notebooks."""
