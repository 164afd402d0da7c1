"""Permutation Hold'em: what showdowns tell about the hidden order of the ranks."""
