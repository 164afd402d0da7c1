"""Kernels of blueprints for three to six seats."""
