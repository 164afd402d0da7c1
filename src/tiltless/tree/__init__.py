"""The bridge from readable rules to arrays for compiled kernels."""

from tiltless.tree.estimate import Estimate, estimate
from tiltless.tree.flat import FlatGame, FlatTree, flatten
from tiltless.tree.public import PublicForm, PublicTree, public_form

__all__ = [
    "Estimate",
    "FlatGame",
    "FlatTree",
    "PublicForm",
    "PublicTree",
    "estimate",
    "flatten",
    "public_form",
]
