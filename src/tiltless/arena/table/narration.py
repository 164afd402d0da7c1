"""Narration: a hand in words, as one player saw it, for the terminal and the browser.

A `Line` is made of texts and of cards, which the screens draw in their own ways.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tiltless.cards.evaluate import evaluate, hand_name, hand_name_against
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards, HoleCards, Post, Returned, Shown, Won
from tiltless.games.holdem.positions import seat_position
from tiltless.games.holdem.view import View

__all__ = ["Line", "Part", "hand_words", "narration", "position"]

Part: TypeAlias = str | tuple[int, ...]
"""Text, or cards."""


_COUNTED = ("pair", "straight", "flush", "full house", "royal flush")
"""Hands of which one has one: "a flush, ace high", but "two pair, kings and sevens"."""


class Line(NamedTuple):
    """One line of a log.

    kind: "posts", "hole", "street", "action", "shown", "returned" or "won".  parts: what it says.
    seat: of the player it is about, -1 for nobody.
    """

    kind: str
    parts: tuple[Part, ...]
    seat: int = -1


def narration(view: View, names: Sequence[str]) -> Iterator[Line]:
    """A line for each event of a hand, in order; forced payments share a line.

    names: by seat.
    """
    left = list(view.starting_stacks)
    board: tuple[int, ...] = ()
    high, you = 0, view.seat
    posts = []
    for event in view.events:
        if isinstance(event, Post):
            left[event.seat] -= event.chips
            if not event.kind.endswith("ante"):
                high = max(high, event.chips)
            posts.append(f"{names[event.seat]} {event.kind} {event.chips}")
            continue
        if posts:
            yield Line("posts", (", ".join(posts),))
            posts = []
        if isinstance(event, HoleCards):
            if event.seat == you:
                yield Line("hole", (event.cards,), you)
        elif isinstance(event, BoardCards):
            pot = sum(view.starting_stacks) - sum(left)
            yield Line("street", (event.street, board, event.cards, f"pot {pot}"))
            board, high = board + event.cards, 0
        elif isinstance(event, Acted):
            left[event.seat] -= event.chips
            done = _verb(event, event.seat == you, high)
            if isinstance(event.action, RaiseTo):
                high = event.action.chips
            out = event.chips and not left[event.seat]
            all_in = " and " + ("are" if event.seat == you else "is") + " all-in" if out else ""
            yield Line("action", (f"{names[event.seat]} {done}{all_in}",), event.seat)
        elif isinstance(event, Shown):
            show = "show" if event.seat == you else "shows"
            words = _shown_words(view, event.cards)
            yield Line("shown", (f"{names[event.seat]} {show}", event.cards, words), event.seat)
        elif isinstance(event, Returned):
            who = names[event.seat]
            yield Line(
                "returned", (f"Uncalled bet of {event.chips} returned to {who}",), event.seat
            )
        elif isinstance(event, Won):
            win = "win" if event.seat == you else "wins"
            yield Line("won", (f"{names[event.seat]} {win} {event.chips}",), event.seat)


def _verb(event: Acted, you: bool, high: int) -> str:
    """``"raises to 12"``."""
    end = "" if you else "s"
    action = event.action
    if isinstance(action, RaiseTo):
        return f"raise{end} to {action.chips}" if high else f"bet{end} {action.chips}"
    if action == CALL:
        return f"call{end} {event.chips}"
    return ("check" if action == CHECK else "fold") + end


def hand_words(view: View, cards: Sequence[int]) -> str:
    """``"a pair of kings"`` as the public rules rank it; empty before the flop."""
    value = _hand_value(view, cards)
    if value is None:
        return ""
    name = hand_name(value, view.rules.hand_order)
    return f"a {name}" if name.startswith(_COUNTED) else name


def _hand_value(view: View, cards: Sequence[int]) -> int | None:
    """The value of a hand by the public rules; None before the flop."""
    together = (*cards, *view.board)
    if len(together) < 5 or view.game == "permutation":  # whose ranks nobody knows
        return None
    return evaluate(together, view.rules.hand_order, eval7_flushes=view.rules.eval7_flushes)


def _shown_words(view: View, cards: Sequence[int]) -> str:
    """The same at a showdown, with the kicker where it decides."""
    value = _hand_value(view, cards)
    if value is None:
        return ""
    shown = [_hand_value(view, hand) for _, hand in view.shown]
    others = [each for each in shown if each is not None]
    return hand_name_against(value, others, view.rules.hand_order)


def position(view: View) -> str:
    """``"you have the button"``, or what the seat posts, or its position."""
    if view.button == view.seat:
        return "you have the button"
    seats = len(view.stacks)
    kinds = [post.kind for post in view.posts if post.seat == view.seat and "ante" not in post.kind]
    if kinds or seats == 2:
        return f"you are the {kinds[-1]}" if kinds else "no blind for you"
    return f"you are {seat_position(view.seat, view.button, seats)}"
