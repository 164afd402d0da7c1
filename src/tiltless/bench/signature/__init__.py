"""The signature: hashes of fixed work, the golden file, and the work."""
