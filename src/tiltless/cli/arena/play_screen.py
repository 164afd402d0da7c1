"""The terminal screen of a player: events, coloured cards, strategies as bars."""

from collections.abc import Iterator, Sequence

from rich.markup import escape

from tiltless.agents.agent import Decision
from tiltless.arena.table.narration import hand_words, narration
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.games.holdem.notation import action_label
from tiltless.games.holdem.view import View
from tiltless.viz.colours import BETS
from tiltless.viz.colours import CALL as CALL_COLOUR
from tiltless.viz.colours import FOLD as FOLD_COLOUR
from tiltless.viz.terminal import cards_markup

__all__ = ["bars", "lines_of", "situation"]

_BAR = 24


def lines_of(view: View, names: Sequence[str], symbols: bool) -> Iterator[str]:
    """One line of markup for each line of the narration."""
    for line in narration(view, names):
        said = [
            escape(part) if isinstance(part, str) else cards_markup(part, symbols)
            for part in line.parts
        ]
        if line.kind == "posts":
            yield f"[dim]{said[0]}[/]"
        elif line.kind == "hole":
            yield f"your cards   {said[0]}"
        elif line.kind == "street":
            street, old, cards, pot = said
            yield f"\n[bold]{street:<7}[/] {old + '  ' if old else ''}{cards}   {pot}"
        elif line.kind == "shown":
            who, cards, made = said
            yield f"  {who} {cards}{'   ' + made if made else ''}"
        else:
            style = {"returned": "dim", "won": "bold"}.get(line.kind)
            yield f"  [{style}]{said[0]}[/]" if style else f"  {said[0]}"


def situation(view: View, names: Sequence[str]) -> Iterator[str]:
    """Pot, stacks and the amount to call before a decision."""
    unit = view.rules.big_blind
    made = hand_words(view, view.cards)
    if made:
        yield f"you have {made}"
    stacks = [f"{escape(names[seat])} {view.stacks[seat]}" for seat in view.live]
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
