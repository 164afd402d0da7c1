"""Compiled parts of the six-player report: its table, its nested policies, its self-play."""
