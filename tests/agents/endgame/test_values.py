"""The dynamic program against recursion in fractions, and against a study's figures."""

from fractions import Fraction

import numpy as np
import pytest

from naive.agents.match_recursion import exact_values
from tiltless.abstraction.cards.tables import open_tables
from tiltless.agents.endgame.measure import measured_results
from tiltless.agents.endgame.results import BINS, OPEN, RAISED, STACK, hand_results, split
from tiltless.agents.endgame.rules import fold_cost
from tiltless.agents.endgame.values import MOST_HANDS, match_values, solve_match, unit_results
from tiltless.blueprint.shipped import DEFAULT, find_blueprint
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.errors import FileError

BUTTON = {-4: Fraction(1, 8), -1: Fraction(1, 2), 2: Fraction(1, 4), 4: Fraction(1, 8)}
OTHER = {-won: chance for won, chance in BUTTON.items()}


def as_array(*distributions, reach):
    out = np.zeros((2, 2 * reach + 1))
    for row, results in zip(out, distributions, strict=True):
        for won, chance in results.items():
            row[won + reach] = chance
    return out


@pytest.mark.parametrize("locks", [(True, True), (True, False), (False, True), (False, False)])
def test_the_recursion_is_exact(locks):
    table = solve_match(6, [as_array(BUTTON, OTHER, reach=4)], (1, 2), locks=locks)
    value = exact_values((BUTTON, OTHER), (1, 2), locks)
    middle = table.shape[2] // 2
    for left in range(7):
        for button in (True, False):
            for bankroll in range(-12, 13):
                found = table[left, int(not button), middle + bankroll]
                assert found == pytest.approx(float(value(bankroll, left, button)), abs=1e-6)


def test_of_two_styles_the_better_is_played():
    bold = {-4: Fraction(1, 2), 4: Fraction(1, 2)}
    styles = [as_array(BUTTON, OTHER, reach=4), as_array(bold, bold, reach=4)]
    alone = [solve_match(4, [style], (1, 2)) for style in styles]
    both = solve_match(4, styles, (1, 2))
    assert (both >= np.maximum(*alone)).all()
    assert both.sum() > np.maximum(*alone).sum()


def start(table):
    """The chance to win from the start, over both seats."""
    return float(table[-1, :, table.shape[2] // 2].mean())


def edge(results, share):
    """One chip more in this share of the hands."""
    out = np.pad(results * (1 - share), ((0, 0), (1, 1)))
    out[:, 2:] += results * share
    return out


def test_what_locks_and_skill_are_worth():
    """Of the study with an earlier blueprint: .581, .591, .546, .523; ours is a little wilder."""
    normal = hand_results().whole
    found = {
        "only we lock": start(solve_match(1000, [normal], (1, 2), locks=(True, False))),
        **{
            mbb: start(solve_match(1000, [edge(normal, mbb / 500)], (1, 2)))
            for mbb in (100, 50, 25)
        },
    }
    study = {"only we lock": 0.581, 100: 0.591, 50: 0.546, 25: 0.523}
    assert found == pytest.approx(study, abs=0.005)


def test_break_even_equities():
    """Calling 200 all-in as big blind, by bankroll as a share of the lock line; of the study."""
    values = match_values(1000, (1, 2), 2, 200)
    study = {
        800: (0.29, 0.40, 0.45, 0.495, 0.54, 0.59, 0.70),
        400: (0.21, 0.39, 0.44, 0.495, 0.55, 0.60, 0.78),
        200: (0.15, 0.34, 0.45, 0.495, 0.54, 0.65, 0.84),
        100: (0.10, 0.25, 0.36, 0.495, 0.64, 0.74, 0.88),
        50: (0.08, 0.22, 0.36, 0.49, 0.62, 0.76, 0.89),
    }
    for left, row in study.items():
        line = fold_cost(left, False, (1, 2))
        for share, expected in zip((-0.9, -0.6, -0.3, 0, 0.3, 0.6, 0.9), row, strict=True):
            bankroll = int(share * line)
            won, lost, folded = values.at(bankroll + np.array([200, -200, -2]), left - 1, True)
            assert (folded - lost) / (won - lost) == pytest.approx(expected, abs=0.02)


def test_both_sides_add_up():
    values = match_values(60, (1, 2), 2, 200)
    bankroll = np.arange(-120, 121)
    for left in (1, 2, 17, 60):
        mine, theirs = values.at(bankroll, left, True), values.at(-bankroll, left, False)
        np.testing.assert_allclose(mine + theirs, 1, atol=1e-5)


def test_a_scaled_game_has_the_same_values():
    small, large = match_values(40, (1, 2), 2, 200), match_values(40, (50, 100), 100, 10_000)
    bankroll = np.arange(-60, 61)
    np.testing.assert_allclose(
        small.at(bankroll, 33, True), large.at(50 * bankroll, 33, True), atol=1e-6
    )
    odd = match_values(40, (51, 101), 100, 10_000)  # an ante of 1: no common unit
    np.testing.assert_allclose(
        odd.at(50 * bankroll, 33, True), large.at(50 * bankroll, 33, True), atol=0.03
    )


def test_long_matches_are_scaled():
    values = match_values(2 * MOST_HANDS, (1, 2), 2, 200)
    assert len(values.table) == MOST_HANDS + 1
    line = fold_cost(2 * MOST_HANDS, True, (1, 2))
    found = values.at([-line - 3, -line / 2, 0, line / 2, line + 3], 2 * MOST_HANDS, True)
    assert found[[0, -1]].tolist() == [0, 1]
    assert found[2] == pytest.approx(0.5, abs=0.01)
    assert found[1] + found[3] == pytest.approx(1, abs=0.01)


def test_shorter_stacks_cut_results_off():
    results = unit_results(hand_results().whole, 1, 2, 40)
    assert results.shape == (2, 81)
    np.testing.assert_allclose(results.sum(axis=1), 1)
    chips = np.clip(np.arange(-STACK, STACK + 1), -40, 40)
    np.testing.assert_allclose(results @ np.arange(-40, 41), hand_results().whole @ chips)


def test_stored_results_are_plausible():
    results = hand_results()
    chips = np.arange(-STACK, STACK + 1)
    mean = results.whole @ chips
    assert mean[0] == pytest.approx(0.3, abs=0.1)  # the button wins
    assert mean[0] == pytest.approx(-mean[1], abs=1e-4)
    combos = np.bincount(CLASS_OF_COMBO) / len(CLASS_OF_COMBO)
    by_class = results.first[OPEN] @ BINS
    assert by_class @ combos == pytest.approx(mean[0], abs=0.02)
    assert by_class.argmax() == 0  # aces
    assert (results.equity[RAISED].argmax(), results.equity[OPEN].argmax()) == (0, 0)
    np.testing.assert_allclose(split() @ BINS, chips)


@pytest.mark.slow
def test_the_file_is_what_a_new_measurement_gives():
    blueprint = Blueprint.load(find_blueprint(DEFAULT))
    try:
        open_tables(blueprint.abstraction, verify=False)
    except FileError:
        pytest.skip("bucket tables are not built")
    fresh, stored = measured_results(blueprint, 300_000, seed=3), hand_results()
    chips = np.arange(-STACK, STACK + 1)
    for one, two in zip(fresh.whole, stored.whole, strict=True):
        error = np.sqrt(two @ chips**2 / 300_000)
        assert one @ chips == pytest.approx(two @ chips, abs=4 * error)
        assert one @ chips**2 == pytest.approx(two @ chips**2, rel=0.05)
    np.testing.assert_allclose(fresh.called, stored.called, atol=1e-4)
    np.testing.assert_allclose(fresh.equity, stored.equity, atol=1e-4)
    np.testing.assert_allclose(fresh.versus, stored.versus, atol=1e-3)
    means = fresh.first @ BINS - stored.first @ BINS
    assert np.abs(means).mean(axis=1).max() < 2
