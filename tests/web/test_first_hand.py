"""The first hand of a person who has just installed the package: nothing is compiled yet."""

import time

import pytest

from web.conftest import serving
from web.pages import check_widths
from web.test_play_stories import answer, by_mouse


@pytest.mark.slow
def test_a_first_hand_on_an_empty_cache(page, tmp_path):
    """Against the opponent that is offered first; ``-s`` shows the seconds since the command."""
    begin, told = time.monotonic(), {}
    with serving(tmp_path / "tables", cache=tmp_path / "cache") as (address, _):
        told["server"] = time.monotonic() - begin
        page.goto(address)
        page.get_by_role("button", name="Sit down").click()
        page.locator(".bar .plain, .bar .main").first.wait_for()
        told["cards"] = time.monotonic() - begin
        compiling = page.locator("#compiling").all_inner_texts()
        answer(page, by_mouse)
        told["hand"] = time.monotonic() - begin
        assert page.locator(".seat .payoff").count() == 2
        check_widths(page)
        page.close()  # before its server, of whose end it would complain
    assert any((tmp_path / "cache").iterdir())
    print({name: round(seconds, 1) for name, seconds in told.items()}, compiling)
