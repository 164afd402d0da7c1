"""A line of play in one readable text: ``r2.5bb c / x b50%``.

Words are actions in order, and a slash begins each street after the first:

======================  =======================================================================
``f``, ``x``, ``c``     fold, check, call
``b6``, ``r6``          bet or raise to 6 chips in all on this street
``r2.5bb``              to 2.5 big blinds in all
``b50%``, ``r100%``     call first, then add so much of the pot as it is then
``r3x``                 to 3 times the bet that is faced
``a``, ``ba``, ``ra``   all-in;  ``rmin``: the smallest legal raise
======================  =======================================================================

``b`` and ``r`` are the same. A tree has few sizes: what is asked for becomes the nearest of them by
chips, the smaller of two, and `ReadLine.notes` says so.
"""

import re
from typing import NamedTuple

from tiltless.abstraction.bets.size import BetContext, Size, number_text, parse_size, spot_of
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, PARENT, STREET
from tiltless.validate import brief

__all__ = ["Choice", "ReadLine", "line_text", "offered_words", "read_line"]

_PLAIN: dict[str, Action] = {"f": FOLD, "x": CHECK, "c": CALL}
_WORDS = {action: word for word, action in _PLAIN.items()}
_RAISE = re.compile(r"[br](?P<chips>[0-9]{1,18})|[br](?P<size>[0-9.]+(?:bb|%|x)|a|min)|(?P<all>a)")
_REMEDY = "write f, x, c, b50%, r2.5bb, r3x, r6 (chips in all), rmin or a, and / for a new street"


class Choice(NamedTuple):
    """One action of a decision in words; share: of the pot after calling, None if no raise."""

    label: str
    action: Action
    share: float | None
    all_in: bool


class ReadLine(NamedTuple):
    """Where a line leads.

    node: of the tree.  actor, street, betting, pot: what is there; an actor below 0 is that of a
    tree, and the hand is over or the board decides.  text: the line as the tree has it, in chips.
    notes: where a size was not on the menu, what was taken instead.
    """

    node: int
    actor: int
    street: int
    betting: Betting
    pot: int
    text: str
    notes: tuple[str, ...]

    def choices(self, tree: BettingTree) -> tuple[Choice, ...]:
        """The actions on offer, in the order of the table."""
        if self.actor < 0:
            return ()
        spot = spot_of(self.betting, self.pot)
        actions = (tree.action(child) for child in tree.children(self.node))
        return tuple(_choice(action, self.betting, spot) for action in actions if action)


def _choice(action: Action, betting: Betting, spot: BetContext) -> Choice:
    if not isinstance(action, RaiseTo):
        price = f" {betting.actions.call}" if action == CALL else ""
        all_in = action == CALL and betting.actions.call == betting.stacks[betting.actor]
        return Choice(f"{action}{price}", action, None, all_in)
    all_in = action.chips >= _all_in(betting)
    verb = "raise to" if betting.high else "bet"
    label = f"{verb} {action.chips}" + " (all-in)" * all_in
    return Choice(label, action, spot.share(action.chips), all_in)


def _all_in(betting: Betting) -> int:
    """The total that puts the player to act all-in, or all who could call; rules may allow less."""
    actor, bets, stacks = betting.actor, betting.bets, betting.stacks
    totals = [bet + stack for bet, stack in zip(bets, stacks, strict=True)]
    others = [totals[p] for p in range(len(bets)) if betting.able >> p & 1 and p != actor]
    return min(totals[actor], max(others, default=0))


def read_line(tree: BettingTree, line: str) -> ReadLine:
    """Follow a line through a tree; `OptionError` names the word that does not fit."""
    if not isinstance(line, str):
        raise OptionError(f"{brief(line)} is not a line; {_REMEDY}")
    return _Reader(tree, line).read()


class _Reader:
    """Where the reading stands: a node, and the chips there."""

    def __init__(self, tree: BettingTree, line: str) -> None:
        self.tree, self.line = tree, line
        self.walk = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self.node = 0
        self.actor, self.betting, self.street, self.aggressor = self.walk.settle(
            self.walk.first, 0, NOBODY
        )
        self.told: list[str] = []
        self.notes: list[str] = []
        self.fresh = False  # whether a street has begun and its slash is still to come

    @property
    def pot(self) -> int:
        return self.walk.chips - sum(self.betting.stacks)

    def read(self) -> ReadLine:
        for word in self.line.casefold().replace("/", " / ").split():
            if word == "/":
                self.slash()
            else:
                self.act(word)
        where = (self.node, self.actor, self.street, self.betting, self.pot)
        return ReadLine(*where, " ".join(self.told), tuple(self.notes))

    def slash(self) -> None:
        """A new street, which must have begun; past chance, the one that the board calls for."""
        if self.actor == CHANCE:
            self.node = self.tree.children(self.node)[1]
            self.actor, self.street = self.betting.actor, self.walk.next_street(self.street)
        elif not self.fresh:
            raise self.wrong("/", "this street is not over" if self.actor >= 0 else self.over())
        self.fresh = False
        self.told.append("/")

    def act(self, word: str) -> None:
        if self.actor < 0 or self.fresh:
            reason = f"the {self.tree.street_name(self.street)} begins before it; write / first"
            raise self.wrong(word, reason if self.fresh or self.actor == CHANCE else self.over())
        offered = {self.tree.action(child): child for child in self.tree.children(self.node)}
        action = _PLAIN.get(word) or self.nearest(word, offered)
        if action not in offered:
            names = ", ".join(str(each) for each in offered)
            raise self.wrong(word, f"the tree offers {names}")
        self.told.append(_word(action, self.betting.high > 0))
        before = self.street
        aggressor = self.walk.aggressor(self.betting, action, self.aggressor)
        self.node = offered[action]
        self.actor, self.betting, self.street, self.aggressor = self.walk.settle(
            self.betting.after(action), self.street, aggressor
        )
        self.fresh = self.actor >= 0 and self.street != before

    def nearest(self, word: str, offered: dict[Action | None, int]) -> Action:
        """The raise on the menu that a word stands for."""
        form = _RAISE.fullmatch(word)
        if form is None:
            raise OptionError(
                f"{brief(word)} in the line {brief(self.line)} is no action; {_REMEDY}"
            )
        raises = [action for action in offered if isinstance(action, RaiseTo)]
        if not raises:
            names = ", ".join(str(each) for each in offered)
            raise self.wrong(word, f"the tree has no raise here; it offers {names}")
        spot = spot_of(self.betting, self.pot, self.tree.game.rules.big_blind)
        all_in = _all_in(self.betting)
        if form["chips"]:
            chips = int(form["chips"])
        else:
            size = parse_size(form["size"] or "a")
            chips = max(all_in, spot.top) if size.unit == "a" else _chips(size, spot)
        wanted = spot.top if spot.top >= all_in and chips >= all_in else chips
        best = min(raises, key=lambda action: (abs(action.chips - wanted), action.chips))
        if best.chips != wanted:
            sizes = ", ".join(str(action.chips) for action in raises)
            self.notes.append(
                f"{word} is {number_text(chips)} chips, which the tree does not have; "
                f"took {best.chips} of {sizes}"
            )
        return best

    def wrong(self, word: str, reason: str) -> OptionError:
        """The error for a word that does not fit where it stands."""
        after = f"after {' '.join(self.told)!r}" if self.told else "at the start"
        return OptionError(
            f"{word!r} does not fit {after} in the line {brief(self.line)}: {reason}"
        )

    def over(self) -> str:
        return "the hand is over; shorten the line"


def _chips(size: Size, spot: BetContext) -> int:
    """The total that a size asks for, legal or not; rounded as menus round."""
    if size.unit == "min":
        return spot.low
    if size.unit == "%":
        return int(spot.bet + size.amount * spot.pot / 100 + 0.5)
    return int(size.amount * (spot.bet if size.unit == "x" else spot.big_blind) + 0.5)


def _word(action: Action, raised: bool) -> str:
    """An action as a line has it: ``r6`` where there is a bet to raise, else ``b6``."""
    if isinstance(action, RaiseTo):
        return f"{'r' if raised else 'b'}{action.chips}"
    return _WORDS[action]


def line_text(tree: BettingTree, node: int) -> str:
    """The line to a node, in chips, such that `read_line` leads there again.

    In a street that repeats, the actions since its start.
    """
    words: list[str] = []
    record = tree.nodes.node
    while node >= 0:
        parent = int(record[node, PARENT])
        if parent >= 0:
            if record[node, ACTOR] >= 0:
                ran_on = record[parent, ACTOR] == CHANCE
                if ran_on or record[node, STREET] != record[parent, STREET]:
                    words.append("/")
            action = tree.action(node)
            if action is not None:
                words.append(_word(action, _has_bet(tree, parent)))
        node = parent
    return " ".join(reversed(words))


def offered_words(tree: BettingTree, node: int) -> tuple[str, ...]:
    """The actions at a decision as words of a line."""
    raised = _has_bet(tree, node)
    actions = map(tree.action, tree.children(node))
    return tuple(_word(action, raised) for action in actions if action is not None)


def _has_bet(tree: BettingTree, node: int) -> bool:
    """Whether there is a bet or a blind to raise at a decision."""
    before_flop = bool(tree.nodes.node[node, STREET] == 0)
    return before_flop or CALL in map(tree.action, tree.children(node))
