"""The exception tree: everything that tiltless raises on purpose.

::

    TiltlessError
    ├── InputError(ValueError)        a wrong value from a user or a program
    │   ├── CardError                 unknown, duplicate or overlapping cards
    │   ├── RangeError                a range that cannot be read, or is empty
    │   ├── ArrayError                an array of the wrong shape or dtype
    │   └── OptionError               any other argument outside its limits
    └── FileError(ValueError)         a file that cannot or must not be used
        ├── DamagedFileError          truncated, or a checksum does not match
        ├── ForeignFileError          not written by tiltless
        ├── NewerFileError            written by a newer tiltless
        ├── FingerprintError          made for another game or configuration
        └── WriteError(OSError)       not written: disk full, no permission …

A message is one line that names the value, the limit and the remedy. The command line prints it
and exits with code 2; a traceback means a bug in tiltless.
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
    """A wrong value from a user or a program."""


class CardError(InputError):
    """Unknown, duplicate or overlapping cards."""


class RangeError(InputError):
    """A range that cannot be read, or that must not be empty."""


class ArrayError(InputError):
    """An array of the wrong shape or dtype."""


class OptionError(InputError):
    """Any other argument outside its limits."""


class FileError(TiltlessError, ValueError):
    """A file that cannot or must not be used."""


class DamagedFileError(FileError):
    """A file that is truncated, or whose checksum does not match."""


class ForeignFileError(FileError):
    """A file that was not written by tiltless."""


class NewerFileError(FileError):
    """A file that was written by a newer version of tiltless."""


class FingerprintError(FileError):
    """An intact file, but made for another game, abstraction or configuration."""


class WriteError(FileError, OSError):
    """A file that could not be written: disk full, no permission, no such folder."""
