"""Permutation Hold'em: an agent that learns the hidden order of ranks and plays hold'em with it."""
