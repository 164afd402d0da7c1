"""Blueprint agent: plays a trained strategy, with off-tree bets translated.

::

    make_agent("blueprint")                                   a shipped blueprint, sampled
    make_agent("blueprint:file=runs/mine/blueprint.safetensors,threshold=0.05")
    make_agent("blueprint:purify,fold-threshold=0.4,translation=deterministic")

Without ``file`` the shipped blueprint for the table's seats and depth plays, with two seats 100 or
200 big blinds, whichever is nearer (`tiltless.blueprint.shipped.blueprint_for`); it is loaded at
the first sight of a table. Blueprints of three to six seats are `tiltless.agents.six`.

A decision is located in the tree (`tiltless.blueprint.locate`), the hand is mapped to its bucket,
the strategy is post-processed (`tiltless.agents.postprocess`), and an action is sampled. After bets
that are not in the tree there are several readings of a hand: the strategy is their mixture, and
the one draw of an action is from that. Buckets are read from tables if they have been built
(``tiltless abstraction build``), and computed otherwise; they are cached by board.

* An infoset that training never visited is played by hand strength
  (`tiltless.blueprint.fallback`).
* If the tree's street is over but we still have to act, the agent folds as often as at its last
  decision on the street, and calls otherwise; without such a decision it plays by strength. A small
  raise that is read as a call is called.
* Before the flop it plays push/fold by pot odds (`tiltless.agents.push_fold`) with short stacks (10
  big blinds; precisely, 7 times blinds and antes), and at any depth against an all-in that is less
  than half of the tree's all-in, in pots. On later streets such all-ins, with no size of the tree
  near, are answered by strength, which considers pot odds too.

It plays any stacks, any blinds and both orders of two players' blinds; also fixed limit, where all
raises of the tree become the one that is legal. It refuses decks and numbers of seats other than
the blueprint's.
"""

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.translation import RULES, Translation
from tiltless.abstraction.cards.tables import Tables, open_tables
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    Policies,
    check_or_call,
    check_or_fold,
    file_fingerprint,
)
from tiltless.agents.postprocess import PostProcess
from tiltless.agents.push_fold import depth, play_push_fold
from tiltless.agents.river_of_blood_equity import EquityPlay, run_strengths
from tiltless.blueprint.fallback import play_by_strength, strengths
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.locate import Locator
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.readings import Located, hand_weights
from tiltless.blueprint.shipped import blueprint_for, find_blueprint, shipped_blueprints
from tiltless.blueprint.stored import BlueprintTable
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.table_fit import FEWEST_SEATS, effective_depth
from tiltless.blueprint.tree_spot import TreeSpot
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.errors import FileError, OptionError
from tiltless.games.holdem.actions import FOLD, Action
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.kernels.blueprint.quantise import WHOLE
from tiltless.validate import brief

__all__ = [
    "CUTS",
    "BlueprintAgent",
    "KnownHands",
    "TableBlueprint",
    "draw_action",
    "load_blueprint",
]

_BOARDS = 256  # cached boards
_PUSH_FOLD = 7.0  # pots of blinds and antes
_RIVER_CARDS = 5
_MORE_OPPONENTS = 0.6  # of E[HS], for each opponent after the first
_DEAR = 0.2  # of the pot after calling
CUTS = ("", "run", "red-river")
"""Where play by equity begins in River of Blood: nowhere, on the run, or on red rivers, too."""
_EVERY = np.arange(COMBO_COUNT)

_Chances = npt.NDArray[np.float64]


def load_blueprint(path: str | os.PathLike[str]) -> "KnownHands":
    """A blueprint from a file, shared by all agents until the file changes."""
    return _load(os.fspath(path), os.stat(path).st_mtime_ns if os.path.exists(path) else 0)


@lru_cache(maxsize=4)
def _load(path: str, _written: int) -> "KnownHands":
    return KnownHands(load_strategy(path))


class KnownHands:
    """A blueprint with a cache of buckets and hand strengths by board."""

    def __init__(self, blueprint: BlueprintTable) -> None:
        self.strategy = blueprint
        self.tables: Tables | None
        try:
            self.tables = open_tables(blueprint.abstraction, verify=False, partial=True)
        except FileError:
            self.tables = None
        self._buckets: OrderedDict[tuple[int, ...], npt.NDArray[np.integer]] = OrderedDict()
        self._strengths: OrderedDict[tuple[int, ...], _Chances] = OrderedDict()

    @property
    def blueprint(self) -> Blueprint:
        """The strategy, of two players; `OptionError` if it is of several."""
        if not isinstance(self.strategy, Blueprint):
            raise OptionError("this needs a blueprint of two players; choose another file")
        return self.strategy

    def buckets(self, board: tuple[int, ...]) -> npt.NDArray[np.integer]:
        """The bucket of every hand, ``[1326]``."""
        buckets = self._buckets.get(board)
        if buckets is None:
            buckets = self._buckets[board] = self.strategy.buckets(board, self.tables)
            if len(self._buckets) > _BOARDS:
                self._buckets.popitem(last=False)
        return buckets

    def strengths(self, board: tuple[int, ...]) -> _Chances:
        """E[HS] of every hand, float64 ``[1326]``."""
        values = self._strengths.get(board)
        if values is None:
            rules = self.strategy.game.rules
            runs = rules.run_suits and len(board) >= _RIVER_CARDS
            values = run_strengths(board) if runs else strengths(board, rules.hand_order)
            self._strengths[board] = values
            if len(self._strengths) > _BOARDS:
                self._strengths.popitem(last=False)
        return values


@dataclass(eq=False)
class TableBlueprint:
    """The blueprint that plays at a table, and where hands of the table are in its tree."""

    known: KnownHands
    locator: Locator


class _Rows(NamedTuple):
    """Policies of some hands at a decision, float64 ``[hands, actions]``, and their source."""

    actions: tuple[Action, ...]
    chances: _Chances
    source: str


class BlueprintAgent(Agent):
    """Plays a blueprint.

    file: the name of a blueprint that ships with the package, or a path; empty for the shipped one
    that fits the table best.
    sample, argmax, purify: at most one of them, see `tiltless.agents.postprocess`; sample is the
    default.  threshold, fold_threshold: see there too.
    translation: the rule for bets that are not in the tree, one of `RULES`; see
    `tiltless.abstraction.bets.translation`. The default answers by a mixture; the other two read
    each bet as one size, and can be exploited.
    cut: in River of Blood, play by equity over the remaining cards from here on, one of `CUTS`; see
    `tiltless.agents.river_of_blood_equity`.
    """

    def __init__(
        self,
        file: str = "",
        sample: bool = False,
        argmax: bool = False,
        purify: bool = False,
        threshold: float = 0.0,
        fold_threshold: float = 0.5,
        translation: str = "pseudo-harmonic",
        cut: str = "",
    ) -> None:
        switches = {"sample": sample, "argmax": argmax, "purify": purify}
        chosen = [name for name, on in switches.items() if on] or ["sample"]
        if len(chosen) > 1:
            raise OptionError(f"{' and '.join(chosen)} are mutually exclusive; choose one")
        if translation not in RULES:
            raise OptionError(
                f"translation={brief(translation)} is not known; use one of {', '.join(RULES)}"
            )
        if cut not in CUTS:
            raise OptionError(
                f"cut={brief(cut)} is not known; use one of {', '.join(CUTS[1:])}, or none"
            )
        self.cut, self._equity = cut, EquityPlay(self.policies)
        self.post = PostProcess(chosen[0], threshold, fold_threshold)
        self._translation = Translation(translation)
        self._path = find_blueprint(file) if file else None
        self._loaded: dict[Path, TableBlueprint] = {}
        self._seen: tuple[Rules, TableBlueprint] | None = None
        if self._path is not None:
            self._load(self._path)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it may play from: one, or all that ship."""
        if self._path is not None:
            return (self._path,)
        return tuple(map(find_blueprint, shipped_blueprints()))

    def fingerprint(self) -> str:
        """Fingerprint of the agent's code and of all `files`."""
        return " ".join([super().fingerprint(), *map(file_fingerprint, self.files)])

    def _load(self, path: Path) -> TableBlueprint:
        loaded = self._loaded.get(path)
        if loaded is None:
            known = load_blueprint(path)
            strategy = known.strategy
            if isinstance(strategy, MultiwayBlueprint):
                locator = Locator(strategy.spots, self._translation, self._own_reach)
            else:
                locator = Locator(known.blueprint.tree, self._translation, self._own_reach)
            loaded = self._loaded[path] = TableBlueprint(known, locator)
        return loaded

    def at(self, rules: Rules) -> TableBlueprint:
        """The blueprint for a table; whether it can play there is for `check_table`.

        Where all but two players of a table with carried stacks are out, a blueprint of several
        seats leaves the rest to the shipped one of two.
        """
        seen = self._seen
        if seen is None or seen[0] is not rules:
            chosen = self._own(rules)
            several = isinstance(chosen.known.strategy, MultiwayBlueprint)
            if several and rules.seats < FEWEST_SEATS:
                chosen = self._load(find_blueprint(blueprint_for(rules)))
            seen = self._seen = rules, chosen
        return seen[1]

    def _own(self, rules: Rules) -> TableBlueprint:
        """The blueprint that was given, or else the shipped one for a table."""
        return self._load(self._path or find_blueprint(blueprint_for(rules)))

    def hand_start(self, view: View) -> None:
        """Load the blueprint, which takes time that a decision may not have."""
        self.at(view.rules)

    def check_table(self, game: str, rules: Rules) -> str:
        """Refuse other decks or numbers of seats; warn about other stacks."""
        chosen = self._own(rules)
        chosen.locator.check_table(game, rules)
        trained = effective_depth(chosen.known.strategy.game.rules)
        here = effective_depth(rules)
        if trained == here:
            return ""
        return (
            f"made for stacks of {trained:g} big blinds; with {here:g} it plays the same "
            "strategy, but less well"
        )

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Sample an action from the policy of the player's own hand."""
        first, second = view.cards
        actions, chances, source = self._rows(view, COMBO_OF[[first], [second]].astype(np.int64))
        weights = chances.astype(np.float32)[0].tolist()
        policy = tuple(pair for pair in zip(actions, weights, strict=True) if pair[1] > 0)
        return Decision(draw_action(policy, rng), policy, source=source)

    def policies(self, view: View) -> Policies:
        """The policy of every hand; zeros for hands that the board rules out."""
        actions, chances, _ = self._rows(view, _EVERY)
        probs = chances.astype(np.float32)
        if view.board:
            probs[HOLDING[list(view.board)].any(axis=0)] = 0
        return Policies(actions, probs)

    def _rows(self, view: View, combos: npt.NDArray[np.int64]) -> _Rows:
        """The mixture of the answers of all readings."""
        locator = self.at(view.rules).locator
        locator.check(view)
        if self._is_cut(view):
            return _Rows(*self._equity.rows(view, combos), "equity")
        located = locator.locate(view)
        if len(located) == 1:
            return self._answer(view, located[0], combos)
        answers = [self._answer(view, each, combos) for each in located]
        weights = hand_weights(located, combos)
        actions = tuple(dict.fromkeys(action for answer in answers for action in answer.actions))
        out = np.zeros((len(combos), len(actions)))
        for answer, weight in zip(answers, weights, strict=True):
            for column, action in enumerate(answer.actions):
                out[:, actions.index(action)] += weight * answer.chances[:, column]
        heaviest = max(range(len(located)), key=lambda each: float(weights[each].sum()))
        return _Rows(actions, out, answers[heaviest].source)

    def _is_cut(self, view: View) -> bool:
        """Whether equity decides: on the run, or on a red river."""
        dealt = len(view.board)
        if not self.cut or not view.rules.run_suits or dealt < _RIVER_CARDS:
            return False
        goes_on = self.cut == "red-river" and view.rules.deal_size(view.street, view.board) > 0
        return dealt > _RIVER_CARDS or goes_on

    def _own_reach(
        self, view: View, located: Located, action: Action, same: Sequence[int]
    ) -> list[_Chances]:
        """See `tiltless.blueprint.readings.OwnReach`."""
        if self._is_cut(view):
            return [np.ones(COMBO_COUNT)] * max(1, len(same))
        actions, chances, _ = self._answer(view, located, _EVERY)
        if action not in actions:
            return [np.zeros(COMBO_COUNT)] * max(1, len(same))
        taken = chances[:, actions.index(action)]
        if len(same) < 2:
            return [taken]
        assert located.tree_spot is not None
        parts = self._row(view, located.tree_spot, _EVERY)[0][:, list(same)]
        total = parts.sum(axis=1)
        parts[total <= 0] = 1
        parts /= np.where(total > 0, total, len(same))[:, None]
        return [taken * part for part in parts.T]

    def _answer(self, view: View, located: Located, combos: npt.NDArray[np.int64]) -> _Rows:
        """The policies of hands in one reading."""
        if located.priced or (not view.street and depth(view) <= _PUSH_FOLD):
            push_fold = play_push_fold(view)
            if push_fold is not None:
                return _Rows(push_fold[0], push_fold[1][combos], "price")
        if located.called and not located.inside and not _is_dear(view):
            stay = (check_or_call(view.actions),)
            return _Rows(stay, np.ones((len(combos), 1)), "blueprint, past the tree")
        if located.tree_spot is None or located.priced or (located.called and not located.inside):
            return self._by_strength(view, combos)
        if located.inside:
            return self._inside(view, located.tree_spot, located.actions, combos)
        return self._past(view, located.tree_spot, combos)

    def _inside(
        self,
        view: View,
        spot: TreeSpot,
        at_table: tuple[Action, ...],
        combos: npt.NDArray[np.int64],
    ) -> _Rows:
        """Policies from the tree; by strength where training never visited."""
        chances, visited = self._row(view, spot, combos)
        actions = tuple(dict.fromkeys(at_table))
        out = chances
        if len(actions) < len(at_table):
            out = np.zeros((len(combos), len(actions)))
            for column, action in enumerate(at_table):
                out[:, actions.index(action)] += chances[:, column]
        if visited.all():
            return _Rows(actions, out, "blueprint")
        others, rows, _ = self._by_strength(view, combos[~visited])
        more = tuple(action for action in others if action not in actions)
        every = actions + more
        out = np.concatenate([out, np.zeros((len(out), len(more)))], axis=1)
        out[~visited] = 0
        for column, action in enumerate(others):
            out[~visited, every.index(action)] += rows[:, column]
        return _Rows(every, out, "blueprint" if visited.any() else "strength")

    def _row(
        self, view: View, spot: TreeSpot, combos: npt.NDArray[np.int64]
    ) -> tuple[_Chances, npt.NDArray[np.bool_]]:
        """Post-processed policies of hands at a node, and which of them training has visited."""
        known = self.at(view.rules).known
        buckets = known.buckets(view.board)[combos]
        table = known.strategy.table(spot.node)
        if len(combos) <= len(table):
            table = table[buckets]
            return self.post(table / WHOLE, spot.actions), table.any(axis=1)
        chances = self.post(table / WHOLE, spot.actions)  # fewer rows than hands
        return chances[buckets], np.asarray(table.any(axis=1))[buckets]

    def _past(self, view: View, spot: TreeSpot, combos: npt.NDArray[np.int64]) -> _Rows:
        """Fold as often as at the last decision, else stay in; by strength where never visited."""
        actions = (check_or_call(view.actions), check_or_fold(view.actions))
        chances, visited = self._row(view, spot, combos)
        fold = [column for column, action in enumerate(spot.actions) if action == FOLD]
        folds = chances[:, fold].sum(axis=1)
        if not visited.all():
            options, rows, _ = self._by_strength(view, combos[~visited])
            away = [column for column, action in enumerate(options) if action == FOLD]
            folds[~visited] = rows[:, away].sum(axis=1)
        if actions[0] == actions[1]:
            return _Rows(actions[:1], np.ones((len(combos), 1)), "blueprint, past the tree")
        both = np.stack([1 - folds, folds], axis=1)
        return _Rows(actions, both, "blueprint, past the tree")

    def _by_strength(self, view: View, combos: npt.NDArray[np.int64]) -> _Rows:
        known = self.at(view.rules).known
        strength = known.strengths(view.board)[combos] ** _against(len(view.opponents))
        options, chosen = play_by_strength(view, strength)
        actions = tuple(dict.fromkeys(options))
        columns = np.array([actions.index(option) for option in options])
        return _Rows(actions, np.eye(len(actions))[columns[chosen]], "strength")


def _against(opponents: int) -> float:
    """The power of E[HS] that stands for the equity against several hands; 1 against one."""
    return 1 + _MORE_OPPONENTS * max(opponents - 1, 0)


def _is_dear(view: View) -> bool:
    """Whether a raise that was read as a call costs too much to be called with every hand.

    With two players trees have sizes near every raise; menus of several have gaps.
    """
    cost = view.to_call
    return len(view.starting_stacks) > 2 and cost > _DEAR * (view.pot + cost)


def draw_action(policy: tuple[tuple[Action, float], ...], rng: Random) -> Action:
    """Sample an action; policy: (action, weight)."""
    left = rng.random() * sum(weight for _, weight in policy)
    for action, weight in policy:
        left -= weight
        if left < 0:
            return action
    return policy[-1][0]
