"""Compiled playouts and matches over a betting tree."""
