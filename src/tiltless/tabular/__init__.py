"""The tabular engine: CFR on any finite game, best responses, strategies and their files."""
