"""The bridge from readable rules to arrays for compiled kernels."""

from tiltless.tree.betting import BettingTree, betting_tree, count_nodes
from tiltless.tree.estimate import Estimate, estimate
from tiltless.tree.flat import FlatGame, FlatTree, flatten
from tiltless.tree.match import MatchResult, Side, play_match
from tiltless.tree.playout import Playouts, play
from tiltless.tree.public import PublicForm, PublicTree, public_form

__all__ = [
    "BettingTree",
    "Estimate",
    "FlatGame",
    "FlatTree",
    "MatchResult",
    "Playouts",
    "PublicForm",
    "PublicTree",
    "Side",
    "betting_tree",
    "count_nodes",
    "estimate",
    "flatten",
    "play",
    "play_match",
    "public_form",
]
