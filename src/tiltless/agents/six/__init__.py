"""Tables of three to six seats: the blueprint agent ``six``, and search on later streets."""

from tiltless.agents.six.agent import six

__all__ = ["six"]
