"""Lines through the tree of a blueprint: ``r2.5bb c / x b50%``.

The words are those of `tiltless.games.holdem.notation`, without cards: a slash begins each street
after the first. A size that is not in the tree is replaced by the nearest one in chips, the smaller
of two that are equally near, and `ReadLine.notes` says so.
"""

from typing import NamedTuple

from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, Action, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.notation import (
    NEXT_STREET,
    RelativeBet,
    Word,
    action_label,
    all_in_total,
    asked_chips,
    line_text,
    misfit,
    parse_word,
    resolve,
    split_line,
    word_text,
)
from tiltless.kernels.blueprint.nodes import ACTOR, CHANCE, PARENT, STREET

__all__ = ["Choice", "ReadLine", "node_line", "offered_words", "read_line"]


class Choice(NamedTuple):
    """An action in words.  share: a raise as a fraction of the pot after calling, else None."""

    label: str
    action: Action
    share: float | None

    @classmethod
    def at(cls, spot: BetContext, betting: Betting, action: Action) -> "Choice":
        """An action of the player to act."""
        share = spot.share(action.chips) if isinstance(action, RaiseTo) else None
        return cls(action_label(action, betting), action, share)


class ReadLine(NamedTuple):
    """The node that a line leads to.

    node: its index in the tree.  actor, street, betting, pot: the state there; an actor below 0 is
    a code of the tree: the hand is over, or the board decides.  text: the line with the tree's
    sizes, in chips.  notes: for each size not on the menu, the one used instead.
    """

    node: int
    actor: int
    street: int
    betting: Betting
    pot: int
    text: str
    notes: tuple[str, ...]

    def choices(self, tree: BettingTree) -> tuple[Choice, ...]:
        """The actions of the decision, in the order of the table."""
        if self.actor < 0:
            return ()
        spot, actions = spot_of(self.betting, self.pot), map(tree.action, tree.children(self.node))
        return tuple(
            Choice.at(spot, self.betting, action) for action in actions if action is not None
        )


def read_line(tree: BettingTree, line: str) -> ReadLine:
    """Follow a line through a tree; `OptionError` names the word that does not fit."""
    reader = _Reader(tree)
    for text in split_line(line):
        try:
            reader.read(text)
        except InputError as problem:
            raise misfit(text, " ".join(reader.words), line, problem) from None
    where = (reader.node, reader.actor, reader.street, reader.betting, reader.pot)
    return ReadLine(*where, " ".join(reader.words), tuple(reader.notes))


class _Reader:
    """The state of reading a line: a node, and the betting there."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        self.rules = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
        self.node = 0
        self.actor, self.betting, self.street, self.aggressor = self.rules.settle(
            self.rules.first, 0, NOBODY
        )
        self.words: list[str] = []
        self.notes: list[str] = []
        self.fresh = False  # whether a street has begun and its slash is expected

    @property
    def pot(self) -> int:
        return self.rules.chips - sum(self.betting.stacks)

    def read(self, text: str) -> None:
        word = parse_word(text)
        if self.actor < 0 and self.actor != CHANCE:
            raise OptionError("the hand is over; shorten the line")
        if word == NEXT_STREET:
            self.slash()
        elif isinstance(word, tuple | str):
            raise OptionError("a line through a blueprint has no cards; give them as the board")
        elif self.fresh or self.actor == CHANCE:
            street = self.tree.street_name(self.street)
            raise OptionError(f"the {street} begins here; write / before it")
        else:
            self.act(word, text)

    def slash(self) -> None:
        """Read the slash of a new street; at chance it means that one more street follows."""
        if self.actor == CHANCE:
            self.node = self.tree.children(self.node)[1]
            self.actor, self.street = self.betting.actor, self.rules.next_street(self.street)
        elif not self.fresh:
            raise OptionError("this street is not over")
        self.fresh = False
        self.words.append(NEXT_STREET)

    def act(self, word: Word, text: str) -> None:
        children = {self.tree.action(child): child for child in self.tree.children(self.node)}
        raises = [action for action in children if isinstance(action, RaiseTo)]
        if raises and isinstance(word, RaiseTo | RelativeBet):
            action: Action = self.nearest(word, text, raises)
        else:
            offers = [action for action in children if action is not None]
            action = resolve(word, offers, self.betting, self.pot)
        self.words.append(word_text(action, self.betting.high > 0))
        before = self.street
        aggressor = self.rules.aggressor(self.betting, action, self.aggressor)
        self.node = children[action]
        self.actor, self.betting, self.street, self.aggressor = self.rules.settle(
            self.betting.after(action), self.street, aggressor
        )
        self.fresh = self.actor >= 0 and self.street != before

    def nearest(self, word: RaiseTo | RelativeBet, text: str, raises: list[RaiseTo]) -> RaiseTo:
        """The raise on the menu that is nearest to a word."""
        spot = spot_of(self.betting, self.pot, self.tree.game.rules.big_blind)
        all_in = all_in_total(self.betting)
        if isinstance(word, RaiseTo):
            chips = word.chips
        else:
            chips = max(all_in, spot.top) if word.unit == "a" else asked_chips(word, spot)
        wanted = spot.top if spot.top >= all_in and chips >= all_in else chips
        best = min(raises, key=lambda action: (abs(action.chips - wanted), action.chips))
        if best.chips != wanted:
            sizes = ", ".join(str(action.chips) for action in raises)
            self.notes.append(
                f"{text.casefold()} is {chips} chips, which the tree does not have; "
                f"took {best.chips} of {sizes}"
            )
        return best


def node_line(tree: BettingTree, node: int) -> str:
    """The line to a node, in chips; `read_line` leads back to the node.

    In a street that repeats, the actions since its start.
    """
    words: list[Word] = []
    record = tree.nodes.node
    while (parent := int(record[node, PARENT])) >= 0:
        if record[node, ACTOR] >= 0:
            ran_on = record[parent, ACTOR] == CHANCE
            if ran_on or record[node, STREET] != record[parent, STREET]:
                words.append(NEXT_STREET)
        action = tree.action(node)
        if action is not None:
            words.append(action)
        node = parent
    return line_text(reversed(words), raised=bool(record[node, STREET] == 0))


def offered_words(tree: BettingTree, node: int) -> tuple[str, ...]:
    """The actions at a decision as words of a line."""
    actions = [action for action in map(tree.action, tree.children(node)) if action is not None]
    raised = CALL in actions or bool(tree.nodes.node[node, STREET] == 0)
    return tuple(word_text(action, raised) for action in actions)
