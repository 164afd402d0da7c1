import numpy as np
import pytest

from tiltless.agents.agent import Clock, Decision, Policies
from tiltless.agents.registry import make_agent
from tiltless.agents.simple import Caller
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.arena.estimators.aivat import aivat_hand
from tiltless.arena.estimators.coarse_to_fine import HALVES, MORE, coarse_to_fine
from tiltless.arena.estimators.lbr import (
    SETTINGS,
    LbrSetting,
    LocalBestResponse,
    bet_sizes,
    beyond_call,
)
from tiltless.arena.estimators.lbr_match import LbrDeal, LbrWinnings, play_lbr
from tiltless.arena.estimators.local_spot import LocalSpot
from tiltless.cards.card import (
    CLASS_OF_COMBO,
    CLASS_SIZES,
    COMBO_CARDS,
    COMBO_OF,
    cards_text,
    parse_cards,
)
from tiltless.cards.equity import equity
from tiltless.cards.preflop import equity_vs_random
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError, TiltlessError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

DEEP = {"stack": 20_000, "blinds": (50, 100)}


def found(bot, setting, deals, seed=1):
    """In mbb/h, by AIVAT: the mean, and four standard errors; raw agrees with it."""
    won = play_lbr(
        load("nlhe", **DEEP), make_agent(bot), LbrSetting.parse(setting), deals, seed=seed
    )
    assert abs(won.aivat.mean - won.raw.mean) <= 4 * won.raw.standard_error + 1e-9
    return 10 * won.aivat.mean, 40 * won.aivat.standard_error


@pytest.mark.parametrize("setting", ["2", "3", "4", "FCA|C"])
def test_always_fold_loses_750(setting):
    """Half a blind in one seat, a whole one in the other."""
    won = play_lbr(load("nlhe", **DEEP), make_agent("fold"), LbrSetting.parse(setting), 20, seed=1)
    assert (won.raw.mean, won.raw.standard_error) == (75, 0)


def test_always_fold_shows_down_where_nobody_bets():
    mean, error = found("fold", "1", 200)
    assert abs(mean - 250) < error < 500


def test_checking_down_mirrored_is_nothing():
    won = play_lbr(load("nlhe", **DEEP), make_agent("fish"), LbrSetting.parse("1"), 20, seed=1)
    assert (won.raw.mean, won.raw.standard_error) == (0, 0)


@pytest.mark.parametrize("size", [0.1, pytest.param(4, marks=pytest.mark.slow)])
def test_against_a_caller_in_the_order_of_the_notes(size):
    """More streets to bet on are worse: it bets before it knows. By another program, exactly."""
    noted = {
        "C|C|FCPA|FCPA": (48_444, 900),
        "C|FCPA|FCPA|FCPA": (45_370, 600),
        "FCPA|FCPA|FCPA|FCPA": (33_651, 900),
        "C|FCPA|FC|FC": (33_207, 250),
    }
    means = {}
    for setting, (value, deals) in noted.items():
        means[setting], error = found("fish", setting, int(size * deals), seed=9)
        assert abs(means[setting] - value) < error
    if size > 1:
        late, flop, early, once = means.values()
        assert late > flop > max(early, once)


@pytest.mark.slow
def test_the_order_against_a_caller_on_common_deals():
    """The same cards for all: differences by deal, and zero below their intervals."""
    game, bot, deals = load("nlhe", **DEEP), make_agent("fish"), 2000

    def won(setting):
        parsed = LbrSetting.parse(setting)
        return np.array(
            [play_lbr(game, bot, parsed, 1, seed=21, first=deal).raw.total for deal in range(deals)]
        )

    late, flop, early, once = map(
        won, ("C|C|FCPA|FCPA", "C|FCPA|FCPA|FCPA", "FCPA|FCPA|FCPA|FCPA", "C|FCPA|FC|FC")
    )
    for more, less in ((late, flop), (flop, early), (flop, once), (late, early)):
        difference = more - less
        error = difference.std(ddof=1) / np.sqrt(deals)
        assert difference.mean() > 1.96 * error


def exact(bot, setting):
    """What a response with each of the 169 hands wins by AIVAT, in each seat; in blinds.

    Against a bot whose actions do not depend on its cards this is one number for a hand if the
    response bets before the flop only: the bot's cards and the board are averaged out.
    """
    game, agent = load("nlhe", **DEEP), make_agent(bot)
    response = LocalBestResponse(agent, LbrSetting.parse(setting))
    out = np.zeros((2, 169))
    for number in range(169):
        own = COMBO_CARDS[int(np.flatnonzero(number == CLASS_OF_COMBO)[0])].tolist()
        rest = [card for card in range(52) if card not in own]
        for seat in (0, 1):
            cards = [*own, *rest[:2]] if seat == 0 else [*rest[:2], *own]
            seats = [Seated(agent), Seated(agent)]
            seats[seat] = Seated(response)
            final = play_hand(game, seats, [*cards, *rest[2:]]).final
            out[seat, number] = aivat_hand(final, seat, {1 - seat: agent}, 1 - seat) / 100
    return out


@pytest.mark.parametrize(("bot", "setting"), [("all-in", "1"), ("fish", "FCA|C")])
def test_every_starting_hand_against_one_who_does_not_look_at_its_cards(bot, setting):
    """By hand. It calls all-ins with more than 199 / 400, and goes all-in with more than half.

    AIVAT has the luck of the cards taken out that decide over the half blind in front of both.
    """
    win, share = equity_vs_random(), CLASS_SIZES / 1326
    edge = 2 * win - 1
    if bot == "all-in":
        won = np.where(win > 199 / 400, 200 * edge, -1)
    else:
        won = np.where(win > 1 / 2, 200 * edge, edge)
    by_hand = exact(bot, setting)
    for seat in (0, 1):
        assert by_hand[seat] == pytest.approx(won - edge / 2, abs=1e-9)
    assert share @ edge == pytest.approx(0, abs=1e-9)
    assert by_hand @ share == pytest.approx(share @ won, abs=1e-9)
    assert share @ won == pytest.approx({"all-in": 15.546, "fish": 15.959}[bot], abs=0.02)


def test_settings():
    assert str(SETTINGS["2"]) == "C|C|FCPA|FCPA"
    assert LbrSetting.parse(" 3 ") == SETTINGS["3"]
    assert LbrSetting.parse("c|fcb").allowed(3) == "FCB"
    for wrong in ("5", "F|C", "", "C|X"):
        with pytest.raises(OptionError, match="FCPA"):
            LbrSetting.parse(wrong)


def test_fewer_sizes():
    view_sizes = []

    class Asked(Split):
        def policies(self, view):
            view_sizes.append(view.bets)
            return super().policies(view)

    for bets in (2, 6):
        view_sizes.clear()
        play_lbr(load("nlhe", **DEEP), Asked(), SETTINGS["4"]._replace(bets=bets), 4, seed=1)
        sizes = {max(each) for each in view_sizes}
        assert len(sizes) >= bets
        if bets == 2:
            few = len(view_sizes)
    assert few < len(view_sizes)


def test_56_sizes():
    sizes = bet_sizes(200, 20_000)
    assert len(sizes) == 56
    assert (sizes[0], sizes[-1]) == (200, 20_000)
    ratios = np.array(sizes[1:]) / sizes[:-1]
    assert ratios == pytest.approx(100 ** (1 / 55), abs=0.01)
    assert list(sizes) == sorted(set(sizes))
    assert bet_sizes(7, 7) == (7,)
    assert bet_sizes(2, 5) == (2, 3, 4, 5)


class Split(Caller):
    """Calls with an ace or a king, else folds to a bet; bets aces after the flop."""

    def policies(self, view):
        high = (COMBO_CARDS >> 2 >= 11).any(axis=1).astype(np.float32)
        aces = (COMBO_CARDS >> 2 == 12).all(axis=1).astype(np.float32)
        free = 1 - np.isin(COMBO_CARDS, view.board).any(axis=1).astype(np.float32)
        if view.actions.check and not view.board:
            columns = (CHECK,), (aces + 1 - aces,)
        elif view.actions.check:
            columns = (CHECK, RaiseTo(view.min_raise)), (1 - aces, aces)
        else:
            columns = (FOLD, CALL), (1 - high, high)
        return Policies(columns[0], np.stack(columns[1], axis=1) * free[:, None])

    def act(self, view, clock, rng):
        actions, chances = self.policies(view)
        row = chances[COMBO_OF[view.cards[0], view.cards[1]]]
        return Decision(actions[int(row.argmax())])


def spot(*moves, cards=("QsQh", "AsAd")):
    state = load("nlhe", stack=200).start()
    for hole in cards:
        state = state.apply(parse_cards(hole))
    for move in moves:
        state = state.apply(parse_cards(move) if isinstance(move, str) else move)
    return state


def test_the_formula_by_hand():
    response = LocalBestResponse(Split(), LbrSetting.parse("FCPA"))
    view = spot(CALL, CHECK, "2c3d4h", CHECK).view(0)
    values = dict(response.act(view, Clock(), None).values)
    left = ~np.isin(COMBO_CARDS, (*view.cards, *view.board)).any(axis=1)
    aces = (COMBO_CARDS >> 2 == 12).all(axis=1)
    high = (COMBO_CARDS >> 2 >= 11).any(axis=1)
    assert set(values) == {CHECK, RaiseTo(4), RaiseTo(198)}
    kept = left & ~aces  # it would have bet them

    def win(hands):
        return equity(view.cards, Range.from_weights(hands), board=view.board).shares[0]

    share = win(kept)
    assert values[CHECK] == pytest.approx(4 * share)
    folds = (kept & ~high).sum() / kept.sum()
    called = win(kept & high)
    for chips in (4, 198):
        expected = folds * 4 + (1 - folds) * (called * (4 + chips) - (1 - called) * chips)
        assert values[RaiseTo(chips)] == pytest.approx(expected)


class Bettor(Split):
    """Bets pocket pairs on the river; to a raise it folds those below jacks."""

    def policies(self, view):
        ranks = COMBO_CARDS >> 2
        pair = (ranks[:, 0] == ranks[:, 1]).astype(np.float32)
        high = pair * (ranks[:, 0] >= 9)
        free = 1 - np.isin(COMBO_CARDS, view.board).any(axis=1).astype(np.float32)
        if view.actions.check and len(view.board) < 5:
            columns = (CHECK,), (free,)
        elif view.actions.check:
            columns = (CHECK, RaiseTo(2)), (1 - pair, pair)
        else:
            columns = (FOLD, CALL), (1 - high, high)
        return Policies(columns[0], np.stack(columns[1], axis=1) * free[:, None])


def test_a_raise_over_a_bet_by_counting_chips():
    """6 in the pot, 2 to call: what the game pays with every hand of the bot, one by one.

    A formula that wins ``asked`` as well, which was put in by oneself, is 2 (1 - folds) wp' above.
    """
    moves = CALL, CHECK, "2c3d4h", CHECK, CHECK, "8s", CHECK, CHECK, "9c", RaiseTo(2)
    mine = "QsQh"
    response = LocalBestResponse(Bettor(), LbrSetting.parse("FCPA"))
    view = spot(*moves, cards=(mine, "AsAd")).view(0)
    assert (view.pot, view.to_call) == (6, 2)
    values = dict(response.act(view, Clock(), None).values)
    assert set(values) == {FOLD, CALL, RaiseTo(10), RaiseTo(198)}
    gone = {*parse_cards(mine), *view.board}
    hands = [
        tuple(cards)
        for cards in COMBO_CARDS.tolist()
        if cards[0] >> 2 == cards[1] >> 2 and not gone & set(cards)
    ]
    assert len(hands) == 7 * 6 + 5 * 3 + 1  # five ranks are on the board, one is ours
    for action in (FOLD, CALL, RaiseTo(10), RaiseTo(198)):
        won = []
        for cards in hands:
            state = spot(*moves, cards=(mine, cards_text(cards))).apply(action)
            if isinstance(action, RaiseTo):
                state = state.apply(CALL if cards[0] >> 2 >= 9 else FOLD)
            won.append(state.payoffs[0] + view.paid[0])  # beyond what was in already
        assert values[action] == pytest.approx(np.mean(won), abs=1e-12)


def test_the_range_follows_the_bot():
    response = LocalBestResponse(Split(), LbrSetting.parse("FC"))
    view = spot(CALL, CHECK, "2c3d4h", RaiseTo(2)).view(0)
    decision = response.act(view, Clock(), None)
    aces = np.flatnonzero((COMBO_CARDS >> 2 == 12).all(axis=1))
    assert set(np.flatnonzero(response._range)) == set(aces)
    assert decision.action == FOLD
    share = equity("QsQh", "AA", board="2c3d4h").shares[0]
    assert dict(decision.values)[CALL] == pytest.approx(6 * share - 2 * (1 - share))


def test_chips_that_cannot_be_called_are_not_won():
    """A stack of 20 faces 200: the pot to win is 22, the price 18."""
    game = load("nlhe", stack=200)
    state = game.start(0, (200, 20))
    for move in (parse_cards("AsAd"), parse_cards("7c2d"), RaiseTo(200)):
        state = state.apply(move)
    response = LocalBestResponse(make_agent("all-in"), SETTINGS["1"])
    values = dict(response.act(state.view(1), Clock(), None).values)
    share = equity_vs_random()[CLASS_OF_COMBO[COMBO_OF[parse_cards("7c2d")]]]
    assert values[CALL] == pytest.approx(share * 22 - (1 - share) * 18)


def test_it_plays_the_same_again_and_hides_nothing():
    game = load("nlhe", stack=200)
    one, two = (play_lbr(game, Split(), SETTINGS["3"], 10, seed=4) for _ in range(2))
    assert one == two
    late = play_lbr(game, Split(), SETTINGS["3"], 5, seed=4, first=5)
    early = play_lbr(game, Split(), SETTINGS["3"], 5, seed=4)
    both = early.merge(late)
    assert both.raw == one.raw
    assert both.reduced == pytest.approx(one.reduced)


class Falling(Split):
    """Crashes now and then; the dealer folds for it."""

    def act(self, view, clock, rng):
        if rng.random() < 0.3:
            raise ValueError("no idea")
        return super().act(view, clock, rng)


def test_a_bot_that_does_not_play_what_it_says_has_no_aivat():
    game = load("nlhe", stack=200)
    won = play_lbr(game, Falling(), SETTINGS["2"], 5, seed=4)
    assert won.rulings > 0
    assert won.aivat is None
    assert won.variance_ratio is None
    plain = play_lbr(game, Split(), SETTINGS["2"], 5, seed=4, aivat=False)
    assert (plain.aivat, plain.rulings) == (None, 0)
    assert plain.raw == play_lbr(game, Split(), SETTINGS["2"], 5, seed=4).raw


class Smooth(Split):
    """Folds the more to a bet, the larger it is and the lower its cards are."""

    def __init__(self):
        self.asked = []

    def policies(self, view):
        if view.actions.check:
            return super().policies(view)
        self.asked.append(view.moves)
        size = view.to_call / (view.pot - view.to_call)
        high = (COMBO_CARDS >> 2).sum(axis=1) / 24
        free = 1 - np.isin(COMBO_CARDS, view.board).any(axis=1).astype(np.float32)
        fold = (1 - high) * size / (1 + size)
        chances = np.stack([fold, 1 - fold], axis=1).astype(np.float32) * free[:, None]
        return Policies((FOLD, CALL), chances)

    def takes_long(self, view):
        return True


@pytest.mark.parametrize("mine", ["QsQh", "AhKh", "7c2d", "3s3d"])
def test_coarse_to_fine_finds_the_best_raise_with_few_questions(mine):
    view = spot(CALL, CHECK, "8c3h4h", CHECK, cards=(mine, "AsAd")).view(0)
    bot, setting = Smooth(), LbrSetting.parse("FCB")
    full, coarse = (
        LocalBestResponse(bot, setting._replace(ask=ask)).act(view, Clock(), None) for ask in (0, 4)
    )
    sizes = len(bet_sizes(view.min_raise, view.max_raise))
    assert len(full.values) == sizes + 1
    every, some = dict(full.values), dict(coarse.values)
    assert some.items() <= every.items()  # true values only
    assert len(some) <= 4 + MORE + 1 < len(every)
    assert len(bot.asked) == sizes + len(some) - 1
    assert some[coarse.action] == max(some.values())
    assert every[full.action] - every[coarse.action] <= 0.01 * view.pot
    bot.takes_long = lambda view: False
    assert LocalBestResponse(bot, setting).act(view, Clock(), None) == full


def test_who_cannot_be_measured():
    with pytest.raises(OptionError, match="policies"):
        play_lbr(load("nlhe"), make_agent("uniform"), SETTINGS["1"], 1)
    with pytest.raises(OptionError, match="two seats, not 3"):
        play_lbr(load("nlhe", seats=3), make_agent("fish"), SETTINGS["1"], 1)
    with pytest.raises(OptionError, match="short-deck"):
        play_lbr(load("short-deck", seats=2), make_agent("fish"), SETTINGS["1"], 1)

    class Broken(Caller):
        def policies(self, view):
            raise ValueError("no idea")

    with pytest.raises(TiltlessError, match="no idea"):
        play_lbr(load("nlhe"), Broken(), SETTINGS["2"], 3)


def test_simple_agents_tell_what_they_do():
    game = load("nlhe", stack=200)
    for name in ("fish", "fold", "all-in"):
        agent = make_agent(name)
        for deck in shuffled_decks(game, 3, 0, 20).tolist():
            final = play_hand(game, [Seated(agent), Seated(make_agent("uniform"))], deck).final
            state = game.start()
            for cards in final.hole:
                state = state.apply(cards)
            for move in final.moves[2:]:
                if state.actor == 0:
                    actions, chances = agent.policies(state.view(0))
                    assert actions == (move,)
                    blocked = np.isin(COMBO_CARDS, state.board).any(axis=1)
                    assert (chances[:, 0] == ~blocked).all()
                state = state.apply(move)


@pytest.mark.parametrize(("peak", "first"), [(0.3, 3), (1.0, 5), (4.0, 5)])
def test_coarse_to_fine_between_the_sizes_asked_about_first(peak, first):
    """A bluff whose best size is none of the first ones; a hand of two folds to nothing."""
    local = LocalSpot(np.array([0.8, 0.2]), np.array([0.1, 0.3]), 1.0, 0.0)
    sizes = np.geomspace(0.1, 50, 56).tolist()
    answers = [np.array([0.98 * (1 - np.exp(-3 * size / peak)), 0.0]) for size in sizes]
    asked = []

    def ask(index):
        asked.append(index)
        return answers[index]

    found = coarse_to_fine(local, sizes, ask, first, 0.1)
    every = [local.raises(size, folds) for size, folds in zip(sizes, answers, strict=True)]
    assert found == {index: every[index] for index in sorted(asked)}  # true values, once each
    assert len(found) <= first + MORE
    spread = set(np.rint(np.linspace(0, 55, first)).astype(int).tolist())
    assert int(np.argmax(every)) not in spread
    assert max(found.values()) >= max(every) - 0.015
    assert max(every[index] for index in spread) < max(every) - 0.05


def test_what_promises_less_than_is_certain_is_not_asked_about():
    local = LocalSpot(np.array([0.8, 0.2]), np.array([0.1, 0.3]), 1.0, 0.0)
    sizes = np.geomspace(0.1, 50, 56).tolist()
    asked = []

    def ask(index):
        asked.append(index)
        return np.array([0.98 * (1 - np.exp(-sizes[index])), 0.0])

    coarse_to_fine(local, sizes, ask, 4, 10.0)
    assert len(asked) == 4 + HALVES
    asked.clear()
    coarse_to_fine(local, sizes, ask, 4, 0.1)
    assert len(asked) > 4 + HALVES


def test_a_raise_costs_no_more_than_the_bot_can_call():
    state = load("nlhe", stack=(200, 50)).start()
    for cards in ((0, 1), (2, 3)):
        state = state.apply(cards)
    view = state.view(state.actor)
    assert (view.seat, view.max_raise) == (0, 200)
    assert beyond_call(view, [RaiseTo(4), RaiseTo(200)]) == [2, 48]


def test_one_ruling_makes_all_aivat_results_of_a_match_void():
    won = LbrWinnings().add(LbrDeal(1.0, 0.5))
    assert won.aivat == won.reduced
    ruled = won.add(LbrDeal(-1.0, None, 1))
    assert (ruled.aivat, ruled.variance_ratio, ruled.merge(won).aivat) == (None, None, None)
    assert won.merge(ruled).deals == 3
