"""Kernels of the blueprint engine: sampled CFR over a betting tree and buckets."""
