"""Kernels of the inference of Permutation Hold'em."""
