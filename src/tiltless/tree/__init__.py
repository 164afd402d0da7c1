"""The bridge from readable rules to arrays for compiled kernels."""

from tiltless.tree.betting import BettingTree, betting_tree, count_nodes
from tiltless.tree.estimate import Estimate, estimate
from tiltless.tree.flat import FlatGame, FlatTree, flatten
from tiltless.tree.playout import Playouts, play
from tiltless.tree.public import PublicForm, PublicTree, public_form

__all__ = [
    "BettingTree",
    "Estimate",
    "FlatGame",
    "FlatTree",
    "Playouts",
    "PublicForm",
    "PublicTree",
    "betting_tree",
    "count_nodes",
    "estimate",
    "flatten",
    "play",
    "public_form",
]
