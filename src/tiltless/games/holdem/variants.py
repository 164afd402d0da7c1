"""Hold'em variants as configurations: no-limit, fixed limit, short deck, toy.

``stack``: chips (``200``), big blinds (``"100bb"``), or one of these for each seat.
``short_stacks``: a stack may be less than its blind and ante, which are then posted as far as it
goes; otherwise such a game is refused. Hands that are started with their own ``stacks`` may always
be short, because a match continues with the chips that are left.
``blinds``: small and big blind. ``straddle``: a third blind, posted left of the big blind.
See `tiltless.games.holdem.rules.Rules` for the switches.
"""

from collections.abc import Sequence
from typing import Any

from tiltless.cards.hand_order import SHORT_DECK, HandOrder
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import MOST_CHIPS, MOST_SEATS, Rules, parse_stacks
from tiltless.games.holdem.streets import Street, fixed_limit, no_limit, with_caps
from tiltless.validate import true_or_false, whole_number

__all__ = ["holdem", "limit_holdem", "nlhe", "parse_blinds", "short_deck", "toy_holdem"]

Stack = int | str | Sequence[int | str]
_SWITCHES = (
    "ante",
    "big_blind_ante",
    "raises_per_player",
    "minimum_raise",
    "effective_raises",
    "free_fold",
    "heads_up",
    "eval7_flushes",
)


def holdem(
    name: str,
    made_with: dict[str, Any],
    streets: tuple[Street, ...],
    blinds: Sequence[int],
    big_blind: int,
    order: HandOrder | None = None,
    hidden: Any = None,
    **switches: Any,
) -> Holdem:
    """A hold'em game from the parameters of a variant.

    made_with: all of them; those that are switches of `Rules` go there.  switches: others of these.
    """
    seats = whole_number("seats", made_with["seats"], 2, MOST_SEATS)
    rules = Rules(
        stacks=parse_stacks(made_with["stack"], seats, big_blind),
        blinds=tuple(blinds),
        streets=streets,
        **{key: made_with[key] for key in _SWITCHES if key in made_with},
        **switches,
    )
    parameters = tuple((key, _plain(value)) for key, value in made_with.items())
    game = Holdem(name, rules, parameters, made_with["button"], order or rules.hand_order, hidden)
    if not true_or_false("short_stacks", made_with.get("short_stacks", False)):
        game.check_stacks_cover_posts()
    return game


def _plain(value: Any) -> Any:
    """A parameter as a hashable, serialisable value."""
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        value = value.tolist()
    return tuple(_plain(each) for each in value) if isinstance(value, list | tuple) else value


def parse_blinds(blinds: Any, straddle: int = 0) -> tuple[tuple[int, ...], int]:
    """All posted blinds, and the big blind."""
    try:
        small, big = blinds
    except (TypeError, ValueError):
        raise OptionError(f"blinds={blinds!r} are not two numbers; write (1, 2)") from None
    small = whole_number("the small blind", small, 0, MOST_CHIPS)
    big = whole_number("the big blind", big, 1, MOST_CHIPS)
    straddle = whole_number("straddle", straddle, 0, MOST_CHIPS)
    return (small, big, straddle) if straddle else (small, big), big


def _chips(name: str, chips: int | None, default: int) -> int:
    return default if chips is None else whole_number(name, chips, 1, MOST_CHIPS)


def nlhe(
    seats: int = 2,
    stack: Stack = "100bb",
    blinds: Sequence[int] = (1, 2),
    straddle: int = 0,
    ante: int = 0,
    big_blind_ante: int = 0,
    min_bet: int | None = None,
    button: int = 0,
    raise_cap: int | Sequence[int] | None = None,
    raises_per_player: int | None = None,
    minimum_raise: str = "standard",
    effective_raises: bool = False,
    free_fold: bool = False,
    heads_up: str = "standard",
    short_stacks: bool = False,
) -> Holdem:
    """No-limit Texas hold'em.

    min_bet: the smallest bet and raise; by default one big blind, or the straddle before the flop
        if there is one.
    """
    made_with = dict(locals())
    posted, big = parse_blinds(blinds, straddle)
    first, later = (_chips("min_bet", min_bet, default) for default in (max(posted), big))
    streets = with_caps(no_limit((first, later, later, later)), raise_cap)
    return holdem("nlhe", made_with, streets, posted, big)


def limit_holdem(
    seats: int = 2,
    stack: Stack = "100bb",
    blinds: Sequence[int] = (1, 2),
    small_bet: int | None = None,
    big_bet: int | None = None,
    raise_cap: int | Sequence[int] | None = (3, 4, 4, 4),
    ante: int = 0,
    button: int = 0,
    minimum_raise: str = "standard",
    free_fold: bool = False,
    heads_up: str = "standard",
    short_stacks: bool = False,
) -> Holdem:
    """Fixed-limit Texas hold'em.

    small_bet: the bet size before the flop and on the flop, by default one big blind.
    big_bet: the bet size on turn and river, by default twice the small bet.
    raise_cap: the most bets and raises per street; preflop the big blind is the first of four bets,
        hence 3.
    """
    made_with = dict(locals())
    posted, big = parse_blinds(blinds, 0)
    low = _chips("small_bet", small_bet, big)
    high = _chips("big_bet", big_bet, 2 * low)
    streets = with_caps(fixed_limit((low, low, high, high)), raise_cap)
    return holdem("limit-holdem", made_with, streets, posted, big)


def short_deck(
    seats: int = 6,
    stack: Stack = 100,
    ante: int = 1,
    button_blind: int = 1,
    blinds: Sequence[int] | None = None,
    min_bet: int | None = None,
    button: int = 0,
    minimum_raise: str = "standard",
    effective_raises: bool = False,
    heads_up: str = "standard",
    short_stacks: bool = False,
) -> Holdem:
    """No-limit hold'em with 36 cards: a flush beats a full house, A-6-7-8-9 is a straight.

    Everybody antes and the button posts the only blind, unless ``blinds`` are given. The unit of
    ``"100bb"`` is the largest blind.
    """
    made_with = dict(locals())
    seats = whole_number("seats", seats, 2, MOST_SEATS)
    if blinds is None:
        button_blind = whole_number("button_blind", button_blind, 1, MOST_CHIPS)
        alone = (0,) * (seats - 1) + (button_blind,)
        standard = seats == 2 and heads_up == "standard"
        posted, big = alone[::-1] if standard else alone, button_blind
    else:
        posted, big = parse_blinds(blinds, 0)
    streets = no_limit((_chips("min_bet", min_bet, big),) * 4)
    return holdem("short-deck", made_with, streets, posted, big, hand_order=SHORT_DECK)


def toy_holdem(
    seats: int = 2,
    stack: Stack = 1000,
    blinds: Sequence[int] = (5, 10),
    raise_size: int | None = None,
    raises_per_player: int = 3,
    button: int = 0,
    heads_up: str = "pypokerengine",
) -> Holdem:
    """Hold'em that ends on the flop: fold, call or raise; two hole cards and three board cards.

    The game in which a thesis trained the blueprint of its agent CFRv1: at most three raises per
    player and round, the small blind acts first on both streets, and folding is always legal. The
    thesis does not give the size of a raise ("synonymous with limit poker"): here it is one big
    blind, or ``raise_size``.
    """
    made_with = dict(locals())
    posted, big = parse_blinds(blinds, 0)
    streets = fixed_limit((_chips("raise_size", raise_size, big),) * 2)
    return holdem("toy-holdem", made_with, streets, posted, big, free_fold=True, short_stacks=False)
