"""The review of a hand in a real browser."""

import re

from web.pages import check_page
from web.test_play_stories import answer, by_keys, sit_down


def test_a_hand_is_reviewed(page, address):
    sit_down(page, address)
    answer(page, by_keys)
    page.keyboard.press("v")
    page.wait_for_url(re.compile(r"/play/[0-9a-f]{16}/1$"))
    page.locator("main p[role=status]", has_text="cost").wait_for()
    total = page.locator("main p[role=status]").inner_text()
    amount = r"\u2212?[0-9.]+( ± [0-9.]+)?"
    assert re.match(rf"Your choices cost {amount} bb: .*turn {amount}, river {amount}\.", total)
    assert "preflop" in total  # its cost, or why it has none
    own = page.locator(".decision.mine")
    assert own.count() >= 4
    own.last.click()
    assert page.locator(".detail h2").inner_text() == "River"
    values = page.locator(".legend .ev").all_inner_texts()
    assert len(values) > 1
    assert all(re.fullmatch(r"\u2212?[0-9.]+ bb", value) for value in values)
    assert page.locator(".grade").count() >= 2
    shown = page.locator(".hand[aria-selected=true]").get_attribute("data-hand")
    page.locator(".hand[data-hand=AA]").click()
    assert "With AA" in page.locator(".detail h3").inner_text()
    page.keyboard.press("ArrowLeft")  # in the grid
    page.locator(".decision.mine").first.click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".detail h2").inner_text() == "Preflop"
    assert page.locator(".hand[aria-selected=true]").get_attribute("data-hand") == shown
    check_page(page)
    page.get_by_role("link", name="Back to the table").click()
    page.get_by_role("button", name="Next hand").wait_for()
