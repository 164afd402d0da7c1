"""Abstraction: card buckets, bet sizes and information features that shrink a game."""
