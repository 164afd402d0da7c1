"""Bet abstraction: sizes, menus, and the translation of off-tree bets."""
