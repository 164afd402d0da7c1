"""The agent that thinks: a blueprint before the turn, then search.

::

    make_agent("search")                                 at most 2 seconds for a decision
    make_agent("search:seconds=0.5,safe=max-margin")
    make_agent("search:total=30,hands=1000")             30 seconds for 1,000 hands
    make_agent("search:iterations=100,river=50%+a/a")    the same play on every machine

On turn and river the street is solved from its start, with both ranges as they are believed to be
(`tiltless.search.belief`) and the bets that were really made (`tiltless.search.subgame`). A street
that has been solved with a bet is not solved again for it, so that our strategy is one along a
street. Where there is no time, or no search is possible, the blueprint decides: `counts` has how
often. Trees that are too large for the time are counted, not built.

What was solved is kept for as long as there is room, for later decisions and for beliefs on the
next street. `policies` solves again what is missing; `act` believes in the blueprint there.

Sizes are those of a menu, with ``+`` for its commas.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.menu_presets import find_menu
from tiltless.agents.agent import Agent, Clock, Decision, Policies, file_fingerprint, nearest_raise
from tiltless.agents.blueprint import BlueprintAgent, draw_action
from tiltless.agents.postprocess import PostProcess
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.actions import Action, RaiseTo
from tiltless.games.common import brief
from tiltless.games.events import HIDDEN_RANKS
from tiltless.games.view import View
from tiltless.search.belief import DOUBT, Past, Ranges, both_ranges, past_decisions
from tiltless.search.guide import Guide
from tiltless.search.size import MOST_NODES, TooLargeError, affordable, tree_size
from tiltless.search.subgame import (
    BELIEVED,
    RIVER_SIZES,
    SAFETY,
    TURN_SIZES,
    StreetStart,
    Subgame,
    callable_line,
    solve_subgame,
    strategy_at,
    street_start,
    subgame_spot,
)
from tiltless.solvers.range_places import Place
from tiltless.strategy.shipped import DEFAULT, find_blueprint

__all__ = ["Explanation", "SearchAgent"]

_MOST_SECONDS = 5.0
_OPPONENTS = ("subgame", "blueprint")
_TURN, _RIVER = 2, 3
_LEAST = {_TURN: 0.3, _RIVER: 0.005}  # seconds without which a street is not worth beginning
_KEPT_BYTES = 400 << 20
_KEPT_RANGES = 512
_SPARE = 0.9  # of the dealer's clock
_FIRST_GUESS = (5, 10)  # searches, and hands, that a match clock believes to have seen

_SOME_BOARD = (0, 17, 34, 51, 4)
_NO_TIME, _NOT_KNOWN = "no time to search", "cannot be searched"

_Key = tuple[Any, ...]


class Explanation(NamedTuple):
    """What search thought of a decision.

    policy, values: of the own hand; chips that each action wins, folding now being 0. Values are
    against the range that is believed; a safe policy minds others too, and may not follow them.
    ranges: own and opponent's at this decision, float64 ``[2, 1326]``, as search believes them.
    exploitability: what a best response of the opponent wins against us more than the strategy that
    we believe in, both ranges as believed; percent of the pot at the start of the street. What we
    could win more is not in it: a safe search gives that up on purpose.
    safe: one of `SAFETY`, as it was done: ``none`` where the blueprint does not know the street.
    """

    policy: tuple[tuple[Action, float], ...]
    values: tuple[tuple[Action, float], ...]
    ranges: npt.NDArray[np.float64]
    exploitability: float
    iterations: int
    seconds: float
    safe: str

    def __str__(self) -> str:
        known = dict(self.values)
        parts = [
            f"{action} {100 * chance:.0f} % ({known[action]:+.1f})"
            for action, chance in self.policy
        ]
        return (
            f"{', '.join(parts)}; {self.iterations} iterations in {self.seconds:.2f} s, "
            f"exploitable for {self.exploitability:.2f} % of the pot"
        )


class _Found(NamedTuple):
    """A decision in a solved street."""

    subgame: Subgame
    place: Place


class SearchAgent(Agent):
    """Plays a blueprint, and searches on turn and river.

    file: the blueprint, see `BlueprintAgent`.  seconds: for a decision, at most 5.
    safe: one of `SAFETY`, and believed: see `tiltless.search.gadget`.  argmax: play the likeliest
    action.  iterations: instead of a time.  total, hands: a match clock, so many seconds for so
    many hands; no decision takes more than ``seconds`` still.
    river, turn: menus; empty for those of `tiltless.search.subgame`.  doubt: see
    `tiltless.search.belief`.  opponent: by what an opponent is believed to have played the turn,
    ``subgame`` as we solved it, or ``blueprint``.  threads: for turns.
    """

    def __init__(
        self,
        file: str = DEFAULT,
        seconds: float = 2.0,
        safe: str = "gadget",
        believed: float = BELIEVED,
        argmax: bool = False,
        iterations: int = 0,
        total: float = 0.0,
        hands: int = 1000,
        river: str = "",
        turn: str = "",
        doubt: float = DOUBT,
        opponent: str = "subgame",
        threads: int = 1,
    ) -> None:
        for name, word, known in (("safe", safe, SAFETY), ("opponent", opponent, _OPPONENTS)):
            if word not in known:
                raise OptionError(
                    f"{name}={brief(word)} is not known; use one of {', '.join(known)}"
                )
        for name, value, low, high in (
            ("seconds", seconds, 0.001, _MOST_SECONDS),
            ("believed", believed, 0, 1),
            ("doubt", doubt, 0, 1),
            ("total", total, 0, 1e9),
            ("hands", hands, 1, 1e12),
            ("iterations", iterations, 0, 1e9),
            ("threads", threads, 1, 64),
        ):
            if isinstance(value, bool) or not low <= value <= high:
                raise OptionError(
                    f"{name}={brief(value)} is not possible; choose {low:g} to {high:g}"
                )
        self._path = find_blueprint(file)
        self.blueprint = BlueprintAgent(file)
        self.seconds, self.safe, self.believed, self.doubt = seconds, safe, believed, doubt
        self.iterations, self.threads = iterations or None, threads
        self.opponent = opponent
        self.total, self.hands = total, hands
        self.post = PostProcess("argmax" if argmax else "sample")
        self.sizes = {_TURN: _menu(turn, TURN_SIZES), _RIVER: _menu(river, RIVER_SIZES)}
        for name, street in (("turn", _TURN), ("river", _RIVER)):
            self._check_sizes(name, street)
        self.counts: Counter[str] = Counter(solved=0, reused=0, late=0, blueprint=0)
        self.now: Callable[[], float] = time.perf_counter
        self._guide = Guide(self.blueprint.known.blueprint, self.blueprint.known.buckets)
        self._kept: OrderedDict[_Key, Subgame] = OrderedDict()
        self._ranges: OrderedDict[_Key, Ranges] = OrderedDict()
        self._late: OrderedDict[_Key, None] = OrderedDict()
        self._too_large: OrderedDict[_Key, int] = OrderedDict()  # for so many nodes
        self._spent, self._played, self._searches = 0.0, 0, 0

    def _check_sizes(self, name: str, street: int) -> None:
        """Refuse sizes that are hopeless even in a pot that was raised twice, 20 big blinds."""
        rules = self.blueprint.known.blueprint.game.rules
        pot, stack = 20 * rules.big_blind, min(rules.stacks) - 10 * rules.big_blind
        if stack <= 0:
            return
        board = _SOME_BOARD[: street + 2]
        every = np.ones(COMBO_COUNT)
        spot = subgame_spot(
            StreetStart(board, pot, stack, rules.big_blind, (), 0), every, every, self.sizes[street]
        )
        if tree_size(spot) > MOST_NODES:
            sizes = self.sizes[street].replace(", ", "+")
            raise OptionError(
                f"{name}={sizes} makes more than {MOST_NODES:,} nodes, too many to search; "
                "give fewer sizes"
            )

    def fingerprint(self) -> str:
        """Of the code and the model."""
        return f"{super().fingerprint()} {file_fingerprint(self._path)}"

    def hand_start(self, view: View) -> None:
        """One more hand for the match clock."""
        self._played += 1
        if self._played > self.hands:
            self._played, self._spent, self._searches = 1, 0.0, 0

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Search, or play the blueprint where that is not possible in time."""
        begin = self.now()
        if not _searchable(view):
            self.counts["blueprint"] += 1
            return self.blueprint.act(view, clock, rng)
        budget = self._budget(view, clock)
        found = self._find(view) or self._solve(view, begin, budget)
        decision = self._decision(view, found, rng) if isinstance(found, _Found) else None
        self._spent += self.now() - begin
        if decision is not None:
            return decision
        decision = self.blueprint.act(view, clock, rng)
        return decision._replace(source=f"{decision.source}, {found}")

    def policies(self, view: View) -> Policies:
        """What every hand does; what has to be solved for it is."""
        found = self._afresh(view) if _searchable(view) else None
        if found is None:
            return self.blueprint.policies(view)
        return self._policies(view, found)

    def explain(self, view: View) -> Explanation | None:
        """What search thinks of the decision of a view; None where the blueprint decides."""
        found = self._afresh(view) if _searchable(view) else None
        if found is None:
            return None
        place, solver = found.place, found.subgame.solver
        player = place.actor
        decision = self._decision(view, found, None)
        reaches = place.reaches
        lost = solver.best_values()[1 - player] - solver.values()[1 - player]
        return Explanation(
            decision.policy,
            decision.values,
            np.stack([reaches[player], reaches[1 - player]]),
            100 * lost / solver.spot.pot,
            solver.iterations,
            found.subgame.seconds,
            found.subgame.safe,
        )

    def _decision(self, view: View, found: _Found, rng: Random | None) -> Decision:
        """Draw from the row of the own hand."""
        first, second = view.cards
        combo = int(COMBO_OF[first, second])
        actions, chances = self._policies(view, found)
        weights = chances[combo].tolist()
        policy = tuple(pair for pair in zip(actions, weights, strict=True) if pair[1] > 0)
        worth = self._values(found.place, combo)
        values: dict[Action, float] = {}
        for action, chips in zip(found.place.actions, worth, strict=True):
            values.setdefault(_at_table(action, view), chips)
        chosen = policy[0][0] if rng is None else draw_action(policy, rng)
        return Decision(chosen, policy, tuple(values.items()), "search")

    def _policies(self, view: View, found: _Found, post: PostProcess | None = None) -> Policies:
        """A solved decision, in actions of the table; post: instead of what we do."""
        place, post = found.place, post or self.post
        chances = post(strategy_at(place), place.actions)
        if post.choice == "argmax":
            held = np.zeros(COMBO_COUNT, np.bool_)
            held[place.combos(place.actor)] = True
            chances[~held] = 0
        at_table = [_at_table(action, view) for action in place.actions]
        actions = tuple(dict.fromkeys(at_table))
        out = np.zeros((COMBO_COUNT, len(actions)))
        for column, action in enumerate(at_table):
            out[:, actions.index(action)] += chances[:, column]
        return Policies(actions, out.astype(np.float32))

    def _values(self, place: Place, combo: int) -> list[float]:
        """Chips that a hand wins with each action, folding now being 0."""
        player, solver = place.actor, place.solver
        hand = int(np.flatnonzero(place.combos(player) == combo)[0])
        worth = solver.worth(place.level, place.number, player)[:, hand]
        others = float(place.others(player)[combo])
        if others <= 0:
            return [0.0] * len(place.actions)
        lost = solver.spot.pot / 2 + solver.spot.stack - place.betting.stacks[player]
        return [float(worth[child]) / others + lost for child in place.street.children(place.node)]

    def _budget(self, view: View, clock: Clock) -> float | None:
        """Seconds for a decision; 0 where it should not be begun, None where nobody counts them."""
        budget = self.seconds
        if self.iterations and not self.total and clock.seconds is None:
            return None
        if clock.seconds is not None:
            budget = min(budget, _SPARE * clock.seconds)
        if self.total:
            searches, hands = _FIRST_GUESS
            rate = (self._searches + searches) / (self._played + hands)
            left = max(self.hands - self._played + 1, 1)
            budget = min(budget, max(self.total - self._spent, 0.0) / max(left * rate, 1.0))
        return budget if budget >= _LEAST[view.street] else 0.0

    def _find(self, view: View) -> _Found | None:
        """A decision that is solved already."""
        start = street_start(view)
        found = self._known(_key(view, start, view.seat), start.line, start.line)
        if found is not None:
            self.counts["reused"] += 1
        return found

    def _known(self, key: _Key, line: tuple[Action, ...], at: tuple[Action, ...]) -> _Found | None:
        """The place ``at`` in what is in force on a street after a line; only what is kept.

        At each of our decisions that is what was in force before if its tree has the line so far,
        and else what was solved with it. So it depends on the line alone.
        """
        own, button = key[:2]
        subgame: Subgame | None = None
        for length in range(int(own == button), len(line) + 1, 2):
            if subgame is None or subgame.place(line[:length]) is None:
                subgame = self._kept.get((*key, line[:length]))
        place = None if subgame is None else subgame.place(at)
        return None if subgame is None or place is None else _Found(subgame, place)

    def _solve(
        self, view: View, begin: float, budget: float | None, patient: bool = False
    ) -> _Found | str:
        """Solve the street of a view, or say why not; patient: also if it takes longer."""
        start = street_start(view)
        key = _key(view, start, view.seat)
        subgame, why = None, _NO_TIME
        if budget is None or budget > 0:
            self._searches += 1
            try:
                subgame = self._solved(view, start, begin, budget, patient)
            except TooLargeError:
                _keep(self._too_large, key, affordable(budget), _KEPT_RANGES)
                why = _NO_TIME if budget is not None else _NOT_KNOWN
            except TiltlessError:  # a table that the solver does not know
                why = _NOT_KNOWN
        place = None if subgame is None else subgame.place(start.line)
        if subgame is None or place is None:
            self.counts["late" if why == _NO_TIME else "blueprint"] += 1
            _keep(self._late, (*key, start.line), None, _KEPT_RANGES)
            return why
        self.counts["solved"] += 1
        self._kept[*key, start.line] = subgame
        self._late.pop((*key, start.line), None)
        self._drop()
        return _Found(subgame, place)

    def _solved(
        self, view: View, start: StreetStart, begin: float, budget: float | None, patient: bool
    ) -> Subgame | None:
        most = affordable(budget)
        if most <= self._too_large.get(_key(view, start, view.seat), 0):
            raise TooLargeError("this street has been too large before; give fewer sizes")
        ranges = self._believed(view, start)
        ip = view.button
        spot = subgame_spot(start, ranges[ip], ranges[1 - ip], self.sizes[view.street])
        left = None if budget is None else budget - (self.now() - begin)
        if left is not None and left <= 0 and not patient:
            return None
        return solve_subgame(
            spot,
            start.line,
            0 if view.seat == ip else 1,
            safe=self.safe,
            believed=self.believed,
            guide=self._guide,
            root=self._root(view),
            seconds=left,
            iterations=self.iterations,
            patient=patient,
            most=most,
            threads=self.threads,
            now=self.now,
        )

    def _root(self, view: View) -> int:
        """The blueprint's node at the start of the street; -1 if it has none."""
        first = view
        for past in past_decisions(view):
            if past.view.street == view.street:
                first = past.view
                break
        located = self.blueprint.locator.locate(first)
        return located.node if located.inside else -1

    def _believed(self, view: View, start: StreetStart) -> Ranges:
        """Both ranges at the start of the street, by seat."""
        key = _key(view, start, view.seat)
        found = self._ranges.get(key)
        if found is None:
            found = both_ranges(
                view,
                self._in_force(view.seat),
                own=view.seat,
                doubt=self.doubt,
                streets=view.street,
            )
            _keep(self._ranges, key, found, _KEPT_RANGES)
        return found

    def _in_force(self, own: int) -> Callable[[Past], Policies]:
        """The strategy at past decisions: what was solved, else the blueprint's."""

        def strategy(past: Past) -> Policies:
            view = past.view
            if view.street >= _TURN:
                start = street_start(view)
                key = _key(view, start, own)
                found = None
                if view.seat == own:
                    if (*key, start.line) not in self._late:
                        found = self._known(key, start.line, start.line)
                elif self.opponent == "subgame":
                    stack = start.stack
                    found = self._known(key, callable_line(past.line, stack), start.line)
                if found is not None:
                    return self._policies(view, found, PostProcess() if view.seat != own else None)
            return self.blueprint.policies(view)

        return strategy

    def _afresh(self, view: View) -> _Found | None:
        """Solve what is not kept of our decisions in this hand, in order, then the view's."""
        for past in past_decisions(view):
            if past.seat == view.seat:
                self._once(past.view)
        return self._once(view)

    def _once(self, view: View) -> _Found | None:
        if not _searchable(view):
            return None
        start = street_start(view)
        key = _key(view, start, view.seat)
        if (*key, start.line) in self._late:
            return None
        found = self._known(key, start.line, start.line)
        if found is None:
            counts = self.counts.copy()
            limit = None if self.iterations else self.seconds
            solved = self._solve(view, self.now(), limit, patient=True)
            found = solved if isinstance(solved, _Found) else None
            self.counts = counts
        return found

    def _drop(self) -> None:
        """Make room; the newest stays."""
        size = sum(kept.solver.table_bytes for kept in self._kept.values())
        while size > _KEPT_BYTES and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            size -= gone.solver.table_bytes


def _menu(text: str, default: str) -> str:
    """A menu as it is written in options; checked."""
    words = text.replace("+", ", ") or default
    find_menu(words)
    return words


def _searchable(view: View) -> bool:
    """Whether search knows the rules, and there is something to decide on turn or river."""
    rules = view.rules
    return (
        view.street in (_TURN, _RIVER)
        and len(view.starting_stacks) == 2
        and len(view.board) == view.street + 2
        and len(rules.streets) == _RIVER + 1
        and rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and not rules.run_suits
        and not rules.eval7_flushes
        and rules.raises_per_player is None
        and all(street.cap is None for street in rules.streets[view.street :])
        and not view.betting.rules.fixed
        and HIDDEN_RANKS not in view.moves
        and view.game != "permutation"  # which may hide an order of ranks of the whole match
    )


def _at_table(action: Action, view: View) -> Action:
    """An action of the solved tree, as it is legal at the table."""
    if isinstance(action, RaiseTo):
        return nearest_raise(view.actions, action.chips)
    return action


def _key(view: View, start: StreetStart, own: int) -> _Key:
    """What tells the start of a street, as we believe it, from all others."""
    return own, view.button, view.rules, view.starting_stacks, view.moves[: start.moves]


def _keep(kept: OrderedDict[_Key, Any], key: _Key, value: Any, most: int) -> None:
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
