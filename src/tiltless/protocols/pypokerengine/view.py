"""Views from the messages that PyPokerEngine sends to its players."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tiltless.agents.agent import check_or_call, check_or_fold, nearest_raise
from tiltless.cards.card import parse_cards
from tiltless.errors import InputError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import CHECK, FOLD, NO_ACTIONS, Action, LegalActions
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN
from tiltless.games.holdem.streets import STREETS, no_limit
from tiltless.games.holdem.variants import nlhe
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["dealt_in", "engine_game", "view_of_round"]


@lru_cache(64)
def engine_game(
    small_blind: int, seats: int = 2, stack: int | str = "100bb", ante: int = 0
) -> Holdem:
    """No-limit hold'em with PyPokerEngine's rules, but a correct evaluator.

    Before the flop the smallest raise adds a small blind, because the engine records the big blind
    as a raise by that much.
    """
    game = nlhe(
        seats=seats,
        stack=stack,
        blinds=(small_blind, 2 * small_blind),
        ante=ante,
        free_fold=True,
        heads_up="pypokerengine",
        short_stacks=True,
    )
    rules = replace(game.rules, streets=no_limit((small_blind, *[2 * small_blind] * 3)))
    return Holdem(game.name, rules, game.made_with, game.button, game.order, game.hidden)


def _our_cards(cards: Sequence[str]) -> tuple[int, ...]:
    return parse_cards(" ".join(card[1] + card[0].lower() for card in cards))


def view_of_round(
    state: Mapping[str, Any],
    uuid: str,
    hole_card: Sequence[str],
    actions: Sequence[Mapping[str, Any]] | None = None,
    starting: tuple[int, ...] | None = None,
) -> View:
    """A player's view from a ``round_state``; seats are those that were dealt in.

    actions: the ``valid_actions`` of the player to act; None if the player is not to act.
    starting: the stacks before the hand, which the last message of a hand does not contain.

    Chips are those of the messages. If a raise is legal in the engine but not by our rules (after a
    short all-in), the history has the nearest legal raise.
    """
    histories = state["action_histories"]
    seat_of = dealt_in(state)
    if uuid not in seat_of:
        raise InputError(f"player {brief(uuid)} is not dealt in, so it has no view")
    seat, seats = seat_of[uuid], len(seat_of)
    now = tuple(int(each["stack"]) for each in state["seats"] if each["uuid"] in seat_of)
    paid, bets = _payments(histories, seat_of)
    over = state["street"] == "showdown"
    before = starting or tuple(sum(pair) for pair in zip(now, paid, strict=True))
    lines = histories["preflop"]
    small = next(seat_of[line["uuid"]] for line in lines if line["action"] == "SMALLBLIND")
    ante = next((line["amount"] for line in lines if line["action"] == "ANTE"), 0)
    game = engine_game(state["small_blind_amount"], seats, ante=ante)
    table = game.start((small - 1) % seats, before).table
    board = _our_cards(state["community_card"])
    betting, moves, street = _replayed(game, table.button, table.betting, histories, seat_of, board)
    left = tuple(start - gone for start, gone in zip(before, paid, strict=True))
    live = _live(state, seat_of)
    betting = betting._replace(
        actor=NOBODY,
        stacks=left,
        bets=bets,
        high=max(bets),
        live=live,
        able=sum(1 << each for each in range(seats) if left[each] and live >> each & 1),
    )
    legal = NO_ACTIONS
    if actions is not None:
        legal, least = _legal(actions, betting, seat)
        betting = betting._replace(actor=seat, least=least)
    return View(
        game.name,
        game.rules,
        seat,
        table.button,
        _our_cards(hole_card),
        street,
        board,
        TERMINAL if over else betting.actor,
        legal,
        betting,
        before,
        table.posts,
        table.betting,
        moves,
        (),
        tuple(end - start for end, start in zip(now, before, strict=True)) if over else None,
    )


def dealt_in(state: Mapping[str, Any]) -> dict[str, int]:
    """Our seats by uuid: all players except those without chips before the hand."""
    acted = {line["uuid"] for lines in state["action_histories"].values() for line in lines}
    dealt = [
        seat["uuid"]
        for seat in state["seats"]
        if seat["state"] != "folded" or seat["uuid"] in acted
    ]
    return {uuid: number for number, uuid in enumerate(dealt)}


def _live(state: Mapping[str, Any], seat_of: Mapping[str, int]) -> int:
    """Bit mask of our seats that have not folded."""
    return sum(
        1 << seat_of[seat["uuid"]]
        for seat in state["seats"]
        if seat["uuid"] in seat_of and seat["state"] != "folded"
    )


def _payments(
    histories: Mapping[str, Any], seat_of: Mapping[str, int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Chips that each seat has paid in total, and on the current street."""
    paid, bets = [0] * len(seat_of), [0] * len(seat_of)
    for street in STREETS:
        if street not in histories:
            break
        bets = [0] * len(seat_of)
        for line in histories[street]:
            seat = seat_of[line["uuid"]]
            if line["action"] == "ANTE":
                paid[seat] += line["amount"]
            elif line["action"] != "FOLD":
                bets[seat] = line["amount"]
        paid = [sum(pair) for pair in zip(paid, bets, strict=True)]
    return tuple(map(int, paid)), tuple(map(int, bets))


def _replayed(
    game: Holdem,
    button: int,
    betting: Betting,
    histories: Mapping[str, Any],
    seat_of: Mapping[str, int],
    board: tuple[int, ...],
) -> tuple[Betting, tuple[Any, ...], int]:
    """The betting, the moves and the street after replaying the messages by our rules."""
    moves: list[Any] = [HIDDEN] * len(seat_of)

    def act(action: Action) -> None:
        nonlocal betting
        betting = betting.after(action)
        moves.append(action)

    ends = (0, 3, 4, 5)
    streets = ends.index(len(board)) + 1
    for street in range(streets):
        if street:
            while betting.actor >= 0:  # with antes the engine does not ask the big blind
                act(check_or_fold(betting.actions))
            moves.append(board[ends[street - 1] : ends[street]])
            betting = betting.next_round(game.round(street), button)
        for line in histories.get(STREETS[street], ()):
            if line["action"] in ("ANTE", "SMALLBLIND", "BIGBLIND"):
                continue
            seat = seat_of[line["uuid"]]
            if not betting.able >> seat & 1:  # the engine asks a player who is all-in by a blind
                continue
            while betting.actor not in (seat, NOBODY) and betting.actions.check:
                act(CHECK)
            if betting.actor != seat:  # the engine asks a player who has no choice
                continue
            if line["action"] == "FOLD":
                act(FOLD)
            elif line["action"] == "RAISE":
                act(nearest_raise(betting.actions, int(line["amount"])))
            else:
                act(check_or_call(betting.actions))
    return betting, tuple(moves), streets - 1


def _legal(
    actions: Sequence[Mapping[str, Any]], betting: Betting, seat: int
) -> tuple[LegalActions, int]:
    """``valid_actions`` as `LegalActions`, and the smallest full raise.

    Adds the all-in raise that the engine does not list, and removes raises that nobody can call.
    """
    amounts = {each["action"]: each["amount"] for each in actions}
    high, stack = int(amounts["call"]), betting.stacks[seat]
    total = stack + betting.bets[seat]
    low, top = int(amounts["raise"]["min"]), int(amounts["raise"]["max"])
    least = low
    if low < 0:
        low = top = total
        least = max(betting.least, total + 1)
    most = max(
        (
            betting.bets[other] + betting.stacks[other]
            for other in range(len(betting.bets))
            if other != seat and betting.able >> other & 1
        ),
        default=0,
    )
    if top <= high or most <= high:
        low = top = 0
    call = min(max(high - betting.bets[seat], 0), stack)
    return LegalActions(True, not call, call, low, top), least
