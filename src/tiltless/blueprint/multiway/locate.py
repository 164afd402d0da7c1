"""Locating a hand of three to six seats in a betting graph.

Before the flop the history is followed from the first decision. A table with fewer seats than the
graph is one where the first players to act have folded: button, blinds and the seats before them
keep their names. After the flop every street is entered anew, from what is really on the table: the
pot, the stack behind, the players who can still bet, who made the last bet of the street before,
and which two seats they are if only two saw the flop. So errors of translation do not pile up, and
readings (`tiltless.blueprint.readings`) last for one street.

**Blocks that no line leads to.** Of the blocks with the same street and number of players, the
nearest is taken: a bin of the stack-to-pot ratio counts 1, another last aggressor or another pair
5, as much as a ratio 1.6 times as large.

**Stacks.** A block has one stack. With unequal ones it is what the player whose decision is located
can win or lose against the deepest opponent: for the two deepest players that is the second largest
stack. Players who are all-in are not in the block; side pots count as pot.

Two seats are refused, since the button posts the small blind there, and so are more than the graph
has.
"""

from dataclasses import replace

from tiltless.blueprint.multiway.graph import RATIO_STEP, BettingGraph, BlockKey, ratio_bin
from tiltless.blueprint.table_fit import FEWEST_SEATS, misfit
from tiltless.blueprint.tree_spot import TreeSpot
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import NOBODY, Betting, open_round
from tiltless.games.holdem.history import StreetDeal, streets
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FIRST, FOLDS, STREET

__all__ = ["GraphSpots"]

_POT = 1_000_000  # chips of the pot at the start of a block; sizes are whole numbers of them
_OTHER = 5  # bins that another aggressor or another pair is away
_BLINDS = 3  # the button and the blinds, which every table has


class GraphSpots:
    """The nodes of a graph with their chips and actions; each is made once.

    In a block, chips are millionths of the pot at its start, and players are positions.
    """

    def __init__(self, graph: BettingGraph) -> None:
        if not graph.shared:
            raise OptionError(
                "hands are located in shared blocks only; train with shared blocks to play"
            )
        self.graph, self.players = graph, graph.players
        self._keys = {root: key for key, root in graph.roots.items()}
        self._blocks: dict[BlockKey, int] = {}  # of keys that the graph does not have
        self._spots: dict[int, TreeSpot] = {}
        self._pots: dict[int, int] = {}
        self.root = self._enter(0, graph.game.start(button=0).betting, graph.players * graph.ante)

    def check_table(self, game: str, rules: Rules) -> None:
        """Raise `OptionError` unless a table has the cards, and no more seats than the graph."""
        ours = self.graph.game.rules
        most, name = ours.seats, self.graph.game.name
        if rules.seats < FEWEST_SEATS:
            raise OptionError(
                f"the blueprint is for {FEWEST_SEATS} to {most} seats and the table has "
                f"{rules.seats}; choose another agent, such as blueprint"
            )
        if rules.seats > most:
            raise OptionError(
                f"the blueprint is for {FEWEST_SEATS} to {most} seats and the table has "
                f"{rules.seats}; choose an agent for any number, such as rules or monte-carlo"
            )
        other = misfit(ours, rules, seats=False)
        if other:
            raise OptionError(
                f"the blueprint is for {name} and cannot play {game}: it has other {other}; choose "
                "another agent, such as rules"
            )

    def first(self, view: View) -> TreeSpot:
        """The first decision of a table; before it, the seats that it does not have fold."""
        spot = self.root
        for _ in range(self.players - len(view.starting_stacks)):
            spot = self.after(spot, 0)
        return spot

    def player(self, view: View, seat: int, street: int) -> int:
        """Before the flop the graph's player in a seat, later the position in its block."""
        seats = len(view.starting_stacks)
        if street:
            return _order(view, streets(view)[street].betting).index(seat)
        far = (seat - view.button) % seats
        return far if far < _BLINDS else far + self.players - seats

    def street(self, street: int) -> int:
        """Streets are those of the table."""
        return street

    def dealt(self, tree_spot: TreeSpot, view: View, step: StreetDeal, own: int) -> TreeSpot:
        """The block for what is on the table; nobody acts where fewer than two can bet."""
        betting, past = step.betting, streets(view)
        order = _order(view, betting)
        if len(order) < 2:
            return tree_spot._replace(actor=NOBODY, spot=None, actions=())
        pot = sum(view.starting_stacks) - sum(betting.stacks)
        behind = sorted(betting.stacks[seat] for seat in order)
        stack = behind[-2] if own not in order else min(betting.stacks[own], behind[-2])
        aggressor, seats = past[step.street - 1].aggressor, _order(view, past[1].betting)
        pair: tuple[int, int] | None = None
        if len(seats) == 2:
            pair = self.player(view, seats[0], 0), self.player(view, seats[1], 0)
        lead = order.index(aggressor) if aggressor in order else NOBODY
        root = self._nearest(BlockKey(step.street, ratio_bin(stack, pot), len(order), lead, pair))
        return self._spots.get(root) or self._block(root)

    def _nearest(self, wanted: BlockKey) -> int:
        """The first decision of the block of a key, or of the nearest one."""
        root = self.graph.roots.get(wanted, self._blocks.get(wanted))
        if root is None:
            same = [
                key
                for key in self.graph.roots
                if (key.street, key.players) == (wanted.street, wanted.players)
            ]
            nearest = min(same, key=lambda key: _distance(key, wanted))
            root = self._blocks[wanted] = self.graph.roots[nearest]
        return root

    def _block(self, root: int) -> TreeSpot:
        """The first decision of a block."""
        key, rules = self._keys[root], self.graph.game.round(self._keys[root].street)
        stacks = (max(round(_POT * RATIO_STEP**key.ratio), 1),) * key.players
        none, everybody, last = (0,) * key.players, (1 << key.players) - 1, key.players - 1
        betting = open_round(replace(rules, bet=1), stacks, none, everybody, last)
        return self._enter(root, betting, _POT)

    def after(self, tree_spot: TreeSpot, index: int) -> TreeSpot:
        """The node after an action."""
        node = int(self.graph.nodes.node[tree_spot.node, FIRST]) + index
        found = self._spots.get(node)
        if found is None:
            pot = self._pots[tree_spot.node]
            found = self._enter(node, tree_spot.betting.after(tree_spot.actions[index]), pot)
        return found

    def _enter(self, node: int, betting: Betting, pot: int) -> TreeSpot:
        """A node after some betting.  pot: at the start of its street, without the blinds."""
        record = self.graph.nodes.node[node]
        actor, street = int(record[ACTOR]), int(record[STREET])
        spot: BetContext | None = None
        actions: tuple[Action, ...] = ()
        if actor >= 0:
            assert betting.actor == actor
            actions = self._actions(node, betting, bool(street))
            spot = spot_of(betting, pot + sum(betting.bets))
        self._pots[node] = pot
        entered = self._spots[node] = TreeSpot(node, actor, street, betting, spot, actions)
        return entered

    def _actions(self, node: int, betting: Betting, scaled: bool) -> tuple[Action, ...]:
        """The actions of a decision, in chips of ``betting``."""
        record, legal = self.graph.nodes.node[node], betting.actions
        first, count, folds = int(record[FIRST]), int(record[ACTIONS]), int(record[FOLDS])
        actions: list[Action] = [FOLD] if folds else []
        actions.append(CHECK if legal.check else CALL)
        unit = _POT if scaled else 1
        for child in range(first + len(actions), first + count):
            chips = round(float(self.graph.label[child]) * unit)  # of a number of 24 bits
            last = child == first + count - 1 and chips * 1.000001 >= legal.max_raise
            actions.append(RaiseTo(legal.max_raise if last else min(chips, legal.max_raise)))
        return tuple(actions)


def _distance(key: BlockKey, wanted: BlockKey) -> int:
    others = (key.aggressor != wanted.aggressor) + (key.pair != wanted.pair)
    return abs(key.ratio - wanted.ratio) + _OTHER * others


def _order(view: View, betting: Betting) -> list[int]:
    """The seats that can bet, in the order of action, at the start of a street."""
    seats = len(view.starting_stacks)
    clockwise = ((view.button + step) % seats for step in range(1, seats + 1))
    return [seat for seat in clockwise if betting.able >> seat & 1]
