"""Search agent: a blueprint before the turn, then real-time subgame solving.

::

    make_agent("search")                                 at most 2 seconds per decision
    make_agent("search:seconds=0.5,entry=fixed-range")
    make_agent("search:total=30,hands=1000")             30 seconds for 1,000 hands
    make_agent("search:iterations=100,river=50%+a/a")    the same play on every machine
    make_agent("search:file=river-of-blood,total=24")    River of Blood
    make_agent("search:device=gpu")                      flops, too, on an NVIDIA card

On the turn and the river, the agent solves the street from its start, with its estimate of both
ranges (`tiltless.search.beliefs`) and a betting tree that contains the bets actually made
(`tiltless.search.subgame`). It keeps using a street's solution until a bet occurs that the tree
lacks, so that it follows one strategy along the street (`tiltless.search.cache`). Without time, or
where search is not possible, the blueprint decides; `counts` says how often. The size of a tree is
counted before it is built, and trees that are too large for the time budget are skipped.

`policies` and `explain` report what `act` would play if it had been asked at each of its decisions
in the hand, with enough time: missing solutions, including those of the agent's earlier decisions,
are computed first, in order. With ``iterations`` they agree with `act` to the last bit; with a time
limit, as closely as two searches of the same street do. What `act` has already done stands: a
decision it had no time for is the blueprint's, and if it was asked on the river but not on the
turn, it assumed that the blueprint had played the turn.

With ``device=gpu`` turns are solved on a card, and flops as well: with all hands of both players,
the opponent's believed range and a cold start, as the blueprint's rows on all rivers would take
longer than the whole search. A flop's solution is in force on the flop, is what beliefs on the turn
assume, and gives the turn its alternative values, as a turn's does for the river. Rivers stay on
the processor, which solves them in the same time.

In River of Blood it searches from the river on: a board with a black newest card like a river, one
with a red card like a turn whose river is the next card (`tiltless.postflop.run_spot`). A match
clock gives large pots more time, and small ones on red boards often none
(`tiltless.search.match_clock`).

Bet sizes are given as a menu, with ``+`` instead of commas.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from tiltless.agents import search_boards
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    Policies,
    check_two_seats,
    code_fingerprint,
    file_fingerprint,
)
from tiltless.agents.blueprint import BlueprintAgent, KnownHands
from tiltless.agents.postprocess import PostProcess
from tiltless.agents.search_boards import (
    FLOP,
    RED,
    RIVER,
    TURN,
    board_kind,
    check_menus,
    menus,
    searchable,
    warm_up,
)
from tiltless.agents.search_decision import Explanation, decide, explain, policies_at
from tiltless.agents.thinking_time import thinking_time
from tiltless.blueprint.readings import hand_weights
from tiltless.blueprint.shipped import trained_rules
from tiltless.errors import OptionError, TiltlessError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.postflop.device.card import check_device
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.solver import PostflopSolver
from tiltless.search import subgame
from tiltless.search.beliefs import UNIFORM_MIX, Ranges, Vector, both_ranges, likelihood
from tiltless.search.blueprint_lines import RootReading, Roots
from tiltless.search.blueprint_policy import BlueprintPolicy
from tiltless.search.budget import MOST_NODES, TooLargeError, affordable, grow_forests
from tiltless.search.cache import Found, Memory, Where, where
from tiltless.search.entry import ENTRIES
from tiltless.search.match_clock import MatchClock
from tiltless.search.past_play import OwnDecision
from tiltless.search.solved import Subgame
from tiltless.search.streets import (
    Past,
    callable_line,
    past_decisions,
    street_start,
)
from tiltless.search.subgame import solve_subgame, subgame_spot
from tiltless.validate import between, one_of

__all__ = ["Explanation", "SearchAgent"]

_MOST_SECONDS = 5.0
_LEAST = {
    FLOP: 0.5,
    TURN: 0.3,
    RIVER: 0.005,
    RED: 0.1,
}  # seconds below which a search is not started
_OPPONENTS = ("subgame", "blueprint")
_ALTERNATIVES = ("carried", "blueprint")
_ENOUGH = {RIVER: 60, RED: 24}  # iterations in River of Blood, where time is for other pots
_RIVER_TIMES = 4  # iterations of a river for one of a turn, which takes thirty times as long
_SHARES = 2.5  # of the match clock for a red board, as a black one does not need all of its own

_NO_TIME, _NOT_KNOWN = "no time to search", "cannot be searched"
_COUNTED = {_NO_TIME: "late", _NOT_KNOWN: "blueprint"}


class SearchAgent(Agent):
    """Plays a blueprint, and solves subgames on the turn and the river.

    file: the blueprint, see `BlueprintAgent`.  seconds: time limit per decision, at most 5.
    entry: with which hands the opponent enters a subgame, one of `ENTRIES`.  trust: how often it
    has its believed range instead, see `tiltless.search.gadget`; below 0 for the default of that
    entry (`tiltless.search.entry.TRUST`).  argmax: play the likeliest action.
    iterations: a fixed number of iterations instead of a time limit, on a river four times as many;
    0 for none.  total, hands: a match clock, ``total`` seconds for ``hands`` hands; ``seconds``
    still limits each decision.
    river, turn, flop: menus; empty for those of `tiltless.search.subgame`.  uniform_mix: see
    `tiltless.search.beliefs`.  opponent: the strategy that the opponent is assumed to have played
    on streets that we searched, ``subgame`` (our solution) or ``blueprint``.  alternative: where
    the river's alternative values come from, ``carried`` from the turn's solution if there is one,
    or always from the ``blueprint``.  threads: threads that solve a turn.
    device: ``cpu``, or ``gpu`` to solve turns and flops on an NVIDIA card, see the module.
    purify, fold_threshold: how the blueprint's own decisions are post-processed, see
    `tiltless.agents.postprocess`. Beliefs, of our range too, are those of the blueprint as it is.
    red, bets_after: the menu of boards that go on past the river, where that of the ``turn`` is for
    the street and that of the ``river`` for the next; and whether there are bets on the next.
    """

    def __init__(
        self,
        file: str = "",
        seconds: float = 2.0,
        entry: str = "max-margin",
        trust: float = -1.0,
        argmax: bool = False,
        iterations: int = 0,
        total: float = 0.0,
        hands: int = 1000,
        river: str = "",
        turn: str = "",
        uniform_mix: float = UNIFORM_MIX,
        opponent: str = "subgame",
        alternative: str = "carried",
        threads: int = 1,
        red: str = "",
        bets_after: bool = True,
        purify: bool = False,
        fold_threshold: float = 0.5,
        device: str | Machine = "cpu",
        flop: str = "",
    ) -> None:
        one_of("entry", entry, ENTRIES)
        one_of("opponent", opponent, _OPPONENTS)
        one_of("alternative", alternative, _ALTERNATIVES)
        between("trust", trust, -1, 1)
        between("uniform_mix", uniform_mix, 0, 1)
        between("seconds", seconds, 0.001, _MOST_SECONDS)
        between("iterations", iterations, 0, 1e9)
        between("total", total, 0, 1e9)
        between("hands", hands, 1, 1e12)
        between("threads", threads, 1, 64)
        if isinstance(device, str):
            check_device(device)
        self.device = device
        self.first = TURN if device == "cpu" else FLOP  # the first street that is searched
        self.blueprint = BlueprintAgent(file)
        self.unsearched = self.blueprint  # plays where there is no search
        if purify:
            self.unsearched = BlueprintAgent(file, purify=True, fold_threshold=fold_threshold)
        self.seconds, self.entry, self.uniform_mix = seconds, entry, uniform_mix
        self.trust = None if trust < 0 else trust
        self.iterations, self.threads = iterations or None, threads
        self.opponent, self.alternative = opponent, alternative
        self.post = PostProcess("argmax" if argmax else "sample")
        self.bets_after = bets_after
        self.sizes = menus(flop, turn, river, red)
        self._checked: set[Rules] = set()
        self._check_sizes(trained_rules(self.blueprint.files[0]))
        self.counts: Counter[str] = Counter(solved=0, reused=0, late=0, blueprint=0)
        self.now: Callable[[], float] = thinking_time
        self.memory = Memory()
        self._policies: dict[KnownHands, BlueprintPolicy] = {}
        self._match = MatchClock(total, hands)
        self._cold = device == "gpu"  # whether kernels of a card are yet to be compiled

    def _check_sizes(self, rules: Rules) -> None:
        """Refuse menus that are too large for a blueprint's stacks, once for each of its rules."""
        if rules not in self._checked:
            check_menus(self.sizes, rules, self.bets_after, self.first)
            self._checked.add(rules)

    def fingerprint(self) -> str:
        """Fingerprint of the agent's code, of search and the solver, and of blueprint files."""
        search = sorted(Path(str(subgame.__file__)).parent.glob("*.py"))
        search.append(Path(str(search_boards.__file__)))
        solver = map(code_fingerprint, (Explanation, PostflopSolver))
        code = fingerprint(*map(file_fingerprint, search), *solver)
        return " ".join([super().fingerprint(), code, *map(file_fingerprint, self.blueprint.files)])

    def check_table(self, game: str, rules: Rules) -> str:
        """Whether the blueprint fits the table, and the sizes fit its depth."""
        check_two_seats("search", rules)
        note = self.blueprint.check_table(game, rules)
        self._check_sizes(self.blueprint.at(rules).known.blueprint.game.rules)
        return note

    def expect_match(self, hands: int) -> str:
        """Spread the match clock over this many hands."""
        self._match = MatchClock(self._match.total, hands)
        return ""

    def hand_start(self, view: View) -> None:
        """Load the blueprint, and tell the match clock that a hand begins."""
        self.blueprint.hand_start(view)
        self.unsearched.hand_start(view)
        if self._cold:
            self._cold = False
            warm_up(self.sizes, view.rules, self.device)
        self._match.next_hand()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Search, or play the blueprint if search is not possible in time."""
        begin = self.now()
        if not self._searchable(view):
            self.counts["blueprint"] += 1
            decision = self.unsearched.act(view, clock, rng)
            self._match.spend(self.now() - begin)
            return decision
        found: Found | str | None = self.memory.find(where(view))
        counted = "reused"
        if found is None:
            budget = self._budget(view, clock)
            if budget != 0:
                self._match.next_search()
            found = self._search(view, begin, budget)
            counted = "solved" if isinstance(found, Found) else _COUNTED[found]
        self.counts[counted] += 1
        if isinstance(found, Found):
            decision = decide(view, found, self.post, rng)
        else:
            decision = self.unsearched.act(view, clock, rng)
            decision = decision._replace(source=f"{decision.source}, {found}")
        self._match.spend(self.now() - begin)
        return decision

    def policies(self, view: View) -> Policies:
        """The policy of every hand; solves what it needs first."""
        found = self._ponder(view)
        if found is None:
            return self.unsearched.policies(view)
        return policies_at(view, found, self.post)

    def takes_long(self, view: View) -> bool:
        """If a card is to come; a river is solved in hundredths of a second."""
        return self._searchable(view) and board_kind(view) != RIVER

    def explain(self, view: View) -> Explanation | None:
        """Policy, values and ranges at a decision; None if the blueprint decides there."""
        found = self._ponder(view)
        return None if found is None else explain(view, found, self.post)

    def _searchable(self, view: View) -> bool:
        return searchable(view, self.first)

    def _device(self, kind: int) -> str | Machine:
        """Where boards of a kind are solved."""
        return self.device if kind in (FLOP, TURN) else "cpu"

    def _ponder(self, view: View) -> Found | None:
        """The solution for a decision, solving our earlier decisions of the hand first."""
        if not self._searchable(view):
            return None
        if self.memory.find(where(view)) is None:
            for past in past_decisions(view):
                if past.seat == view.seat and self._searchable(past.view):
                    self._ponder_one(past.view)
        return self._ponder_one(view)

    def _ponder_one(self, view: View) -> Found | None:
        here = where(view)
        if here.line in self.memory.notes(here).unsearched:
            return None
        found = self.memory.find(here)
        if found is None:
            seconds = None if self.iterations else self.seconds
            solved = self._search(view, self.now(), seconds, patient=True)
            found = solved if isinstance(solved, Found) else None
        return found

    def _budget(self, view: View, clock: Clock) -> float | None:
        """Seconds for a decision; 0 if a search should not start, None for no time limit."""
        if self.iterations and not self._match.total and clock.seconds is None:
            return None
        runs, kind = bool(view.rules.run_suits), board_kind(view)
        share = self._match.share(view.pot if runs else 0)
        if runs and kind == RED:
            share *= _SHARES
        return self._match.budget(self.seconds, clock.seconds, _LEAST[kind], share)

    def _search(
        self, view: View, begin: float, budget: float | None, patient: bool = False
    ) -> Found | str:
        """Solve the street of a view, or say why not; patient: even if it takes longer."""
        here = where(view)
        notes = self.memory.notes(here)
        subgame, why = None, _NO_TIME
        if budget is None or budget > 0:
            try:
                subgame = self._solve(view, here, begin, budget, patient)
            except TooLargeError:
                notes.too_large = max(notes.too_large, self._affordable(view, budget))
                why = _NO_TIME if budget is not None else _NOT_KNOWN
            except TiltlessError:  # a table that the solver does not support
                why = _NOT_KNOWN
        node = None if subgame is None else subgame.node_at(here.line)
        if subgame is None or node is None:
            notes.unsearched.add(here.line)
            return why
        self.memory.keep(here, subgame)
        return Found(subgame, node)

    def _solve(
        self, view: View, here: Where, begin: float, budget: float | None, patient: bool
    ) -> Subgame | None:
        notes, most = self.memory.notes(here), self._affordable(view, budget)
        if most <= notes.too_large:
            raise TooLargeError("this street's tree was too large before; give fewer sizes")
        if notes.ranges is None:
            notes.ranges = self._beliefs(view)
        ip, player = view.button, int(view.seat != view.button)
        kind = board_kind(view)
        spot = subgame_spot(
            here.start,
            notes.ranges[ip],
            notes.ranges[1 - ip],
            self.sizes[kind],
            None if kind == FLOP else player,
            run_suits=view.rules.run_suits,
            bets_after=self.bets_after,
        )
        forests, past = grow_forests(spot, here.line, most), self._own_past(view)
        same = None if past else self.memory.find_same(here, forests)
        if same is not None:
            return same
        carried = self._carried(view) if self.alternative == "carried" else None
        cold = kind == FLOP or (self._device(kind) != "cpu" and carried is not None)
        left = None if budget is None else budget - (self.now() - begin)
        if left is not None and left <= 0 and not patient:
            return None
        solve = partial(
            solve_subgame,
            spot,
            here.line,
            player,
            entry=self.entry,
            trust=self.trust,
            policy=None if cold else self._policy(view),
            root=-1 if cold else self._root(view),
            past=past,
            carried=carried,
            seconds=left,
            iterations=self._most_iterations(view),
            patient=patient,
            forests=forests,
            threads=self.threads,
            device=self._device(kind),
            now=self.now,
        )
        try:
            return solve()
        except OptionError:
            if self._device(kind) == "cpu":
                raise
            self.memory.make_room(here)  # of a card's memory
            return solve()

    def _affordable(self, view: View, budget: float | None) -> int:
        """The most nodes, times boards, of a tree."""
        kind = board_kind(view)
        most = affordable(budget, on_device=self._device(kind) != "cpu")
        return most if kind == FLOP else min(most, MOST_NODES)

    def _policy(self, view: View) -> BlueprintPolicy:
        """The table's blueprint in trees of the solver."""
        known = self.blueprint.at(view.rules).known
        policy = self._policies.get(known)
        if policy is None:
            policy = BlueprintPolicy(known.blueprint, known.buckets, known.strengths)
            self._policies[known] = policy
        return policy

    def _most_iterations(self, view: View) -> int | None:
        """Iterations after which a search ends before its time; None: it takes its time."""
        kind = board_kind(view)
        if self.iterations:
            return self.iterations * (_RIVER_TIMES if kind == RIVER else 1)
        return _ENOUGH[kind] if view.rules.run_suits else None

    def _root(self, view: View) -> Roots:
        """The blueprint's nodes at the start of the street, in the readings of each player."""
        on_street = (past.view for past in past_decisions(view) if past.view.street == view.street)
        start, locator, roots = next(on_street, view), self.blueprint.at(view.rules).locator, []
        for seat in (view.button, 1 - view.button):
            located = locator.locate(start, seat)
            nodes = [each.node if each.inside else -1 for each in located]
            roots.append([*map(RootReading, nodes, hand_weights(located))])
        return roots[0], roots[1]

    def _beliefs(self, view: View) -> Ranges:
        """Our estimate of both ranges at the start of the street, by seat."""
        return both_ranges(
            view,
            partial(self._in_force, view.seat),
            own=view.seat,
            uniform_mix=self.uniform_mix,
            streets=view.street,
        )

    def _in_force(self, own_seat: int, past: Past) -> Policies:
        """The strategy that a past decision was made by, or that we assume for the opponent's."""
        own, found = past.seat == own_seat, None
        if past.view.street >= self.first and (own or self.opponent == "subgame"):
            found = self.memory.find_past(past, own_seat)
        if found is None:
            return self.blueprint.policies(past.view)
        return policies_at(past.view, found, self.post if own else PostProcess())

    def _carried(self, view: View) -> Vector | None:
        """`carried_values` of the last street's solution; None if we did not play by one."""
        turns = [past for past in past_decisions(view) if past.view.street == view.street - 1]
        own = [past for past in turns if past.seat == view.seat]
        if not self.first < view.street <= RIVER or not own:
            return None
        here = where(own[-1].view)
        unsearched = self.memory.notes(here).unsearched
        line = callable_line(own[-1].line, here.start.stack)
        found = self.memory.find(here, line)
        if found is None or any(street_start(past.view).line in unsearched for past in own):
            return None
        if found.subgame.node_at(line) is None:
            return None
        opponent = int(view.seat == view.button)
        return found.subgame.carried(line, view.board[-1], opponent)

    def _own_past(self, view: View) -> list[OwnDecision]:
        """Our earlier decisions on the street of a view, as we made them."""
        decisions = []
        for past in past_decisions(view):
            if past.view.street != view.street or past.seat != view.seat:
                continue
            here, strategy = street_start(past.view), self._in_force(view.seat, past)
            prob = likelihood(past.view, strategy, past.move)
            if prob is None:
                break
            (move,) = callable_line((past.move,), here.stack)
            actions = callable_line(strategy.actions, here.stack)
            decisions.append(OwnDecision(here.line, move, prob, actions, strategy.chances))
        return decisions
