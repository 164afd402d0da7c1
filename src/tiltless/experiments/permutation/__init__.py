"""Permutation Hold'em: a report's inference of the hidden order and its bots, beside ours."""
