"""Aggregate reports over flops: one spot solved on every flop, or on a weighted subset."""
