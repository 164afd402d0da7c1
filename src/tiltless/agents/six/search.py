"""Search at tables of three to six seats: a blueprint, with later streets solved in real time.

::

    make_agent("six:search")                          at most 2 seconds for a decision
    make_agent("six:search,seconds=0.2")
    make_agent("six:search,total=30,hands=1000")      30 seconds for 1,000 hands
    make_agent("six:search,iterations=50")            the same play on every machine

Who could still bet when the street began decides:

* **two players**: the turn and the river are solved exactly, like heads-up, with their believed
  ranges (`tiltless.search.subgame`, ``fixed-range``); the flop as with three players;
* **three players**: vector sampling in the subgame of the street, whose later streets are bucketed
  and shared (`tiltless.search.multiway`). The last iteration is played, the average believed;
* **four and more**, before the flop, and where somebody is all-in: the blueprint.

Ranges come from the blueprint's strategy of all seats, by Bayes' rule, and on streets that were
searched from the solution (`tiltless.search.beliefs`). A street's solution is used until a bet
occurs that it lacks. Nothing here is safe search: with three players no search is.

`policies` reports what `act` played: a decision that it had no time for stays the blueprint's.
Where `act` was not asked, `policies` obeys the same limits of time, without a dealer's clock. Code
is compiled when the first hand of a process begins (`tiltless.agents.six.warm_up`).

Where buckets of later streets are needed and their tables have not been built
(``tiltless abstraction build``), the blueprint decides; `check_table` says so.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tiltless.abstraction.cards.buckets import ONE_BUCKET, Buckets
from tiltless.abstraction.cards.tables import missing_tables
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    Policies,
    code_fingerprint,
    file_fingerprint,
)
from tiltless.agents.blueprint import BlueprintAgent, draw_action
from tiltless.agents.postprocess import PostProcess
from tiltless.agents.search_decision import at_table
from tiltless.agents.six.warm_up import warm_up
from tiltless.agents.thinking_time import thinking_time
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.table_fit import FEWEST_SEATS
from tiltless.cards.card import COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError, TiltlessError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search import subgame
from tiltless.search.beliefs import EveryHand, Ranges, seat_ranges
from tiltless.search.budget import affordable, grow_forests
from tiltless.search.match_clock import MatchClock
from tiltless.search.multiway import MultiwaySearch
from tiltless.search.streets import Past
from tiltless.search.subgame import RIVER_SIZES, TURN_SIZES, solve_subgame, subgame_spot
from tiltless.search.table_streets import (
    SolvedPair,
    SolvedStreet,
    SolvedTable,
    Spread,
    TableStart,
    table_start,
)
from tiltless.validate import between

__all__ = ["SixSearchAgent"]

_MOST_SECONDS = 60.0
_FLOP, _TURN, _RIVER = 1, 2, 3
_MOST_PLAYERS = 3
_LEAST = {_TURN: 0.3, _RIVER: 0.005}  # seconds below which two players are not searched
_LEAST_SAMPLED = {_FLOP: 1.0, _TURN: 0.5, _RIVER: 0.1}  # the same of vector sampling
_SPARE = {_FLOP: 0.1, _TURN: 0.2, _RIVER: 0.1}  # of the time, for what follows a search
_SIZES = {_TURN: TURN_SIZES, _RIVER: RIVER_SIZES}
_KEPT, _NOTED = 6, 512  # solved streets, and decisions that the blueprint made
_ACTED = 32  # solved streets of the present hand, all of which are kept
_TRIAL = 16  # iterations to warm up with; sampling adds to its average in the twelfth

_Key = tuple[Any, ...]
_warm: set[tuple[Any, ...]] = set()  # models and numbers of threads that this process has searched


class SixSearchAgent(Agent):
    """Plays a blueprint of three to six seats, and solves later streets of two or three players.

    blueprint: plays all other decisions.  seconds: the most for a decision.
    iterations: a fixed number instead of a time limit, of vector sampling in blocks of 64 deals; 0
    for none.  total, hands: a match clock, ``total`` seconds for ``hands`` hands.
    threads: threads that solve a turn, or sample.
    """

    def __init__(
        self,
        blueprint: BlueprintAgent,
        seconds: float = 2.0,
        iterations: int = 0,
        total: float = 0.0,
        hands: int = 1000,
        threads: int = 1,
    ) -> None:
        between("seconds", seconds, 0.001, _MOST_SECONDS)
        between("iterations", iterations, 0, 1e9)
        between("total", total, 0, 1e9)
        between("hands", hands, 1, 1e12)
        between("threads", threads, 1, 64)
        self.blueprint, self.seconds, self.threads = blueprint, seconds, threads
        self.iterations = iterations or None
        self.counts: Counter[str] = Counter(solved=0, reused=0, late=0, blueprint=0)
        self.now: Callable[[], float] = thinking_time
        self.post = PostProcess()
        self._match = MatchClock(total, hands)
        self._solved: OrderedDict[tuple[_Key, _Key], SolvedStreet] = OrderedDict()
        self._unsearched: OrderedDict[tuple[_Key, _Key], None] = OrderedDict()
        self._acted: deque[tuple[_Key, _Key]] = deque(maxlen=_ACTED)

    def fingerprint(self) -> str:
        """Fingerprint of the agent's code, of search and the solver, and of blueprint files."""
        search = sorted(Path(str(subgame.__file__)).parent.glob("*.py"))
        code = fingerprint(*map(file_fingerprint, search), code_fingerprint(PostflopSolver))
        return " ".join([super().fingerprint(), code, self.blueprint.fingerprint()])

    def check_table(self, game: str, rules: Rules) -> str:
        """See `BlueprintAgent`; also says if tables of buckets are missing."""
        note = self.blueprint.check_table(game, rules)
        known = self.blueprint.at(rules).known
        if not isinstance(known.strategy, MultiwayBlueprint):
            raise OptionError(
                f"six:search plays tables of three to six seats, not {rules.seats}; choose search "
                "for two"
            )
        if known.tables is None or missing_tables(known.strategy.abstraction):
            more = "flops, and turns of three players, are not searched: build the bucket tables"
            note = f"{note}; {more}" if note else more
        return note

    def expect_match(self, hands: int) -> str:
        """Spread the match clock over this many hands."""
        self._match = MatchClock(self._match.total, hands)
        return ""

    def hand_start(self, view: View) -> None:
        """Load the blueprint, compile what search needs, and tell the match clock of a hand."""
        self.blueprint.hand_start(view)
        key = *self.blueprint.files, self.threads
        model = self.blueprint.at(view.rules).known.strategy
        if key not in _warm and isinstance(model, MultiwayBlueprint):
            _warm.add(key)
            trial = SixSearchAgent(self.blueprint, iterations=_TRIAL, threads=self.threads)
            warm_up(trial, model.game.players)
        self._acted.clear()
        self._match.next_hand()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Search, or play the blueprint if search is not possible in time."""
        begin, here = self.now(), _searchable(view)
        found, counted = None, "blueprint"
        if here is not None:
            found, counted = self._find(view, here), "reused"
            if found is None:
                budget = self._budget(here, clock)
                if budget != 0:
                    self._match.next_search()
                    self._acted.append((_key(view), here.start.line))
                    found = self._search(view, here, begin, budget)
                counted = "solved" if found is not None else "late"
            self._note(view, here, found is not None)
        self.counts[counted] += 1
        if found is None:
            decision = self.blueprint.act(view, clock, rng)
        else:
            policies, row = self._at_table(view, found), COMBO_OF[view.cards[0], view.cards[1]]
            chances = policies.chances[int(row)].tolist()
            policy = tuple(
                pair for pair in zip(policies.actions, chances, strict=True) if pair[1] > 0
            )
            decision = Decision(draw_action(policy, rng), policy, source="search")
        self._match.spend(self.now() - begin)
        return decision

    def policies(self, view: View) -> Policies:
        """The policy of every hand; solves the street first if `act` would, and has not."""
        here, found = _searchable(view), None
        if here is not None and (_key(view), here.start.line) not in self._unsearched:
            found = self._find(view, here)
            if found is None:
                budget = self._budget(here, Clock())
                if budget != 0:
                    found = self._search(view, here, self.now(), budget)
        return self.blueprint.policies(view) if found is None else self._at_table(view, found)

    def takes_long(self, view: View) -> bool:
        """Wherever it searches."""
        return _searchable(view) is not None

    def _at_table(self, view: View, found: Spread) -> Policies:
        chances = self.post(found.chances, found.actions)
        chances[HOLDING[list(view.board)].any(axis=0)] = 0
        return at_table(view, found.actions, chances)

    def _budget(self, here: TableStart, clock: Clock) -> float | None:
        """Seconds for a decision; 0 if a search should not start, None for no time limit."""
        if self.iterations and not self._match.total and clock.seconds is None:
            return None
        least = _LEAST if _is_pair(here) else _LEAST_SAMPLED
        street = len(here.start.board) - 2
        return self._match.budget(self.seconds, clock.seconds, least[street])

    def _note(self, view: View, here: TableStart, searched: bool) -> None:
        """Remember whether `act` played a solution at a decision."""
        key = _key(view), here.start.line
        self._unsearched.pop(key, None)
        if not searched:
            self._unsearched[key] = None
            if len(self._unsearched) > _NOTED:
                self._unsearched.popitem(last=False)

    def _find(self, view: View, here: TableStart) -> Spread | None:
        """What the solution in force plays; None if there is none."""
        solved = self._in_force(_key(view), here.start.line)
        return None if solved is None else solved.played(here.start.line, _position(view, here))

    def _in_force(self, key: _Key, line: tuple[Any, ...]) -> SolvedStreet | None:
        """The last solution that was made on a street before the end of a line."""
        for length in range(len(line), -1, -1):
            if (key, line[:length]) in self._solved:
                self._solved.move_to_end((key, line[:length]))
                return self._solved[key, line[:length]]
        return None

    def _search(
        self, view: View, here: TableStart, begin: float, budget: float | None
    ) -> Spread | None:
        """Solve the street of a view; None if there is no time, or it is not possible."""
        solve = self._solve_pair if _is_pair(here) else self._sample
        try:
            solved = solve(view, here, begin, budget)
        except TiltlessError:  # too large, missing tables, or a game that is not supported
            return None
        if solved is None:
            return None
        self._keep(_key(view), here.start.line, solved)
        return solved.played(here.start.line, _position(view, here))

    def _keep(self, key: _Key, line: tuple[Any, ...], solved: SolvedStreet) -> None:
        """Keep a solution; drop the oldest that `act` has not made in the present hand."""
        self._solved[key, line] = solved
        unused = [each for each in self._solved if each not in self._acted]
        for each in unused[: max(len(self._solved) - _KEPT, 0)]:
            if each != (key, line):
                del self._solved[each]

    def _ranges(self, view: View, here: TableStart) -> Ranges:
        return seat_ranges(
            view, partial(self._believed, view), here.order, own=view.seat, streets=view.street
        )

    def _believed(self, now: View, past: Past) -> EveryHand:
        """The strategy that we assume a past decision was made by."""
        key = _key(past.view, now.seat)
        there = table_start(past.view)
        if there is not None and now.seat in there.order:
            solved = self._in_force(key, there.start.line)
            found = solved and solved.believed(there.start.line, there.order.index(past.seat))
            if found:
                return at_table(past.view, *found)
        return self.blueprint.policies(past.view)

    def _solve_pair(
        self, view: View, here: TableStart, begin: float, budget: float | None
    ) -> SolvedStreet | None:
        """Two players on the turn or the river."""
        player = (OOP, IP)[_position(view, here)]
        oop, ip = self._ranges(view, here)
        spot = subgame_spot(here.start, ip, oop, _SIZES[view.street], player)
        left = None if budget is None else (1 - _SPARE[view.street]) * budget - (self.now() - begin)
        if left is not None and left <= 0:
            return None
        solved = solve_subgame(
            spot,
            here.start.line,
            player,
            seconds=left,
            iterations=self.iterations,
            forests=grow_forests(spot, here.start.line, affordable(budget)),
            threads=self.threads,
            now=self.now,
        )
        return None if solved is None else SolvedPair(solved)

    def _sample(
        self, view: View, here: TableStart, begin: float, budget: float | None
    ) -> SolvedStreet | None:
        """Vector sampling among two or three players."""
        known = self.blueprint.at(view.rules).known
        model = known.strategy
        assert isinstance(model, MultiwayBlueprint)
        groups: Sequence[Buckets] = [ONE_BUCKET] * (_RIVER + 1)  # a river needs none
        if view.street < _RIVER:
            if known.tables is None:
                return None
            groups = known.tables.groups
        search = MultiwaySearch(
            model.game,
            here.start.board,
            here.start.pot,
            here.start.stack,
            self._ranges(view, here),
            groups,
            line=here.start.line,
            menu=model.graph.menu,
            threads=self.threads,
        )
        if search.actor != _position(view, here):
            return None
        if budget is None:
            search.run(_MOST_SECONDS, (self.iterations or 1) * search.engine.block_walks)
        else:
            left = (1 - _SPARE[view.street]) * budget - (self.now() - begin)
            if left <= 0:
                return None
            search.run(left, now=self.now)
        return SolvedTable(search)


def _searchable(view: View) -> TableStart | None:
    """The start of the street if two or three players began it, at a table of three or more."""
    if len(view.starting_stacks) < FEWEST_SEATS:
        return None
    here = table_start(view)
    return here if here is not None and len(here.order) <= _MOST_PLAYERS else None


def _is_pair(here: TableStart) -> bool:
    return len(here.order) == 2 and len(here.start.board) - 2 > _FLOP


def _position(view: View, here: TableStart) -> int:
    return here.order.index(view.seat)


def _key(view: View, own: int | None = None) -> _Key:
    """The hand up to the start of the street, and who searches; no private cards."""
    start = table_start(view)
    moves = 0 if start is None else start.start.moves
    seat = view.seat if own is None else own
    return (seat, view.button, view.rules, view.starting_stacks, view.moves[:moves])
