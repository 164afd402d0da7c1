from tiltless.viz import colours as draw


def test_colours():
    assert draw.bet_colours(0) == ()
    assert draw.bet_colours(1) == ("#f59e0b",)
    assert draw.bet_colours(2) == ("#f59e0b", "#8b5cf6")
    assert draw.bet_colours(7) == draw.BETS
    assert len(set(draw.bet_colours(12))) == 12
    assert draw.heat_colour(0, 0, 1) == draw.HEAT[0]
    assert draw.heat_colour(5, 0, 1) == draw.HEAT[-1]
    assert draw.heat_colour(0.5, 0, 1) == draw.HEAT[3]
    assert draw.heat_colour(1, 1, 1) == draw.HEAT[3]


def test_results_are_red_white_and_green():
    assert draw.result_colour(0, 10) == draw.result_colour(5, 0) == "#ffffff"
    loss, win = draw.result_colour(-10, 10), draw.result_colour(10, 10)
    assert int(loss[1:3], 16) > int(loss[3:5], 16)
    assert int(win[1:3], 16) < int(win[3:5], 16)
    assert draw.result_colour(-99, 10) == loss
