"""Files: atomic writes, checksummed array files, fingerprints.

::

    atomic        a file is either the old one or the new one, never half of each
    arrays        named arrays on disk, checksummed, memory-mapped when read
    header        the first bytes of such a file, and every check of what they claim
    blocks        an array as a stream of bytes, the same on every machine
    fingerprint   a short name for a configuration, the same on every machine
"""
