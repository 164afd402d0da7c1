"""The report's agent at our tables: it follows the hand through its policy, or rolls out.

``six-report:file=six-player,version=V2``. The seats are relabelled so that the agent is p1. Actions
of others that the policy does not have become neighbours (`translation`). At its own node it picks
the action with the largest R + c sqrt(ln N / n), c = 0.000001, among those that were tried and are
legal. Where the policy has never been, 400 rollouts decide: below 50 % it checks or folds, below
75 % it calls, up to 85 % it raises the minimum, and above that goes all-in.

The policy counts in the chips of its training: at a table with other blinds all chips are scaled by
the big blind, and an own raise, which was rounded on the way, is found again as the nearest one. At
a table with fewer seats the missing ones are those before p1, which the report's players leave
empty in the same way. Heads-up the button posts the small blind in most of our games; PyPokerEngine
has it the other way round, and the policy knows only who posted.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import Tables, open_tables
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    check_or_call,
    check_or_fold,
    file_fingerprint,
    nearest_raise,
)
from tiltless.agents.win_rate import checked_rollouts, win_rate
from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError
from tiltless.experiments.six_player.policy import ActionRecord, ReportPolicy, load_policy
from tiltless.experiments.six_player.training import ABSTRACTION, SHARES
from tiltless.experiments.six_player.translation import RULES, nearest_index, translated
from tiltless.games.holdem.actions import FOLD, Action, Fold, RaiseTo
from tiltless.games.holdem.history import PastDecision, decisions
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.six_player import nodes as codes
from tiltless.validate import brief, one_of

__all__ = ["FOLDER", "SixReport"]

FOLDER = "six-player"
"""Where ``tiltless reproduce six-player`` puts its policies."""
_EXPLORATION = 0.000_001
_STREETS = (0, 3, 1, 1)
_AGAINST = ("live", "one")
_UNTRIED = ("skip", "first")
_CALL_AT, _RAISE_AT, _ALL_IN_AT = 0.5, 0.75, 0.85


class _Option(NamedTuple):
    """An action that the picker may take.  record: None if it was never tried."""

    action: Action
    record: ActionRecord | None


class SixReport(Agent):
    """The agent.

    file: a policy, or a folder with ``V1.safetensors`` and the like.  version: which of them.
    ph: `tiltless.experiments.six_player.translation.RULES`.  rollouts: where the policy has never
    been, against: all ``live`` opponents, or ``one``.  untried: actions of a visited state that
    were never tried are skipped, or come ``first`` as in training.
    """

    def __init__(
        self,
        file: str = FOLDER,
        version: str = "V2",
        ph: str = "report",
        rollouts: int = 400,
        against: str = "live",
        untried: str = "skip",
    ) -> None:
        path = Path(file)
        self.path = path / f"{version}.safetensors" if path.is_dir() else path
        if not self.path.exists():
            raise OptionError(
                f"six-report needs a trained policy, and {brief(str(self.path))} does not exist; "
                f"make it with `tiltless reproduce six-player --out {file}`"
            )
        self.ph = one_of("ph", ph, RULES)
        self.against = one_of("against", against, _AGAINST)
        self.untried = one_of("untried", untried, _UNTRIED)
        self.rollouts = checked_rollouts(rollouts)
        self.policy = load_policy(self.path)

    def check_table(self, game: str, rules: Rules) -> str:
        """Texas hold'em without limit, with up to six seats."""
        cards = tuple(street.cards for street in rules.streets)
        ordinary = rules.hand_order == STANDARD and not rules.run_suits
        if cards != _STREETS or rules.hole_cards != 2 or not ordinary or rules.seats > 6:
            raise OptionError(
                f"six-report plays no-limit Texas hold'em with 2 to 6 seats, not {game} with "
                f"{rules.seats}; choose another agent or game"
            )
        options, stack = self.policy.options, max(rules.stacks) / rules.big_blind
        if stack != options.stack / options.big_blind:
            return (
                f"it was trained with stacks of {options.stack / options.big_blind:g} big blinds, "
                f"and this table has {stack:g}"
            )
        return ""

    def fingerprint(self) -> str:
        """Its code and its file."""
        return f"{super().fingerprint()} {file_fingerprint(self.path)}"

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """By the policy where it has been, else by rollouts."""
        node = _Path(self.policy, view, self.ph).node
        options = self._options(view, node) if node >= 0 else []
        if not options:
            return self._roll_out(view, rng)
        values = [self._value(node, option.record) for option in options]
        best = max(values)
        ties = [option for option, value in zip(options, values, strict=True) if value == best]
        picked = ties[int(rng.random() * len(ties))] if len(ties) > 1 else ties[0]
        return Decision(picked.action, source="policy")

    def _value(self, node: int, record: ActionRecord | None) -> float:
        if record is None:
            return math.inf
        visits = max(int(self.policy.visits[node]), 1)
        return record.regret + _EXPLORATION * math.sqrt(math.log(visits) / max(record.visits, 1))

    def _options(self, view: View, node: int) -> list[_Option]:
        """The legal actions among those that were tried; and the others, if they come first."""
        tried = {record.code: record for record in self.policy.actions(node, 0)}
        if not tried:
            return []
        out: list[_Option] = []
        for code in [*tried, *(_menu(view, self.policy) if self.untried == "first" else ())]:
            action = _legal(view, code, _scale(view.rules, self.policy))
            if action is not None and (code in tried or all(action != one.action for one in out)):
                out.append(_Option(action, tried.get(code)))
        return out

    def _roll_out(self, view: View, rng: Random) -> Decision:
        actions = view.actions
        opponents = len(view.opponents) if self.against == "live" else 1
        rate = win_rate(
            view.rules, view.cards, view.board, self.rollouts, rng, opponents=opponents
        ).with_ties
        if rate < _CALL_AT:
            action = check_or_fold(actions)
        elif rate < _RAISE_AT:
            action = check_or_call(actions)
        else:
            to = actions.min_raise if rate <= _ALL_IN_AT else actions.max_raise
            action = nearest_raise(actions, to)
        return Decision(action, source=f"rollouts {rate:.3f}")


class _Path:
    """The hand so far as a path of the policy.

    node: where it ends, at the agent's decision; -1 if the policy has never been there.
    """

    def __init__(self, policy: ReportPolicy, view: View, ph: str) -> None:
        self.policy, self.view, self.ph = policy, view, ph
        self.scale = _scale(view.rules, policy)
        self.told = 0  # the last street of which the path has the bucket
        self.node = self._start()
        for past in decisions(view):
            if self.node < 0:
                return
            if past.seat == view.seat:
                self._inform(past.street, past.board)
                self._step(past, nearest=True)
            else:
                self._step(past, nearest=False)
        if self.node >= 0:
            self._inform(view.street, view.board)

    def _seat(self, seat: int) -> int:
        """How many seats clockwise from the agent."""
        return (seat - self.view.seat) % self.view.rules.seats

    def _start(self) -> int:
        """After the blinds."""
        posted = {post.kind: self._seat(post.seat) for post in self.view.posts}
        if not {"small blind", "big blind"} <= posted.keys():
            return -1
        root = self.policy.root(self.view.cards, posted["small blind"])
        if root < 0:
            return -1
        return self.policy.child(root, posted["big blind"] << codes.SEAT_SHIFT | codes.BIG_BLIND)

    def _inform(self, street: int, board: tuple[int, ...]) -> None:
        """Add the agent's bucket, once for each street after the first."""
        if self.node >= 0 and street > self.told:
            self.told = street
            step = _step_of(self.view.cards, board)
            bucket = int(self.policy.options.steps[street - 1, step])
            self.node = self.policy.child(self.node, codes.INFORMATION | bucket)

    def _step(self, past: PastDecision, nearest: bool) -> None:
        if self.node < 0:
            return
        seat, betting = self._seat(past.seat), past.betting
        whole = betting.bets[past.seat] + betting.stacks[past.seat]
        action = past.action
        if not isinstance(action, RaiseTo):
            code = codes.FOLD if isinstance(action, Fold) else codes.CALL
            self.node = self.policy.child(self.node, seat << codes.SEAT_SHIFT | code)
            return
        x = round(action.chips * self.scale)
        code = codes.ALL_IN if action.chips == whole else codes.RAISE + x
        exact = self.policy.child(self.node, seat << codes.SEAT_SHIFT | code)
        if exact >= 0:
            self.node = exact
            return
        known = [(_chips(each.code, whole * self.scale), each.node) for each in self._raises(seat)]
        known.sort()
        sizes = [size for size, _ in known]
        if not sizes:
            self.node = -1
        elif nearest:
            self.node = known[nearest_index(x, sizes)][1]
        else:
            pot = sum(self.view.starting_stacks) - sum(betting.stacks) + betting.to_call
            self.node = known[translated(x, sizes, self.ph, pot * self.scale)][1]

    def _raises(self, seat: int) -> list[ActionRecord]:
        every = self.policy.actions(self.node, seat)
        return [each for each in every if each.code == codes.ALL_IN or each.code >= codes.RAISE]


def _scale(rules: Rules, policy: ReportPolicy) -> float:
    """Chips of the policy for a chip of the table."""
    return policy.options.big_blind / rules.big_blind


def _chips(code: int, whole: float) -> float:
    """The total of a raise in chips of the policy."""
    return whole if code == codes.ALL_IN else code - codes.RAISE


def _legal(view: View, code: int, scale: float) -> Action | None:
    """An action of the policy at the table; None where it is not legal."""
    actions = view.actions
    if code == codes.FOLD:
        return FOLD if actions.fold else None
    if code == codes.CALL:
        return check_or_call(actions)
    if code == codes.ALL_IN:
        return RaiseTo(actions.max_raise) if actions.max_raise else None
    to = round((code - codes.RAISE) / scale)
    return (
        RaiseTo(to) if actions.max_raise and actions.min_raise <= to <= actions.max_raise else None
    )


def _menu(view: View, policy: ReportPolicy) -> Sequence[int]:
    """All actions of the abstraction here, as in training."""
    options, scale = policy.options, _scale(view.rules, policy)
    out = [codes.FOLD, codes.CALL]
    pot = view.pot + (view.to_call if options.pot == "after" else 0)
    low, high = (round(each * scale) for each in (view.min_raise, view.max_raise))
    for quarters in SHARES[min(view.street, len(SHARES) - 1)] if view.max_raise else ():
        total = round(max(view.bets) * scale) + int(quarters * pot * scale) // 4
        if options.small_raises == "minimum":
            total = max(total, low)
        if low <= total < high and codes.RAISE + total not in out:
            out.append(codes.RAISE + total)
    return [*out, codes.ALL_IN] if view.max_raise else out


@lru_cache(maxsize=1)
def _tables() -> Tables:
    """Bucket tables where they were built; other streets are computed, a flop in 20 ms."""
    return open_tables(card_abstraction(ABSTRACTION), verify=False, partial=True)


@lru_cache(maxsize=512)
def _steps(board: tuple[int, ...]) -> np.ndarray:
    return _tables().buckets(board)


def _step_of(cards: tuple[int, ...], board: tuple[int, ...]) -> int:
    """The step of expected hand strength of a hand, 0 to 189."""
    return int(_steps(board)[COMBO_OF[cards[0], cards[1]]])
