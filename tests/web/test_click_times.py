"""From a click on an action to the new grid on the screen, in a real browser.

``pytest -m slow tests/web/test_click_times.py -rP`` prints the times of a solved turn and of a
blueprint. `tiltless bench web` measures the server's part of the same wait.
"""

import random

import pytest

from web.pages import solved

CLICKS = 40
TURN = {
    "board": "Ks7d2c4h",
    "oop": "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AJo+,KQo",
    "ip": "22+,A2s+,K8s+,Q9s+,J9s+,T9s,98s,87s,ATo+,KJo+",
    "pot": 20,
    "stack": 90,
    "bets": "50%, 100%, a",
    "until": 0.5,
}
_CLOCK = """() => {
  window.took = [];
  let begun = 0;
  document.addEventListener("click", (event) => {
    if (event.target.closest(".right-side .take")) begun = event.timeStamp;
  }, true);
  new MutationObserver(() => {
    const since = begun;
    begun = 0;
    if (since) requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - since)));
  }).observe(document.querySelector(".left-side"), { childList: true });
}"""  # what runs after a frame's callbacks runs after its grid was drawn
_ASKED = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/node?")).map(({ duration }) => duration)"""


def clicked(page, rng):
    """Walk through nodes at random; milliseconds of each click on an action, and of each answer."""
    page.locator(".take").first.wait_for()
    page.evaluate(_CLOCK)
    asked = len(page.evaluate(_ASKED))
    count = 0
    while count < CLICKS:
        here, now = page.evaluate("location.href"), page.locator(".step.now").inner_text()
        if "to act" in now:
            takes = page.locator(".right-side .take:not([data-word=f])")
            takes.nth(rng.randrange(takes.count())).click()
            count += 1
            page.wait_for_function("count => took.length === count", arg=count)
        elif "dealt" in now:
            wanted = page.locator("h2", has_text="Choose").inner_text()
            for _ in range(3 if "3 more" in wanted else 1):
                cards = page.locator(".pick:not(:disabled):not(.picked)")
                cards.nth(rng.randrange(cards.count())).click()
        else:
            page.locator(".strip button.who").first.click()  # back to the first decision
        page.wait_for_function("here => location.href !== here", arg=here)
        page.wait_for_timeout(100)
    return page.evaluate("took"), page.evaluate(_ASKED)[asked:]


def told(what, times, answers):
    ordered, waited = sorted(times), sorted(answers)
    late = ordered[int(0.95 * len(ordered))]
    print(
        f"{what}: {len(times)} clicks, from the click to the drawn grid {late:.0f} ms (95 %), "
        f"median {ordered[len(ordered) // 2]:.0f}, longest {ordered[-1]:.0f}; "
        f"the answers alone {waited[int(0.95 * len(waited))]:.0f} ms (95 %)"
    )


@pytest.mark.slow
def test_a_click_on_an_action_draws_the_next_grid(page, address):
    page.set_default_timeout(30_000)
    page.goto(address)
    number, rng = solved(page, TURN), random.Random(4)
    for what, path in (("solved turn", f"spot/{number}"), ("blueprint", "blueprint/hundred")):
        page.goto(f"{address.split('/?')[0]}/study/{path}")
        times, answers = clicked(page, rng)
        assert len(times) == CLICKS
        told(what, times, answers)
