"""Kernels of the post-flop engine: CFR with vectors of 1,326 hands."""
