"""The blueprint engine: sampled CFR over an abstracted betting tree, and its strategies."""
