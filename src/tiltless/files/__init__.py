"""Files: atomic writes, checksummed array files, fingerprints.

::

    atomic        atomic writes: a reader sees the old file or the new one, never a mixture
    arrays        named arrays on disk, checksummed, memory-mapped when read
    header        the header of such a file, and every check of its claims
    blocks        an array as a stream of bytes, the same on every machine
    fingerprint   a short hash of a configuration, the same on every machine
"""
