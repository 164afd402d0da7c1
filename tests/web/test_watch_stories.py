"""Training, arena and drill pages in a real browser."""

import re

from web.pages import check_page
from web.samples import SampleRun


def test_a_training_run_grows_on_the_page(page, address, watched):
    run = SampleRun(watched / "runs" / "story")
    run.grow(holds=False)
    page.goto(address)
    page.get_by_role("link", name="Training").click()
    page.get_by_role("link", name="runs/story").click()
    page.locator(".litmus .fails").wait_for()
    assert page.locator(".charts svg").count() == 2  # the matches; curves need two points
    assert page.locator(".facts", has_text="9 s").count() == 1
    run.grow()
    run.grow()
    page.locator("p", has_text="Checkpoint 3 of 3").wait_for()
    assert page.locator(".charts svg").count() == 4
    assert page.locator(".litmus .holds").count() == 2
    slider = page.get_by_label("Checkpoint", exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    page.mouse.down()  # one drag over all checkpoints
    for at, share in ((2, 0.5), (1, 0)):
        page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2)
        page.locator("p", has_text=f"Checkpoint {at} of 3").wait_for()
    page.mouse.up()
    assert page.locator(".first-in .share").all_inner_texts() == ["10 %", "9.0 %", "81 %"]
    check_page(page)
    run.status.end("done")
    page.locator(".facts", has_text="finished: done").wait_for()


def test_both_halves_of_a_deal_are_replayed_side_by_side(page, address):
    page.goto(address)
    page.get_by_role("link", name="Arena").click()
    page.locator(".cross tbody tr").first.wait_for()
    assert page.locator(".cross").first.locator("tbody tr").count() == 3
    check_page(page)
    page.get_by_role("link", name="Match 2", exact=True).click()
    page.locator(".curve").wait_for()
    check_page(page)
    page.get_by_role("link", name=re.compile("^Deal ")).first.click()
    page.locator(".half").nth(1).wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.get_by_label("Step").input_value() == "3"
    cards = [
        page.locator(".half")
        .nth(n)
        .locator(".seats .card")
        .evaluate_all("all => all.map(each => each.ariaLabel)")
        for n in range(2)
    ]
    assert cards[0] == cards[1]
    page.keyboard.press("End")
    assert page.locator(".seats li > b").count() == 4
    check_page(page)
    match = page.url.rsplit("/", 1)[0]
    page.goto(f"{match}/29")
    page.get_by_role("link", name="Deal before").wait_for()
    assert not page.get_by_role("link", name="Deal after").count()  # it is the last one
    page.goto(f"{match}/30")
    page.locator("p", has_text="This deal was not stored; the match lists some.").wait_for()
    page.get_by_role("link", name="Back to Arena").click()
    page.locator(".cross tbody tr").first.wait_for()
    page.wrong[:] = [said for said in page.wrong if "404" not in said]


def test_a_drill_by_keys(page, address):
    page.goto(address)
    page.get_by_role("link", name="Drill").click()
    check_page(page)
    page.get_by_role("link", name="On the button, blueprint hundred").click()
    page.locator(".answer").first.wait_for()
    for count in range(1, 4):
        page.keyboard.press("f")
        page.locator(".graded .grade").wait_for()
        assert page.locator(".facts dd").first.inner_text() == str(count)
        assert page.locator(".graded .hand.chosen").count() == 1
        words = page.locator(".graded").inner_text()  # costs, or why there are none
        assert ("Played out" in words) != ("tiltless abstraction build" in words)
        if count == 3:
            check_page(page)
        page.keyboard.press("n")
        page.locator(".graded").wait_for(state="hidden")
    page.get_by_role("link", name="Close decisions only").click()
    page.wait_for_url(re.compile("hands=close"))
    page.locator(".answer").first.click()
    page.locator(".graded .share").first.wait_for()
