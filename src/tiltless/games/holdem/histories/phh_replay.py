"""Actions of PHH, replayed on our states.  chair: our number of a seat."""

import re
from collections.abc import Sequence

from tiltless.cards.card import cards_text, parse_cards
from tiltless.errors import InputError
from tiltless.games.game import CHANCE, IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.histories.phh_fields import Amounts
from tiltless.games.holdem.history import HIDDEN
from tiltless.games.holdem.seen_hand import deal_known
from tiltless.games.holdem.state import HoldemState
from tiltless.validate import brief

__all__ = ["FreeFoldError", "replay"]


class FreeFoldError(InputError):
    """A player folds who could have checked: legal in rooms, and in ours with ``free_fold``."""


def replay(
    state: HoldemState, lines: Sequence[str], order: Sequence[int], amounts: Amounts
) -> tuple[HoldemState, set[int]]:
    """The state after the actions of the file, and the chairs that mucked."""
    hole: dict[int, tuple[int, ...]] = {}
    shown, mucked = _shown(lines, order)
    skipped = False
    for number, line in enumerate(lines):
        words = line.split("#")[0].split()
        try:
            if words[:2] == ["d", "dh"]:
                if len(words) != 4:
                    raise InputError("hole cards are written as 'd dh p1 AsKd'")
                chair = _chair(words[2], order)
                if chair in hole:
                    raise InputError(f"{words[2]} has cards already")
                hole[chair] = _hole_cards(words[3], shown.get(chair, HIDDEN))
                if len(hole) == len(order):
                    state = deal_known(state, [hole[chair] for chair in range(len(order))])
            elif words[:2] == ["d", "db"]:
                if len(words) != 3:
                    raise InputError("board cards are written as 'd db 2c3d4h'")
                state = state.apply(parse_cards(words[2]))
            elif len(words) > 1 and words[1] != "sm":
                chair = _chair(words[0], order)
                if words[1] == "cc" and not skipped and _is_pointless_check(state, chair):
                    skipped = True
                    continue
                if chair != state.actor:
                    raise InputError(f"the player to act is {_whose(state, order)}")
                state = state.apply(_parse_action(words, state, amounts))
        except FreeFoldError:
            raise
        except (IllegalActionError, InputError) as problem:
            raise InputError(f"action {number} of the hand, {brief(line)}: {problem}") from problem
    return state, mucked


def _shown(
    lines: Sequence[str], order: Sequence[int]
) -> tuple[dict[int, tuple[int, ...]], set[int]]:
    """The cards that each chair shows at the end, and the chairs that muck."""
    shown: dict[int, tuple[int, ...]] = {}
    mucked: set[int] = set()
    for number, line in enumerate(lines):
        words = line.split("#")[0].split()
        if len(words) < 2 or words[1] != "sm":
            continue
        try:
            chair = _chair(words[0], order)
            if len(words) == 2:
                mucked.add(chair)
            elif words[2] != "-" and set(words[2]) != {"?"}:
                shown[chair] = parse_cards(words[2])
        except InputError as problem:
            raise InputError(f"action {number} of the hand, {brief(line)}: {problem}") from problem
    return shown, mucked


def _hole_cards(text: str, shown: tuple[int, ...]) -> tuple[int, ...]:
    """Cards as dealt, or as shown at the end if they were dealt unseen."""
    if set(text) == {"?"}:
        return shown
    cards = parse_cards(text)
    if shown and {*shown} != {*cards}:
        raise InputError(f"these are not the cards that are shown, {cards_text(shown)}")
    return cards


def _is_pointless_check(state: HoldemState, chair: int) -> bool:
    """Whether this is a check that pokerkit asks for and we do not.

    Before the flop, when everybody else has folded or is all-in from the blinds, pokerkit still
    asks the last player with chips, who has not acted and owes nothing.
    """
    if state.actor != CHANCE or state.street or len(state.hole) < state.game.players:
        return False
    stacks = state.betting.stacks
    posted_only = stacks[chair] == state.table.betting.stacks[chair]
    others = [stacks[seat] for seat in state.live if seat != chair]
    return chair in state.live and stacks[chair] > 0 and posted_only and not any(others)


def _whose(state: HoldemState, order: Sequence[int]) -> str:
    return f"p{order.index(state.actor) + 1}" if state.actor >= 0 else "nobody"


def _chair(word: str, order: Sequence[int]) -> int:
    """The chair of ``p1``, ``p2`` and so on."""
    number = int(word[1:]) if re.fullmatch(r"p\d{1,3}", word) else 0
    if not 1 <= number <= len(order):
        raise InputError(f"{brief(word)} is not a player; they are p1 to p{len(order)}")
    return order[number - 1]


def _parse_action(words: list[str], state: HoldemState, amounts: Amounts) -> Action:
    if words[1] == "f":
        if state.actions.check and not state.rules.free_fold:
            raise FreeFoldError("a fold where a check is free is not legal in this game")
        return FOLD
    if words[1] == "cc":
        return CHECK if state.actions.check else CALL
    if words[1] == "cbr" and len(words) > 2:
        return RaiseTo(amounts.one(words[2], "raise"))
    raise InputError("actions are f, cc, or cbr with a number")
