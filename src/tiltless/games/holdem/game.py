"""The hold'em game: rules in, the states of hands out.

All variants are this one class with different rules; `tiltless.games.holdem.variants` builds them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from tiltless.cards.card import cards_text, parse_cards
from tiltless.cards.hand_order import HandOrder
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE
from tiltless.games.holdem import actions as action_words
from tiltless.games.holdem.betting import Round, open_round
from tiltless.games.holdem.events import Post, dead_chips
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.state import HoldemState, Table
from tiltless.validate import brief, whole_number

if TYPE_CHECKING:
    from tiltless.games.holdem.permutation import HiddenRanks

__all__ = ["Holdem"]

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class Holdem:
    """A hold'em game; built by `tiltless.games.holdem.variants.nlhe` and its siblings.

    made_with: the parameters, as pairs.  button: the default button of a hand.
    order: the true order of hands, which decides showdowns; players see only that of the rules.
    hidden: the chance node of a hidden order of ranks before each hand, or None.
    The other fields are computed once, because every move needs them.
    """

    name: str
    rules: Rules
    made_with: tuple[tuple[str, Any], ...] = field(repr=False)
    button: int
    order: HandOrder = field(repr=False)
    hidden: "HiddenRanks | None" = field(default=None, repr=False)
    players: int = field(init=False, repr=False)
    all_seats: tuple[int, ...] = field(init=False, repr=False)
    deck: int = field(init=False, repr=False)
    rounds: tuple[Round, ...] = field(init=False, repr=False)
    sizes: tuple[int, ...] = field(init=False, repr=False)
    starts: dict[int, HoldemState] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rules = self.rules
        computed = {
            "button": whole_number("button", self.button, 0, rules.seats - 1),
            "players": rules.seats,
            "all_seats": tuple(range(rules.seats)),
            "deck": rules.deck,
            "rounds": tuple(rules.round(number) for number in range(len(rules.streets))),
            "sizes": tuple(street.cards for street in rules.streets[1:]),
            "starts": {},
        }
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type["Holdem"], tuple[Any, ...]]:
        return Holdem, (
            self.name,
            self.rules,
            self.made_with,
            self.button,
            self.order,
            self.hidden,
        )

    def _key(self) -> tuple[Any, ...]:
        """What identifies the game; ``stack="100bb"`` and ``stack=200`` may be the same game."""
        return self.name, self.rules, self.button, self.order, self.hidden

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Holdem) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.name, self.rules.stacks, self.button))

    def for_match(self, rng: Random) -> "Holdem":
        """The game of one match: what is hidden for a whole match is drawn here, for the dealer."""
        return self if self.hidden is None else replace(self, hidden=self.hidden.for_match(rng))

    @property
    def version(self) -> int:
        """Raised whenever the rules change."""
        return VERSION

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What `tiltless.games.load` needs, besides the name, to rebuild this game."""
        return dict(self.made_with)

    @property
    def zero_sum(self) -> bool:
        """True: there is no rake."""
        return True

    def round(self, street: int) -> Round:
        """The betting rules of a street; past the last street, those of the last."""
        rounds = self.rounds
        return rounds[street] if street < len(rounds) else rounds[-1]

    def deal_size(self, street: int, board: tuple[int, ...]) -> int:
        """How many board cards are dealt after a street; 0: none, showdown."""
        sizes = self.sizes
        return sizes[street] if street < len(sizes) else self.rules.deal_size(street, board)

    def start(self, button: int | None = None, stacks: Sequence[int] | None = None) -> HoldemState:
        """A new hand: blinds are posted, no card is dealt; stacks default to those of the rules."""
        seat = self.button
        if button is not None:
            seat = whole_number("button", button, 0, self.players - 1)
        if stacks is not None:
            return self._new_hand(seat, self._checked_stacks(stacks))
        start = self.starts.get(seat)
        if start is None:
            start = self.starts[seat] = self._new_hand(seat, self.rules.stacks)
        return start

    def _checked_stacks(self, stacks: Any) -> tuple[int, ...]:
        try:
            by_seat = tuple(stacks)
        except TypeError:
            raise OptionError(
                f"stacks={brief(stacks)} is not a list; give one stack for each seat"
            ) from None
        return self.rules.checked_stacks(by_seat)

    def _new_hand(self, button: int, stacks: tuple[int, ...]) -> HoldemState:
        rules = self.rules
        left = list(stacks)
        bets = [0] * rules.seats
        posts: list[Post] = []
        last = button
        for asked in self.asked_posts(button):
            seat = asked.seat
            chips = min(asked.chips, left[seat])
            left[seat] -= chips
            if chips:
                posts.append(Post(seat, asked.kind, chips))
            if not asked.kind.endswith("ante"):
                bets[seat], last = chips, seat
        order = rules.clockwise(button)
        live = (1 << rules.seats) - 1
        betting = open_round(self.rounds[0], tuple(left), tuple(bets), live, last)
        dead = dead_chips(posts, rules.seats)
        table = Table(self, button, stacks, order, tuple(posts), dead, betting)
        return HoldemState(table, CHANCE, betting, 0, (), (), 0, (), None)

    def asked_posts(self, button: int) -> Iterator[Post]:
        """The full antes and blinds, antes first; a short stack posts only what it has."""
        rules = self.rules
        if rules.ante:
            yield from (Post(seat, "ante", rules.ante) for seat in rules.clockwise(button))
        posting, names = rules.posting_order(button), _blind_names(rules.blinds)
        if rules.big_blind_ante:
            payer = posting[names.index("big blind")]
            yield Post(payer, "big blind ante", rules.big_blind_ante)
        for seat, kind, blind in zip(posting, names, rules.blinds, strict=False):
            if blind:
                yield Post(seat, kind, blind)

    def check_stacks_cover_posts(self) -> None:
        """Raise `OptionError` if a stack of the rules does not cover its blind and ante."""
        asked = [0] * self.players
        for post in self.asked_posts(self.button):
            asked[post.seat] += post.chips
        for seat, (stack, needed) in enumerate(zip(self.rules.stacks, asked, strict=True)):
            if stack < needed:
                raise OptionError(
                    f"the stack of seat {seat} is {stack}, below blind and ante; "
                    f"{needed} chips are needed here, or short_stacks=True"
                )

    def action_text(self, action: Any) -> str:
        """``"raise to 6"``; ``"deal AsKd"`` for cards; ``"ranks 23456789TJQKA"``."""
        if isinstance(action, str):
            return f"ranks {action}"
        if isinstance(action, tuple):
            return f"deal {cards_text(action)}"
        return action_words.action_text(action)

    def parse_action(self, text: str) -> Any:
        """The inverse of `action_text`."""
        word, _, rest = text.strip().partition(" ")
        if word == "deal":
            return parse_cards(rest)
        if word == "ranks":
            return rest.strip().upper()
        return action_words.parse_action(text)


def _blind_names(blinds: Sequence[int]) -> list[str]:
    """The names of the blinds: small, big, then straddles; a lone one is the big blind."""
    posted = [index for index, blind in enumerate(blinds) if blind]
    names = ["no blind"] * len(blinds)
    for number, index in enumerate(posted):
        first = number + (len(posted) == 1)
        names[index] = ("small blind", "big blind")[first] if first < 2 else "straddle"
    return names
