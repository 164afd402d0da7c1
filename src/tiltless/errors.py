"""The exception tree: everything that tiltless raises on purpose.

::

    TiltlessError
    ├── InputError(ValueError)        a value from a person or a program is wrong
    │   ├── CardError                 unknown, duplicate or overlapping cards
    │   ├── RangeError                a range that cannot be read, or is empty
    │   ├── ArrayError                an array of the wrong shape or dtype
    │   └── OptionError               any other argument outside its limits
    └── FileError(ValueError)         a file that we will not or cannot use
        ├── DamagedFileError          truncated, or a checksum does not match
        ├── ForeignFileError          not written by tiltless
        ├── NewerFileError            written by a newer tiltless
        ├── FingerprintError          ours, but made for something else
        └── WriteError(OSError)       not written: disk full, not allowed …

A message is one line that names the value, the limit and the remedy. The command line prints it
and exits with code 2; a traceback means a bug of ours.
"""

__all__ = [
    "ArrayError",
    "CardError",
    "DamagedFileError",
    "FileError",
    "FingerprintError",
    "ForeignFileError",
    "InputError",
    "NewerFileError",
    "OptionError",
    "RangeError",
    "TiltlessError",
    "WriteError",
]


class TiltlessError(Exception):
    """Root of the tree."""


class InputError(TiltlessError, ValueError):
    """A value from a person or a program is wrong."""


class CardError(InputError):
    """Unknown, duplicate or overlapping cards."""


class RangeError(InputError):
    """A range that cannot be read, or that is empty where it must not be."""


class ArrayError(InputError):
    """An array of the wrong shape or dtype."""


class OptionError(InputError):
    """Any other argument outside its limits."""


class FileError(TiltlessError, ValueError):
    """A file that we will not use, or cannot."""


class DamagedFileError(FileError):
    """Truncated, or a checksum does not match."""


class ForeignFileError(FileError):
    """Not written by tiltless."""


class NewerFileError(FileError):
    """Written by a newer version of tiltless."""


class FingerprintError(FileError):
    """A sound file of ours, but made for another game, abstraction or configuration."""


class WriteError(FileError, OSError):
    """A file could not be written: disk full, not allowed, no such folder."""
