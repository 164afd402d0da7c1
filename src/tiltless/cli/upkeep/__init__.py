"""Commands for the installation: benchmarks, compiling ahead, the cache."""
