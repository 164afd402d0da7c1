"""A poker AI that anyone can train on a laptop, play in a browser, study, extend and trust."""

from tiltless._version import __version__

__all__ = ["__version__"]
