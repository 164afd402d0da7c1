"""The play page in a real browser."""

import re
import socket

import pytest

from web.conftest import serving

_WIDTH = """() => { const pen = document.createElement('canvas').getContext('2d');
                    pen.font = '20px sans-serif'; return pen.measureText('AKQJT').width; }"""
_DEAD = 350  # ms in which a new question takes no click


def sit_down(page, address, opponent="fish"):
    page.goto(address)
    page.get_by_label("Opponent").select_option(opponent)
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url(re.compile(r"/play/[0-9a-f]{16}$"))
    page.locator(".table").wait_for()


def answer(page, how):
    """Act until the hand is over; how: called at each decision."""
    over = page.get_by_role("button", name="Next hand")
    for _ in range(20):
        page.locator(".bar .plain, .bar .main").first.wait_for()
        if over.count():
            return
        page.wait_for_timeout(_DEAD)
        before = page.locator(".bar").get_attribute("data-asked")
        how(page)
        page.wait_for_function(
            "before => document.querySelector('.bar')?.dataset.asked !== before", arg=before
        )
    raise AssertionError("the hand does not end")


def by_mouse(page):
    page.locator(".plain .call").click()


def by_keys(page):
    page.keyboard.press("c")


@pytest.mark.parametrize("how", [by_mouse, by_keys])
def test_a_hand_to_its_showdown(page, address, how):
    sit_down(page, address)
    assert page.evaluate(_WIDTH) > 20, "no fonts: pages would be without text, and tests pass"
    answer(page, how)
    assert page.locator(".board .card:not(.slot)").count() == 5
    assert page.locator(".log .shown").count() == 2
    assert page.locator(".seat .payoff").count() == 2
    page.wait_for_timeout(_DEAD)
    page.keyboard.press("n")
    page.locator(".bar .plain").wait_for()
    assert page.locator(".board .card:not(.slot)").count() == 0


def test_a_bet_by_its_size_and_all_in_asks_again(page, address):
    sit_down(page, address)
    page.wait_for_timeout(_DEAD)
    page.locator(".size").nth(1).click()
    wanted = page.locator(".size small").nth(1).inner_text()
    assert f" {wanted} (" in page.locator("button.raise").inner_text()
    page.locator(".typed").fill("3bb")
    assert page.locator("button.raise").inner_text() == "Raise to 6 (3 bb)"
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.locator("button.raise").click()
    assert "press again" in page.locator("button.raise").inner_text()
    before = page.locator(".bar").get_attribute("data-asked")
    page.locator("button.raise").click()
    page.wait_for_function(
        "before => document.querySelector('.bar')?.dataset.asked !== before", arg=before
    )
    assert "all-in" in page.locator(".log").inner_text()


def test_reload_and_a_second_tab_show_the_same_hand(page, address):
    sit_down(page, address)
    page.wait_for_timeout(_DEAD)
    by_keys(page)
    page.wait_for_function("() => document.querySelector('.bar')?.dataset.asked === '2'")
    cards = page.locator(".seat.at0 .card").evaluate_all("all => all.map(x => x.ariaLabel)")
    page.reload()
    page.locator(".bar .plain, .bar .main").first.wait_for()
    assert page.locator(".seat.at0 .card").evaluate_all("all => all.map(x => x.ariaLabel)") == cards
    other = page.context.new_page()
    other.goto(page.url)
    other.locator(".bar .plain, .bar .main").first.wait_for()
    if page.locator(".bar .plain").count():
        page.wait_for_timeout(_DEAD)
        by_keys(page)
        other.wait_for_function("() => document.querySelector('.bar')?.dataset.asked === '3'")


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_nothing_overflows_and_everybody_can_use_it(page, address, width, theme):
    from axe_playwright_python.sync_playwright import Axe

    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    for sat in (False, True):
        if sat:
            page.get_by_role("button", name="Sit down").click()
            page.locator(".bar .plain, .bar .main").first.wait_for()
        wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide == inner
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_a_server_restart_goes_on_with_the_hand(page, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serving(tmp_path, port) as (address, _):
        sit_down(page, address)
        page.wait_for_timeout(_DEAD)
        by_keys(page)
        page.wait_for_function("() => document.querySelector('.bar')?.dataset.asked === '2'")
    cards = page.locator(".seat.at0 .card").evaluate_all("all => all.map(x => x.ariaLabel)")
    with serving(tmp_path, port):
        page.locator("body:not(.offline)").wait_for()
        answer(page, by_keys)
        assert (
            page.locator(".seat.at0 .card").evaluate_all("all => all.map(x => x.ariaLabel)")
            == cards
        )
    page.wrong[:] = [said for said in page.wrong if "ERR_CONNECTION_REFUSED" not in said]
