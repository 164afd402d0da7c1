"""The rules of every game: readable, immutable, checked against oracles that we did not write."""
