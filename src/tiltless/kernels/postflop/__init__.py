"""Kernels of the post-flop engine: CFR with vectors of hands."""
