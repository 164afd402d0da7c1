"""River of Blood: our bot against the ones that reports describe, and search against none."""
