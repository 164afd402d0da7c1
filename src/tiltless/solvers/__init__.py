"""Solvers of the CFR family for any game, and exact measures of what they find."""
