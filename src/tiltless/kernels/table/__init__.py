"""Hold'em tables as rows of arrays: betting, showdowns and observations, for many at once."""
