"""How fast the hidden order of Permutation Hold'em can be known: the report's methods and ours."""
