"""Three-player Kuhn and Leduc through the engine of several seats.

Both are betting of hold'em with antes, fixed bets and caps, so the betting graph is that of such
rules; cards come from a dealer of their own. Player 0 of the games acts first, which is the player
left of the button.
"""

import numpy as np

from tiltless.blueprint.multiway.deals import draw_callers
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.cards.hand_order import STANDARD
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import Street
from tiltless.kernels.multiway.hand_groups import MultiwayDeals
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, END, FIRST, FOLDS, LINK

WORDS = {1: ("fold", "call", "raise"), 0: ("check", "raise")}


class TinyDealer:
    """One card for each of three players, and a board card in Leduc."""

    def __init__(self, game):
        self.game = game
        self.leduc = game.name == "leduc"
        self.size = 8 if self.leduc else 4
        self.counts = (4, 16) if self.leduc else (4,)

    def deal(self, state, deals, callers=0.0):
        rng = np.random.default_rng(int(state[0]))
        cards = rng.permuted(np.tile(np.arange(self.size), (deals, 1)), axis=1)
        ranks = np.arange(self.size) // (2 if self.leduc else 1)
        bucket = np.zeros((deals, self.size, len(self.counts)), np.uint32)
        bucket[:, :, 0] = ranks
        strength = np.tile(ranks, (deals, 1)).astype(np.uint16)
        board = np.zeros(deals, np.uint64)
        if self.leduc:
            top = cards[:, 3] // 2
            bucket[:, :, 1] = ranks + 4 * top[:, None]
            strength += (8 * (ranks == top[:, None])).astype(np.uint16)
            board = np.uint64(1) << cards[:, 3].astype(np.uint64)
        words = rng.integers(0, 2**64, 2 * deals, dtype=np.uint64)
        return MultiwayDeals(
            np.uint64(1) << np.arange(self.size, dtype=np.uint64),
            bucket,
            strength,
            board,
            np.roll(cards[:, :3], 1, axis=1).astype(np.int64),
            draw_callers(words[deals:], 3, callers),
            words[:deals],
            np.zeros((0, 0), np.float32),
        )


def graph_of(name):
    if name == "kuhn":
        streets = (Street("one", 0, 1, True, 1),)
    else:
        streets = (Street("one", 0, 2, True, 2), Street("two", 1, 4, True, 2))
    rules = Rules((100,) * 3, (), streets, ante=1, hole_cards=5)
    game = Holdem(name, rules, (), 0, STANDARD)
    return betting_graph(game, MultiwayMenu.parse("a", "a", limper=0), shared=False)


def node_of(graph, line):
    """The node after some words."""
    at, node = 0, graph.nodes.node
    for word in line.replace("bet", "raise").split():
        if word != "/":
            at = int(node[at, FIRST]) + WORDS[int(node[at, FOLDS])].index(word)
            while node[at, ACTOR] == LINK:
                at = int(graph.nodes.target[node[at, END]])
    return at


def table_of(engine, flat):
    """The averages of an engine as a table of the flat game."""
    table = np.zeros(flat.entries)
    names = getattr(flat.game, "card_names", None) or tuple(flat.game.ranks)
    for number, (player, public, own) in enumerate(flat.keys):
        line, board = public if isinstance(public, tuple) else (public, "")
        at, rank = node_of(engine.graph, line), names.index(own)
        bucket = rank if not board else rank + 4 * names.index(board)
        row = engine.at(engine.average, at)[bucket].astype(float)
        assert engine.graph.nodes.node[at, ACTIONS] == len(flat.actions[number])
        begin, stop = flat.tree.start[number], flat.tree.start[number + 1]
        table[begin:stop] = row / row.sum() if row.sum() else 1 / len(row)
        assert player in range(3)
    return table
