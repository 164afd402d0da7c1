"""The agent that searches on turn and river."""

import time
from collections import Counter
from random import Random

import numpy as np
import pytest

from helpers.clock import Ticks
from helpers.playing import deal, play
from tiltless.agents import KnownStrategy, make_agent, search
from tiltless.agents.agent import Clock
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.search import SearchAgent
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.arena.estimators.lbr_match import play_lbr
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, cards_text, parse_cards
from tiltless.errors import OptionError
from tiltless.games.holdem import history
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.registry import load
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.node import find_node
from tiltless.search import cache, subgame
from tiltless.search.beliefs import both_ranges
from tiltless.search.cache import where
from tiltless.search.entry import CARRIED_TRUST, ENTRIES
from tiltless.search.left_out import response_solver
from tiltless.seeding import SeededRandom

HUNDRED = load("nlhe")
BOARD = "Ks7d2c9h4s"
HELD = parse_cards("AsAdQhQc")


def after(script, game=HUNDRED, board=BOARD, **given):
    state = play(deal(game, "AsAd QhQc", **given), script, board)
    return state.view(state.actor)


VIEWS = {
    "river": after("r6 c k r8 c k k"),
    "a bet on the river": after("r6 c k r8 c k k r11"),
    "a raise of an odd bet": after("r6 c k r8 c k k k r13 r47"),
    "limped": after("c k k k k k"),
    "more chips than we": after("r6 c k k k k r100", stacks=(60, 300)),
    "fewer chips than we": after("r6 c k k k k k", stacks=(400, 35)),
    "thousand blinds": after("r6 c k k k k", load("nlhe", stack="1000bb")),
    "no blueprint": after("r900 c k k k k", load("nlhe", stack="1000bb")),
    "turn": after("r6 c k r8 c"),
}
QUICK = {"iterations": 8, "turn": "75%+a/a"}


def agent(**given):
    return SearchAgent(**{**QUICK, **given})


@pytest.fixture(scope="module")
def one():
    return agent()


@pytest.mark.parametrize("name", VIEWS)
def test_policies_are_what_act_draws_from(one, name):
    view = VIEWS[name]
    assert isinstance(one, KnownStrategy)
    actions, chances = one.policies(view)
    assert chances.shape == (1326, len(actions))
    assert chances.dtype == np.float32
    assert len(set(actions)) == len(actions)
    assert all(action in view.actions for action in actions)
    free = ~np.isin(COMBO_CARDS, view.board).any(axis=1)
    assert chances[free].sum(axis=1) == pytest.approx(1)
    assert not chances[~free].any()
    for combo in np.flatnonzero(free)[::300].tolist():
        own = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
        decision = one.act(own, Clock(), SeededRandom(combo))
        assert decision.source == "search"
        row = dict(zip(actions, chances[combo].tolist(), strict=True))
        assert dict(decision.policy) == {action: chance for action, chance in row.items() if chance}
        assert set(dict(decision.values)) == set(actions)


@pytest.mark.parametrize("name", ["a bet on the river", "turn"])
def test_hands_that_were_left_out_play_what_policies_say(name):
    searching, view = agent(), VIEWS[name]
    actions, chances = searching.policies(view)
    node = searching.memory.find(where(view)).node
    free = np.flatnonzero(~np.isin(COMBO_CARDS, view.board).any(axis=1))
    out = np.setdiff1d(free, node.combos(node.actor))
    assert len(out) > 20
    for combo in out[::150].tolist():
        asked = agent()  # which has this hand from the beginning
        own = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
        assert asked.explain(own) is not None  # solves our earlier decisions, too
        decision = asked.act(own, Clock(), SeededRandom(combo))
        row = dict(zip(actions, chances[combo].tolist(), strict=True))
        assert dict(decision.policy) == {action: chance for action, chance in row.items() if chance}
        assert decision.action in dict(decision.policy)
        assert len(decision.values) == len(actions)


def test_the_same_whatever_was_asked_before():
    view = VIEWS["a raise of an odd bet"]
    fresh, used = agent(), agent()
    used.act(VIEWS["turn"], Clock(), Random(1))
    for each in (
        VIEWS["river"],
        VIEWS["a bet on the river"],
        after("r6 c k r8 c k k k r17 r60"),
        after("r6 c k r8 c k k k r14 r47"),
    ):
        used.policies(each)
    assert fresh.policies(view).actions == used.policies(view).actions
    assert (fresh.policies(view).chances == used.policies(view).chances).all()


def test_a_decision_replays_its_hand_once(monkeypatch):
    replayed, step = [], history._step
    monkeypatch.setattr(history, "_memory", history.MoveMemory())
    monkeypatch.setattr(history, "_step", lambda *given: replayed.append(given) or step(*given))
    acting, view = agent(), after("r6 c k r8 c k r13 c k r11")
    assert acting.act(view, Clock(), Random(1)).source == "search"
    assert len(replayed) == len(view.moves)
    acting.policies(view)
    assert len(replayed) == len(view.moves)


HANDS = {  # seat 0 has the button, and is last to act on turn and river
    "checked": "r6 c k k k k k k",
    "bets of the menu": "r6 c k r8 c k r21 c k r35 c",
    "odd bets": "r6 c k r8 c r13 c r17 r51 c",
    "a raise of an odd raise": "r6 c k r8 c r9 r25 r60 c k r30 r75 c",
    "more than can be called": "r6 c k k k r13 r40 c k r164 c",
}


@pytest.mark.parametrize(
    ("hand", "seat"),
    [
        pytest.param("checked", 1, marks=pytest.mark.slow),
        ("bets of the menu", 0),
        ("odd bets", 1),
        ("a raise of an odd raise", 0),
        ("more than can be called", 1),
        *[
            pytest.param(hand, 1 - seat, marks=pytest.mark.slow)
            for seat, hand in zip((1, 0, 1, 0, 1), HANDS, strict=True)
        ],
    ],
)
def test_policies_of_a_river_are_what_act_plays_that_was_asked_all_along(hand, seat):
    stacks = (210, 160) if hand == "more than can be called" else None
    state, asked = deal(HUNDRED, "AsAd QhQc", stacks=stacks), []
    acting = agent()
    for word in HANDS[hand].split():
        state = play(state, "", BOARD[2 * len(state.board) :])
        if state.actor == seat:
            view = state.view(seat)
            asked.append((view, acting.act(view, Clock(), Random(1))))
        state = play(state, word)
    rivers = [each for each in asked if each[0].street == 3]
    assert rivers
    for view, decision in rivers:
        assert decision.source == "search"
        fresh = agent()
        actions, chances = fresh.policies(view)
        assert not fresh.counts.total()
        row = zip(actions, chances[COMBO_OF[view.cards]].tolist(), strict=True)
        assert dict(decision.policy) == {action: chance for action, chance in row if chance}
        assert acting.policies(view).actions == actions
        assert (acting.policies(view).chances == chances).all()


def test_act_does_not_go_back_to_the_turn():
    view = VIEWS["river"]
    late, asked = agent(), agent()
    late.act(view, Clock(), Random(1))
    there = late.memory.notes(where(view)).ranges
    assert (late.policies(view).chances != asked.policies(view).chances).any()
    believing = both_ranges(
        view, lambda past: late.blueprint.policies(past.view), own=view.seat, streets=3
    )
    assert (there == believing).all()


def test_a_street_is_solved_once():
    searching = agent()
    # OOP bets what the tree has, and is raised by what it has
    bet = searching.policies(VIEWS["river"]).actions[1]
    state = play(deal(HUNDRED, "AsAd QhQc"), "r6 c k r8 c k k", BOARD)
    searching.act(state.view(state.actor), Clock(), Random(1))
    state = state.apply(bet)
    solved = dict(searching.counts)
    other = agent()
    other.act(state.view(state.actor), Clock(), Random(1))
    assert other.counts["solved"] == 1
    state = state.apply(other.policies(state.view(state.actor)).actions[-1])
    searching.act(state.view(state.actor), Clock(), Random(1))
    assert searching.counts["reused"] == solved.get("reused", 0) + 1


def test_lines_that_make_the_same_tree_share_a_solution():
    start = "r6 c k r8 c "
    asked, views = agent(), {name: after(start + name) for name in ("r186", "k", "r20")}
    answers = {name: asked.policies(view) for name, view in views.items()}
    found = {name: asked.memory.find(where(view)).subgame for name, view in views.items()}
    assert found["r186"] is found["k"]
    assert found["r20"] is not found["k"]
    assert len(asked.memory.solved) == 3
    for name, view in views.items():  # as if nothing else had been asked
        fresh = agent().policies(view)
        assert fresh.actions == answers[name].actions
        assert (fresh.chances == answers[name].chances).all()
    first = after(start)  # who acts first has decided, and later trees have that locked
    other, raised = agent(), after(start + "k r186")
    assert other.policies(first).actions
    assert other.policies(after(start + "k r30")).actions
    trees = [other.memory.find(where(view)).subgame for view in (first, after(start + "k r30"))]
    assert trees[0] is not trees[1]
    assert other.memory.find(where(raised)).subgame is trees[0]


@pytest.mark.parametrize("script", ["", "r6 c", "r6 c k r8"])
def test_before_the_turn_the_blueprint_plays(one, script):
    view = after(script)
    mine, theirs = one.act(view, Clock(), Random(5)), BlueprintAgent().act(view, Clock(), Random(5))
    assert mine == theirs
    assert one.explain(view) is None
    assert (one.policies(view).chances == BlueprintAgent().policies(view).chances).all()


def test_late_means_blueprint():
    searching, view = SearchAgent(seconds=0.5), VIEWS["river"]
    searching.now = Ticks(0.3)
    mine = searching.act(view, Clock(), Random(5))
    assert mine.source == "blueprint, no time to search"
    assert mine[:2] == BlueprintAgent().act(view, Clock(), Random(5))[:2]
    assert searching.counts["late"] == 1
    assert (searching.policies(view).chances == BlueprintAgent().policies(view).chances).all()


def test_a_tree_that_is_too_large_is_left_at_once(monkeypatch):
    view = after("r6 c k r8 c", load("nlhe", stack="1000bb"))
    searching = SearchAgent(seconds=2, turn="25%+50%+75%+100%+150%+a/50%+100%+a")
    begin = time.perf_counter()
    assert searching.act(view, Clock(), Random(5)).source == "blueprint, no time to search"
    assert time.perf_counter() - begin < 2
    assert searching.counts == Counter(solved=0, reused=0, late=1, blueprint=0)
    monkeypatch.setattr(subgame, "grow_forests", None)  # it does not grow again
    assert searching.act(view, Clock(), Random(5)).source == "blueprint, no time to search"
    assert searching.explain(view) is None


def test_without_a_clock_it_cannot_be_searched():
    view = after("r6 c k r8 c", load("nlhe", stack="1000bb"))
    searching = SearchAgent(iterations=8, turn="25%+50%+75%+100%+150%+a/50%+100%+a")
    assert searching.act(view, Clock(), Random(5)).source == "blueprint, cannot be searched"
    assert searching.counts == Counter(solved=0, reused=0, late=0, blueprint=1)


def test_a_table_that_the_solver_refuses_is_not_late(monkeypatch):
    def refuse(*given, **options):
        raise OptionError("no")

    monkeypatch.setattr(search, "solve_subgame", refuse)
    searching = agent(seconds=1, iterations=0)
    decision = searching.act(VIEWS["river"], Clock(), Random(5))
    assert decision.source == "blueprint, cannot be searched"
    assert searching.counts == Counter(solved=0, reused=0, late=0, blueprint=1)


def test_who_was_late_may_search_later():
    searching, view = agent(), VIEWS["river"]
    assert searching.act(view, Clock(0.001), Random(5)).source == "blueprint, no time to search"
    assert searching.explain(view) is None
    decision = searching.act(view, Clock(), Random(5))
    assert decision.source == "search"
    assert searching.explain(view).policy == decision.policy
    assert searching.policies(view).actions == tuple(dict(decision.values))


def test_who_asks_about_every_hand_waits():
    searching = SearchAgent(seconds=0.5)
    searching.now = Ticks(0.3)
    theirs = BlueprintAgent().policies(VIEWS["limped"])
    mine = searching.policies(VIEWS["limped"])
    assert mine.actions != theirs.actions
    assert searching.explain(VIEWS["limped"]).iterations == 8


def test_time_is_kept():
    for step in (0.005, 0.04):
        searching = SearchAgent(seconds=1)
        searching.now = clock = Ticks(step)
        assert searching.act(VIEWS["river"], Clock(), Random(5)).source == "search"
        assert clock.time <= 1 + 6 * step
        searching.now = clock = Ticks(step)
        searching.act(VIEWS["limped"], Clock(0.5), Random(5))
        assert clock.time <= 0.45 + 6 * step


@pytest.mark.parametrize("told", ["by the option", "by the table"])
def test_a_match_clock_spreads_its_time(told):
    searching = SearchAgent(
        total=0.75, turn="75%+a/a", hands=20 if told == "by the option" else 900
    )
    if told == "by the table":
        assert searching.expect_match(20) == ""
    searching.now = clock = Ticks(0.002)
    spent = []
    for hand in range(20):
        searching.hand_start(VIEWS["river"])
        free = [card for card in range(52) if card not in HELD]
        board = cards_text(tuple(Random(hand).sample(free, 5)))
        view = after("c k k k k k", board=board)
        searching.act(VIEWS["turn"], Clock(), Random(5))  # too little time for a turn
        before = clock.time
        searching.act(view, Clock(), Random(5))
        spent.append(clock.time - before)
    assert sum(spent) <= 0.85
    assert sum(spent[10:]) > 0.18
    assert searching.counts["solved"] >= 16
    assert searching.counts["solved"] + searching.counts["late"] == 40


def test_a_belief_goes_on_with_what_was_solved():
    """The turn's solution, not the blueprint, says what comes to the river."""
    searching = agent()
    river = VIEWS["river"]
    searching.policies(river)
    here, before = where(river), where(VIEWS["turn"])
    turn = searching.memory.find(before)
    assert len(turn.subgame.solver.forests) == 2
    came, ranges = (searching.memory.notes(each).ranges for each in (before, here))
    checks = turn.subgame.strategy_at(turn.node)[:, 0]
    expected = came[river.seat] * checks
    expected[np.isin(COMBO_CARDS, river.board).any(axis=1)] = 0
    assert ranges[river.seat] == pytest.approx(expected / expected.max(), abs=1e-4)


def test_a_river_carries_the_values_of_a_solved_turn(monkeypatch):
    given = []

    def solve(*arguments, **options):
        given.append(options["carried"])
        return subgame.solve_subgame(*arguments, **options)

    monkeypatch.setattr(search, "solve_subgame", solve)
    river = after("r6 c k r8 c k r13 c k r11")  # an off-menu bet on the turn, too
    searching = agent()
    searching.policies(river)
    assert [carried is not None for carried in given] == [False, False, True, True]
    held = ~np.isnan(given[-1])
    assert held.sum() > 500
    assert not held[np.isin(COMBO_CARDS, river.board).any(axis=1)].any()
    late = agent()  # which played the turn by its blueprint
    late.act(river, Clock(), Random(1))
    agent(alternative="blueprint").policies(river)
    assert [carried is not None for carried in given[4:]] == [False] * 5


def test_argmax_is_how_we_play_not_the_opponent():
    river, ranges = VIEWS["river"], []
    for argmax in (False, True):
        searching = agent(argmax=argmax)
        searching.policies(river)
        ranges.append(searching.memory.notes(where(river)).ranges)
    other = 1 - river.seat
    assert (ranges[0][other] == ranges[1][other]).all()
    assert (ranges[0][river.seat] != ranges[1][river.seat]).any()


def test_who_asks_about_every_hand_takes_nothing_from_a_match():
    searching = agent(total=100)
    searching.hand_start(VIEWS["limped"])
    share = searching._match.share()
    searching.policies(VIEWS["limped"])
    assert searching._match.share() == share
    searching.act(VIEWS["river"], Clock(), Random(1))
    assert searching._match.share() < share


def test_it_explains_itself(one):
    view = VIEWS["a bet on the river"]
    told = one.explain(view)
    assert told.iterations == 4 * 8  # on a turn 8
    assert told.exploitability > 0
    solver = one.memory.find(where(view)).subgame.solver
    player = int(view.seat != view.button)
    best, even = solver.best_values(), solver.values()
    assert told.exploitability == pytest.approx(100 * (best[1 - player] - even[1 - player]) / 28)
    assert (told.entry, told.trust) == ("max-margin", CARRIED_TRUST["max-margin"])
    unknown = one.explain(after("r900 c k k", load("nlhe", stack="1000bb"), board=BOARD[:8]))
    assert (unknown.entry, unknown.trust) == ("fixed-range", 1)
    assert one.explain(VIEWS["no blueprint"]).entry == "max-margin"  # its turn was solved
    assert told.ranges.shape == (2, 1326)
    assert told.ranges.max() <= 1
    values = dict(told.values)
    assert values[FOLD] == pytest.approx(0, abs=1e-4)
    assert values[CALL] > -11.01
    assert "32 iterations" in str(told)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("bet", [pytest.param(186, marks=pytest.mark.slow), 45])
def test_bets_that_are_hardly_ever_made_gain_nothing(entry, bet):
    """No hand wins more than 3 % of the pot by such a bet over its other actions, on average."""
    searching, script = agent(iterations=100, entry=entry), "r6 c k r8 c k k"
    searching.policies(after(f"{script} k r{bet}"))
    found = searching.memory.find(where(after(f"{script} k r{bet}")))
    whole = response_solver(found.subgame.solver, 1 - found.node.actor)
    before = find_node(whole, found.node.moves[:1])
    combos = before.combos(before.actor)
    cfv = whole.cfv(0, 0, before.actor, BEST)[before.forest.children(before.index)]
    made = before.actions.index(found.node.moves[1])
    more = cfv[made] - np.delete(cfv, made, axis=0).max(axis=0)
    others = before.others(before.actor)[combos]
    assert np.maximum(more, 0).sum() < 0.03 * found.subgame.solver.spot.pot * others.sum()


def test_on_the_turn_there_is_a_raise_that_is_not_all_in():
    view = after("r6 c k r8 c r4")
    sizes = [a.chips for a in agent(turn="").policies(view).actions if isinstance(a, RaiseTo)]
    assert sizes[-1] == view.max_raise
    assert 0.5 * view.pot < sizes[0] < 1.5 * view.pot


def test_bets_into_who_bet_last_have_donk_sizes():
    searching = agent(river="33%+a/a | donk 20%")
    bet, checked = after("r6 c k r8 c k r20 c"), after("r6 c k r8 c k k")
    assert searching.policies(bet).actions == (CHECK, RaiseTo(round(0.2 * bet.pot)))
    usual = RaiseTo(round(0.33 * checked.pot)), RaiseTo(checked.max_raise)
    assert searching.policies(checked).actions == (CHECK, *usual)


def test_argmax_plays_one_action():
    chances = agent(argmax=True).policies(VIEWS["river"]).chances
    assert set(np.unique(chances).tolist()) == {0.0, 1.0}


def test_options():
    made = make_agent("search:seconds=0.5,entry=max-margin,river=33%+a/a,iterations=20")
    assert isinstance(made, SearchAgent)
    for text, says in (
        ("seconds=6", r"seconds=6\.0.* 5$"),
        ("entry=none", "entry='none'.*fixed-range"),
        ("safe=gadget", "safe.*entry=resolving-gadget"),
        ("trust=2", r"trust=2\.0.*-1 to 1$"),
        ("uniform-mix=2", r"uniform_mix=2\.0.*0 to 1$"),
        ("opponent=me", "opponent='me'.*subgame, blueprint"),
        ("hands=0", "hands=0"),
        ("river=50", "50"),
        ("turn=25%+50%+75%+100%+150%+a", r"turn=25%\+50%.*100,000 nodes"),
    ):
        with pytest.raises(OptionError, match=says):
            make_agent(f"search:{text}")


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("limit-holdem", {}),
        ("permutation", {"ranks": "23456789TJQKA"}),
        ("permutation", {"ranks": "A23456789TJQK"}),
        ("nlhe", {"raise_cap": 3}),
        ("nlhe", {"raises_per_player": 2}),
    ],
)
def test_other_games_are_left_to_the_blueprint(one, game, options):
    state = play(deal(load(game, **options), "AsAd QhQc"), "c k k k k k", BOARD)
    view = state.view(state.actor)
    assert one.act(view, Clock(), Random(1)).source != "search"
    assert one.explain(view) is None


def test_hidden_ranks_are_left_to_the_blueprint(one):
    state = load("permutation").start().apply("A23456789TJQK")
    for cards in ("AsAd", "QhQc"):
        state = state.apply(parse_cards(cards))
    state = play(state, "c k k k k k", BOARD)
    view = state.view(state.actor)._replace(game="whatever its name")
    assert one.explain(view) is None
    assert one.act(view, Clock(), Random(1)).source != "search"


class Told(SearchAgent):
    """Keeps what it was asked about, and what it then drew its actions from."""

    def __init__(self, **given):
        super().__init__(**given)
        self.told, self.drawn = {}, []

    def policies(self, view):
        self.told[view.moves] = super().policies(view)
        return self.told[view.moves]

    def act(self, view, clock, rng):
        decision = super().act(view, clock, rng)
        self.drawn.append((view, decision))
        return decision


@pytest.mark.slow
def test_a_local_best_response_is_told_what_is_played(monkeypatch):
    """Even if memory is short, and most of the solutions are dropped while it asks for others."""
    setting, found = SETTINGS["3"]._replace(bets=6, ask=3), []
    for size in (400 << 20, 40 << 20):
        monkeypatch.setattr(cache, "_BYTES", size)
        bot = Told(**QUICK)
        found.append(play_lbr(HUNDRED, bot, setting, 3, seed=2))
        compared = 0
        for view, decision in bot.drawn:
            if view.moves in bot.told and decision.source == "search":
                actions, chances = bot.told[view.moves]
                row = dict(zip(actions, chances[COMBO_OF[view.cards]].tolist(), strict=True))
                assert dict(decision.policy) == {a: chance for a, chance in row.items() if chance}
                compared += 1
        assert compared >= 3
    assert found[0] == found[1]
    assert found[0].aivat.count == 3


def test_beliefs_on_the_turn_are_the_blueprint_s():
    view, searching = after("r6 c k r4 c"), agent(uniform_mix=0.1)
    blueprint = searching.blueprint.at(view.rules).known.blueprint
    flop = view.board[:3]
    expected, bettor = np.ones(1326), np.ones(1326)
    for line, board, action, seat in (
        ("", (), "raise to 6", 0),
        ("r3bb", (), "call 4", 1),
        ("r3bb c /", flop, "check", 1),
        ("r3bb c / x", flop, "bet 4", 0),
        ("r3bb c / x b33%", flop, "call 4", 1),
    ):
        place = blueprint.decision_after(line)
        labels = [choice.label for choice in place.choices(blueprint.tree)]
        chances = blueprint.hands(place.node, board)
        seen = blueprint.table(place.node).any(axis=1)[blueprint.abstraction.buckets(board)]
        taken = np.where(seen, chances[:, labels.index(action)], np.nan)  # others play by strength
        if seat == view.seat:
            expected *= taken
        else:
            bettor *= 0.9 * taken + 0.1 / len(labels)
    searching.policies(view)
    ranges = searching.memory.notes(where(view)).ranges
    for seat, weights in ((view.seat, expected), (1 - view.seat, bettor)):
        weights[np.isin(COMBO_CARDS, view.board).any(axis=1)] = np.nan
        known = np.isfinite(weights)
        assert known.mean() > 0.5
        scale = ranges[seat][known].max() / weights[known].max()
        assert ranges[seat][known] == pytest.approx(scale * weights[known], abs=1e-5)
