"""Estimators of strength: all-in equity, AIVAT, local best response."""
