"""Kernels of the tabular engine: full and sampled CFR over any finite game."""
