"""The terminal screen of a player: events, coloured cards, strategies as bars."""

from collections.abc import Iterator, Sequence

from rich.markup import escape

from tiltless.agents.agent import Decision
from tiltless.cards.evaluate import evaluate, hand_name, hand_name_against
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.events import Acted, BoardCards, HoleCards, Post, Returned, Shown, Won
from tiltless.games.holdem.notation import action_label
from tiltless.games.holdem.view import View
from tiltless.viz.colours import BETS
from tiltless.viz.colours import CALL as CALL_COLOUR
from tiltless.viz.colours import FOLD as FOLD_COLOUR
from tiltless.viz.terminal import cards_markup

__all__ = ["bars", "hand_words", "lines_of", "position", "situation"]

_BAR = 24


def hand_words(view: View, cards: Sequence[int]) -> str:
    """``"a pair of kings"`` as the public rules rank it; empty before the flop."""
    value = _hand_value(view, cards)
    if value is None:
        return ""
    return hand_name(value, view.rules.hand_order)


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


def lines_of(view: View, names: Sequence[str], symbols: bool) -> Iterator[str]:
    """One line of markup for each event, in order."""
    left = list(view.starting_stacks)
    board: tuple[int, ...] = ()
    high, you = 0, view.seat
    posts = []
    for event in view.events:
        if isinstance(event, Post):
            left[event.seat] -= event.chips
            if not event.kind.endswith("ante"):
                high = max(high, event.chips)
            posts.append(f"{_who(names, event.seat)} {event.kind} {event.chips}")
            continue
        if posts:
            yield f"[dim]{', '.join(posts)}[/]"
            posts = []
        if isinstance(event, HoleCards):
            if event.seat == you:
                yield f"your cards   {cards_markup(event.cards, symbols)}"
        elif isinstance(event, BoardCards):
            old, board, high = board, board + event.cards, 0
            first = f"{cards_markup(old, symbols)}  " if old else ""
            pot = sum(view.starting_stacks) - sum(left)
            cards = first + cards_markup(event.cards, symbols)
            yield f"\n[bold]{event.street:<7}[/] {cards}   pot {pot}"
        elif isinstance(event, Acted):
            left[event.seat] -= event.chips
            done = _verb(event, event.seat == you, high)
            if isinstance(event.action, RaiseTo):
                high = event.action.chips
            out = event.chips and not left[event.seat]
            all_in = " and " + ("are" if event.seat == you else "is") + " all-in" if out else ""
            yield f"  {_who(names, event.seat)} {done}{all_in}"
        elif isinstance(event, Shown):
            what = _shown_words(view, event.cards)
            show = "show" if event.seat == you else "shows"
            cards = cards_markup(event.cards, symbols)
            yield f"  {_who(names, event.seat)} {show} {cards}{'   ' + what if what else ''}"
        elif isinstance(event, Returned):
            who = _who(names, event.seat)
            yield f"  [dim]Uncalled bet of {event.chips} returned to {who}[/]"
        elif isinstance(event, Won):
            win = "win" if event.seat == you else "wins"
            yield f"  [bold]{_who(names, event.seat)} {win} {event.chips}[/]"


def _who(names: Sequence[str], seat: int) -> str:
    return escape(names[seat])


def _verb(event: Acted, you: bool, high: int) -> str:
    """``"raises to 12"``."""
    end = "" if you else "s"
    action = event.action
    if isinstance(action, RaiseTo):
        return f"raise{end} to {action.chips}" if high else f"bet{end} {action.chips}"
    if action == CALL:
        return f"call{end} {event.chips}"
    return ("check" if action == CHECK else "fold") + end


def position(view: View) -> str:
    """``"you have the button"``, or what the seat posts."""
    if view.button == view.seat:
        return "you have the button"
    kinds = [post.kind for post in view.posts if post.seat == view.seat and "ante" not in post.kind]
    return f"you are the {kinds[-1]}" if kinds else "no blind for you"


def situation(view: View, names: Sequence[str]) -> Iterator[str]:
    """Pot, stacks and the amount to call before a decision."""
    unit = view.rules.big_blind
    made = hand_words(view, view.cards)
    if made:
        yield f"you have {made}"
    stacks = [f"{_who(names, seat)} {view.stacks[seat]}" for seat in view.live]
    pot = f"pot [bold]{view.pot}[/] ({view.pot / unit:g} bb)"
    yield f"{pot}   [dim]behind:[/] {', '.join(stacks)}"
    actions = view.actions
    parts = ["[bold]f[/]old"] if actions.fold else []
    if actions.check:
        parts.append("chec[bold]k[/]")
    if actions.call:
        share = actions.call / (view.pot + actions.call)
        parts.append(f"[bold]c[/]all {actions.call} [dim](must win {share:.0%})[/]")
    if actions.max_raise:
        word = "[bold]r[/]aise to" if view.betting.high else "[bold]b[/]et"
        low, high = actions.min_raise, actions.max_raise
        parts.append(f"{word} {low}" + (f"..{high}" if low < high else ""))
    yield " · ".join(parts)


def bars(decision: Decision, view: View, blocks: bool = True) -> Iterator[str]:
    """A distribution with one bar per action, and values in big blinds if it has them."""
    unit = view.rules.big_blind
    values = {str(action): chips for action, chips in decision.values}
    for action, prob in decision.policy:
        if prob < 0.0005:
            continue
        bar = _bar(prob, blocks)
        value = values.get(str(action))
        ev = f"   {value / unit:+.2f} bb" if value is not None else ""
        words = action_label(action, view.betting)
        yield f"    {words:<22}{prob:>6.1%}  [{_colour(action)}]{bar}[/]{ev}"


def _bar(chance: float, blocks: bool) -> str:
    """A bar in proportion to the probability, in eighths of a character; never empty."""
    if not blocks:
        return "#" * round(_BAR * chance) or "."
    whole, eighths = divmod(max(round(8 * _BAR * chance), 1), 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[eighths].strip()


def _colour(action: Action) -> str:
    if action == FOLD:
        return FOLD_COLOUR
    return BETS[2] if isinstance(action, RaiseTo) else CALL_COLOUR
