"""Card abstraction: features of hands, buckets, their tables and presets."""
