"""Information sets as products of features: the algebra of abstractions."""
