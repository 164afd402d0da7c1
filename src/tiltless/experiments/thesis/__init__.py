"""The experiment of the CFRv1/CFRv2 thesis."""
