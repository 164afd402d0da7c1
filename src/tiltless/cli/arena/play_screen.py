"""The terminal screen of a player: events, coloured cards, strategies as bars."""

from collections.abc import Iterator, Sequence

from rich.markup import escape

from tiltless.agents.agent import Decision
from tiltless.arena.table.narration import hand_words, narration
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.games.holdem.notation import action_label
from tiltless.games.holdem.positions import seat_position
from tiltless.games.holdem.view import View
from tiltless.viz.colours import BETS
from tiltless.viz.colours import CALL as CALL_COLOUR
from tiltless.viz.colours import FOLD as FOLD_COLOUR
from tiltless.viz.terminal import cards_markup

__all__ = ["bars", "lines_of", "situation", "table_lines", "with_positions"]

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


def with_positions(view: View, names: Sequence[str]) -> tuple[str, ...]:
    """``"rules 2 (HJ)"``: names by seat with their positions, of more than two seats."""
    count = len(view.stacks)
    if count == 2:
        return tuple(names)
    where = (seat_position(seat, view.button, count) for seat in range(count))
    return tuple(f"{name} ({position})" for name, position in zip(names, where, strict=True))


def table_lines(view: View, names: Sequence[str]) -> Iterator[str]:
    """The table before a decision: a line for each seat in order of action, then side pots."""
    count, width = len(view.stacks), max(map(len, names))
    first = 3 if count > 3 else 0  # before the flop UTG acts first, the big blind last
    yield ""
    for offset in range(first, first + count):
        seat = (view.button + offset) % count
        bet, stack = view.bets[seat], view.stacks[seat]
        live = view.betting.live >> seat & 1
        status = f"bet {bet}" if bet else ""
        if not live:
            status = "folded"
        elif not stack:
            status = f"{status} all-in".strip()
        position = seat_position(seat, view.button, count)
        mark = ">" if seat == view.seat else " "
        line = f"{mark} {position:<6}{names[seat]:<{width}} {stack:>6}  {status}".rstrip()
        style = "bold" if seat == view.seat else "" if live else "dim"
        yield f"[{style}]{escape(line)}[/]" if style else escape(line)
    contested = [pot for pot in view.pots if len(pot.seats) > 1]
    able = [seat for seat in view.live if not view.stacks[seat]]
    if able and len(contested) > 1:
        kinds = ["main pot", *["side pot"] * (len(contested) - 1)]
        yield "; ".join(
            f"{kind} {pot.chips} ({escape(', '.join(names[seat] for seat in pot.seats))})"
            for kind, pot in zip(kinds, contested, strict=True)
        )


def situation(view: View, names: Sequence[str]) -> Iterator[str]:
    """Pot, stacks and the amount to call before a decision; more stacks are in `table_lines`."""
    unit = view.rules.big_blind
    made = hand_words(view, view.cards)
    if made:
        yield f"you have {made}"
    stacks = [f"{escape(names[seat])} {view.stacks[seat]}" for seat in view.live]
    pot = f"pot [bold]{view.pot}[/] ({view.pot / unit:g} bb)"
    yield pot if len(view.stacks) > 2 else f"{pot}   [dim]behind:[/] {', '.join(stacks)}"
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
