"""Any finite game as arrays: one node for each history.

`flatten` traverses the readable rules once and writes a `FlatTree`, the input of compiled kernels.
A sweep over all nodes needs no recursion: forward, a node's reach is known before its children's;
backward, the children's values before the node's. Nodes of one level do not depend on each other,
so a level may be divided among threads.
"""

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import InputError, OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, State
from tiltless.tabular.estimate import GameSize, bytes_needed, estimate
from tiltless.tabular.levels import MAX_DEPTH, MAX_NODES, level_order

__all__ = ["FlatGame", "FlatTree", "flatten", "key_text"]

Key = tuple[int, Hashable, Hashable]
Progress = Callable[[int, int], None]

_TICK = 0xFFFF  # histories between two checks of the clock and the memory
_SHARED = 65_536  # different payoffs, and different chance probabilities, that are kept once each


class FlatTree(NamedTuple):
    """The nodes of a game in level order (`tiltless.tabular.levels`), its payoffs and infosets.

    actor: int8 `[nodes]`, a player, or CHANCE (-1), or TERMINAL (-2).
    row: uint32 `[nodes]`; at a decision, the infoset; at a chance node, the index of the first
        child's probability in ``chance_probs``; at a terminal, the line of ``payoffs``.
    first: uint32 `[nodes + 1]`, the children of node i are ``first[i]`` … ``first[i + 1] - 1``.
    level: int64 `[levels + 1]`, the nodes of depth d are ``level[d]`` … ``level[d + 1] - 1``.
    chance_probs: float64, contiguous; chance nodes with the same probabilities share them.
    payoffs: float64 `[lines, players]`; terminal nodes with the same payoffs share a line.
    start: int64 `[infosets + 1]`; infoset i owns ``start[i]`` … ``start[i + 1] - 1`` of every
        table of actions (regrets, strategies), which therefore has ``start[-1]`` entries.
    player: int64 `[players + 1]`; the infosets of player p are ``player[p]`` …
        ``player[p + 1] - 1``, and among them those met earlier in the game come first.
    """

    actor: npt.NDArray[np.int8]
    row: npt.NDArray[np.uint32]
    first: npt.NDArray[np.uint32]
    level: npt.NDArray[np.int64]
    chance_probs: npt.NDArray[np.float64]
    payoffs: npt.NDArray[np.float64]
    start: npt.NDArray[np.int64]
    player: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FlatGame:
    """A game, its arrays, and the mapping from numbers back to text.

    keys: the key of each infoset, by number; ``number``: the inverse.
    actions: the legal actions of each infoset, in the order of its entries in tables.
    same_level: whether all histories of an infoset have one depth, as in every game where players
        know how many moves were made; a best response can then go level by level.
    """

    game: Game
    tree: FlatTree
    keys: Sequence[Key]
    number: dict[Key, int]
    actions: Sequence[Sequence[Any]]
    same_level: bool

    def __repr__(self) -> str:
        return f"<FlatGame of {self.game}: {self.nodes:,} nodes, {self.infosets:,} infosets>"

    @property
    def nodes(self) -> int:
        """How many histories there are, the start included."""
        return len(self.tree.actor)

    @property
    def terminals(self) -> int:
        """How many of them end the game."""
        return int(np.count_nonzero(self.tree.actor == TERMINAL))

    @property
    def infosets(self) -> int:
        """How many information sets there are."""
        return len(self.keys)

    @property
    def entries(self) -> int:
        """The length of a table with one number for each action of each infoset."""
        return int(self.tree.start[-1])

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(part.nbytes for part in self.tree)

    def infoset_text(self, number: int) -> str:
        """An infoset in words: ``"player 0, Js: check raise"``."""
        return key_text(self.keys[number])

    def action_texts(self, number: int) -> tuple[str, ...]:
        """The actions of an infoset in words."""
        return tuple(self.game.action_text(action) for action in self.actions[number])

    def moves(self, node: int) -> tuple[str, ...]:
        """The moves that lead to a node, in words; slow, for messages and tests."""
        first, steps = self.tree.first, []
        while node:
            parent = int(np.searchsorted(first, node, side="right")) - 1
            steps.append(node - int(first[parent]))
            node = parent
        state, words = self.game.start(), []
        for step in reversed(steps):
            move = list(_moves(state))[step]
            words.append(self.game.action_text(move))
            state = state.apply(move)
        return tuple(words)


def flatten(
    game: Game, *, memory_limit: int = 4 << 30, progress: Progress | None = None
) -> FlatGame:
    """Lay out every history of ``game``; refuse beforehand when it will not fit.

    memory_limit: bytes for the arrays and the infosets together, while they are being made.
    progress: called now and then with the number of histories so far and in total (estimated).
    """
    expected = estimate(game)
    _check_fit(game, expected, memory_limit)
    layout = _Layout(game.players)
    layout.run(game, memory_limit, progress, expected.nodes)
    return layout.finish(game)


def key_text(key: Key) -> str:
    """The key of an infoset in words: ``"player 0, Js: check raise"``."""
    player, public, private = key
    return f"player {player}, {_words(private) or 'nothing'}: {_words(public)}".rstrip(" :")


class _Layout:
    """The arrays while they grow, in preorder."""

    def __init__(self, players: int) -> None:
        self.depth, self.actor = array("H"), array("b")
        self.row, self.children = array("I"), array("I")
        self.chance_probs, self.payoffs = array("d"), array("d")
        self.players = players
        self.infosets: dict[Key, tuple[int, Sequence[Any]]] = {}

    def run(self, game: Game, limit: int, progress: Progress | None, expected: int) -> None:
        """Visit every history once; a node's children wait on a stack, the first on top."""
        note_depth, note_actor = self.depth.append, self.actor.append
        note_row, note_children = self.row.append, self.children.append
        infosets, payoff_lines = self.infosets, _Lines(self.payoffs, self.players)
        prob_lines = _Lines(self.chance_probs, 1)
        stack: list[tuple[State, int]] = [(game.start(), 0)]
        moves: Sequence[Any]
        while stack:
            state, depth = stack.pop()
            actor = state.actor
            note_depth(depth)
            note_actor(actor)
            if actor == TERMINAL:
                note_row(payoff_lines.index_of(state.payoffs))
                note_children(0)
            else:
                depth += 1
                if actor == CHANCE:
                    assert state.chance is not None
                    moves, chance_probs = zip(*state.chance.outcomes(), strict=True)
                    note_row(prob_lines.index_of(chance_probs))
                else:
                    infoset = state.infoset(actor)
                    key, moves = infoset[:3], infoset.actions  # the first three are its key
                    known = infosets.get(key)
                    if known is None:
                        known = infosets[key] = (len(infosets), moves)
                    elif known[1] != moves:
                        raise _two_menus(game, key, known[1], moves)
                    note_row(known[0])
                note_children(len(moves))
                apply = state.apply
                stack.extend([(apply(move), depth) for move in reversed(moves)])
                if not len(self.actor) & _TICK:
                    self.check(game, limit, depth)
                    if progress:
                        progress(len(self.actor), max(expected, len(self.actor) + len(stack)))
        if progress:
            progress(len(self.actor), len(self.actor))

    def check(self, game: Game, limit: int, depth: int) -> None:
        """Stop when the estimate was too low."""
        need = bytes_needed(len(self.actor), len(self.infosets))
        if need > limit or depth > MAX_DEPTH or len(self.actor) > MAX_NODES:
            raise _too_large(game, len(self.actor), need, limit, at_least=True)

    def finish(self, game: Game) -> FlatGame:
        """Sort nodes into levels and infosets by player."""
        depth = np.frombuffer(self.depth, dtype=np.uint16)
        levels = level_order(depth, np.frombuffer(self.children, dtype=np.uint32))
        actor = np.frombuffer(self.actor, dtype=np.int8)[levels.order]
        row = np.frombuffer(self.row, dtype=np.uint32)[levels.order]
        owner = np.fromiter((key[0] for key in self.infosets), np.int64, len(self.infosets))
        by_player = np.argsort(owner, kind="stable")
        renumbered = np.empty(len(owner), dtype=np.uint32)
        renumbered[by_player] = np.arange(len(owner), dtype=np.uint32)
        acts = actor >= 0
        row[acts] = renumbered[row[acts]]

        found = list(self.infosets.items())
        found = [found[i] for i in by_player.tolist()]
        keys = [key for key, _ in found]
        actions = [menu for _, (_, menu) in found]
        widths = np.fromiter(map(len, actions), np.int64, len(actions))
        tree = FlatTree(
            actor=actor,
            row=row,
            first=levels.first,
            level=levels.level,
            chance_probs=np.array(self.chance_probs, dtype=np.float64),
            payoffs=np.array(self.payoffs, dtype=np.float64).reshape(-1, self.players),
            start=np.concatenate([[0], np.cumsum(widths)]),
            player=np.searchsorted(owner[by_player], np.arange(self.players + 1)),
        )
        number = {key: i for i, key in enumerate(keys)}
        return FlatGame(game, tree, keys, number, actions, _one_level_each(tree, len(keys)))


class _Lines:
    """Rows of numbers in one array, equal ones kept once while there are not too many."""

    def __init__(self, numbers: "array[float]", width: int) -> None:
        self.numbers, self.width = numbers, width
        self.known: dict[tuple[float, ...], int] = {}

    def index_of(self, line: tuple[float, ...]) -> int:
        """The row of ``line``, which is added if it is new."""
        index = self.known.get(line)
        if index is None:
            index = len(self.numbers) // self.width
            self.numbers.extend(line)
            if len(self.known) < _SHARED:
                self.known[line] = index
        return index


def _one_level_each(tree: FlatTree, infosets: int) -> bool:
    depth = np.repeat(np.arange(len(tree.level) - 1), np.diff(tree.level))
    acts = tree.actor >= 0
    level_of = np.zeros(infosets, dtype=np.int64)
    level_of[tree.row[acts]] = depth[acts]
    return bool(np.all(level_of[tree.row[acts]] == depth[acts]))


def _moves(state: State) -> Iterator[Any]:
    """Every move at a state, in order."""
    if state.chance is None:
        yield from state.actions
    else:
        for outcome, _ in state.chance.outcomes():
            yield outcome


def _words(part: Hashable) -> str:
    """Part of a key as text; nested tuples are joined."""
    if isinstance(part, tuple):
        return " ".join(filter(None, map(_words, part)))
    return str(part)


def _check_fit(game: Game, expected: GameSize, limit: int) -> None:
    if expected.bytes > limit or expected.nodes > MAX_NODES:
        raise _too_large(game, expected.nodes, expected.bytes, limit, at_least=False)


def _too_large(game: Game, nodes: int, need: int, limit: int, *, at_least: bool) -> OptionError:
    about = "more than" if at_least else "about"
    return OptionError(
        f"{game.name} has {about} {nodes:.3g} histories, which need {need / 1e9:.3g} GB, and "
        f"the memory limit is {limit / 1e9:.3g} GB; allow more, shrink the game or abstract it"
    )


def _two_menus(game: Game, key: Key, one: Sequence[Any], other: Sequence[Any]) -> InputError:
    menus = [", ".join(map(game.action_text, menu)) for menu in (one, other)]
    return InputError(
        f"{game.name} offers {menus[0]} and {menus[1]} at one infoset ({key_text(key)}); "
        "correct the rules: players must know what they may do"
    )
