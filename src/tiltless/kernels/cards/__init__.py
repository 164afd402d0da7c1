"""Kernels for cards: evaluation, equity, canonical forms, buckets."""
