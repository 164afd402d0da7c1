"""The study page in a real browser."""

import re

from web.pages import asked, check_page, check_widths, solved


def open_study(page, address):
    page.goto(address)
    page.get_by_role("link", name="Study").click()
    page.get_by_role("heading", name="Study").wait_for()


def take(page, word):
    """Take an action and wait for the node behind it."""
    before = page.url
    page.locator(f'.take[data-word="{word}"]').click()
    page.wait_for_function("before => location.href !== before", arg=before)


def card(page, name):
    return page.locator(f'.pick[data-card="{name}"]')


_LATE = 300  # ms
_SLOW = """([word, late]) => { const ask = window.fetch; window.fetch = async (path, ...more) => {
  if (path.includes(`line=${word}`)) await new Promise((done) => setTimeout(done, late));
  return ask(path, ...more); }; }"""


def hurry(page):
    """Click on while answers are late: the last click counts, once, and only on its own page."""
    page.evaluate(_SLOW, ["r4", _LATE])
    raising = page.locator('.take[data-word="r4"]')
    raising.click()
    page.locator('.take[data-word="c"]').click()
    page.wait_for_url(re.compile(r"line=c$"))
    page.wait_for_timeout(_LATE)
    assert page.locator(".strip .taken").all_inner_texts() == ["Call 1"]
    page.go_back()
    before = page.evaluate("history.length")
    raising.dblclick()
    page.wait_for_url(re.compile(r"line=r4$"))
    assert page.evaluate("history.length") == before  # one entry, instead of the one gone back from
    page.go_back()
    raising.click()
    page.get_by_role("link", name="Study").click()
    page.wait_for_timeout(_LATE)
    assert page.url.endswith("/study")
    page.reload()
    page.get_by_role("link", name="hundred", exact=True).click()


def focused(page):
    return page.evaluate("document.activeElement.textContent")


def test_a_blueprint_is_looked_at_street_by_street(page, address):
    open_study(page, address)
    page.get_by_role("link", name="hundred", exact=True).click()
    page.locator(".take").first.wait_for()
    hurry(page)
    page.locator(".take").first.wait_for()
    assert page.locator(".hand:not(.absent)").count() == 169
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    painted = page.locator(".hand[data-hand=AA] i")
    assert "gradient" in painted.evaluate("bar => getComputedStyle(bar).backgroundImage")
    page.emulate_media(forced_colors="none", reduced_motion="reduce")
    take(page, "r4")
    take(page, "c")
    for name in ("Ks", "7d", "2c"):
        card(page, name).click()
    page.locator(".step.now", has_text="OOP to act").wait_for()
    page.locator(".hand[data-hand=KQo]").click()
    assert page.locator(".suits li").count() == 9  # three kings, less those with a queen's suit
    page.get_by_text("Equity curve").click()
    page.get_by_role("button", name="By suit").focus()
    page.keyboard.press("Enter")
    assert focused(page) == "By suit"
    page.get_by_role("button", name="Equity", exact=True).first.click()
    assert page.locator("details[open] summary").all_inner_texts() == ["Equity curve"]
    here = page.url
    assert re.search(r"line=.*board=Ks7d2c.*show=equity.*hand=KQo", here)
    page.reload()
    page.locator(".suits li").first.wait_for()
    assert page.locator(".tabs [aria-pressed=true]").all_inner_texts()[-1] == "Equity"
    page.go_back()
    page.locator(".picker").wait_for()
    page.go_forward()
    page.locator(".suits li").first.wait_for()
    page.locator('.take[data-word="x"]').focus()
    page.keyboard.press("Enter")
    page.locator(".step.now", has_text="IP to act").wait_for()
    assert focused(page).startswith("Check")  # the action of the same name
    page.keyboard.press("ArrowLeft")
    page.locator(".step.now", has_text="OOP to act").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator(".step.now", has_text="IP to act").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(".step.now", has_text="OOP to act").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("top pair")
    page.get_by_role("columnheader", name="Equity").get_by_role("button").click()
    first = page.locator(".scroll .combos tbody tr").first.inner_text()
    assert re.search(r"filter=top\+pair&?.*", page.url)
    page.reload()  # the address has the filter and the order, too
    page.locator(".scroll .combos tbody tr").first.wait_for()
    assert page.locator(".scroll .combos tbody tr").first.inner_text() == first
    assert page.get_by_label("Filter combos").input_value() == "top pair"
    check_page(page)


def counted(page, before):
    """The nodes and boards of a spot, once they are not those from before it was changed."""
    page.wait_for_function(
        "before => { const now = document.querySelector('.cost').textContent;"
        " return now.includes('nodes') && now.split(' boards')[0] !== before; }",
        arg=before,
    )
    return page.locator(".cost").inner_text().split(" boards")[0]


def refuse(page):
    """What cannot be solved says why, in words of the page."""
    solve = page.get_by_role("button", name="Solve", exact=True)
    for name, wrong, right, why in (
        ("pot", "abc", "20", "The pot is a whole number of chips"),
        ("until", "0", "0,5", "from 0.01 to 10 %"),
    ):
        page.locator(f"input[name={name}]").fill(wrong)
        page.locator(".cost", has_text=why).wait_for()
        assert solve.is_disabled()
        page.locator(f"input[name={name}]").fill(right)
        page.locator(".cost", has_text="nodes").wait_for()
    page.get_by_label("Range of OOP").first.fill("AA,KKK")
    page.locator(".cost", has_text="'KKK' is not a hand").wait_for()
    assert solve.is_disabled()


def test_an_address_makes_the_editor_ask_for_a_blueprint_and_nothing_else(page, address):
    page.goto(address)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address.split('/?')[0]}/study/new?from=../tables/0000000000000000&line=x")
    page.locator(".cost", has_text="nodes").wait_for()
    assert not [url for url in asked if "/tables/" in url and "/study/" not in url]


def test_what_rounding_leaves_is_locked_too(page, address):
    page.goto(address)
    shares = page.evaluate("""async () => { const { lockBox } = await import("/static/lock.js");
      const actions = [0.504, 0.442, 0.054].map((frequency) => ({ label: "x", frequency }));
      return [...lockBox({ actions }).querySelectorAll("input")].map(({ value }) => value); }""")
    assert shares == ["51", "44", "5"]


def test_a_turn_is_built_solved_walked_dealt_locked_and_left_by_the_back_button(page, address):
    open_study(page, address)
    page.get_by_role("link", name="Solve a new spot").click()
    turn = counted(page, "")
    card(page, "9s").click()
    river = counted(page, turn)
    card(page, "9s").click()
    assert counted(page, river) == turn
    refuse(page)
    page.locator("input[name=bets]").fill("100%")
    for player in ("OOP", "IP"):
        page.get_by_label(f"Range of {player}").first.fill("77+, AQs+, KQs, 98s")
        page.locator(".range", has_text=f"{player}:").locator(
            ".faint", has_text="64 combos"
        ).wait_for()
    text = page.get_by_label("Range of OOP").first
    page.locator(".range", has_text="OOP:").locator(".hand[data-hand=AKo]").click()
    page.locator(".range", has_text="OOP:").locator(".faint", has_text="76 combos").wait_for()
    assert "AK" in text.input_value()
    page.locator(".cost", has_text="nodes").wait_for()
    check_page(page)
    page.get_by_role("button", name="Solve", exact=True).click()
    page.wait_for_url(re.compile("/study/spot/[0-9a-f]{16}"))
    page.locator(".take").first.wait_for()
    solved = page.url
    take(page, "x")
    page.locator(".step.now", has_text="IP to act").wait_for()
    take(page, "x")
    deal_rivers(page)
    page.go_back()  # from the card to the turn
    page.locator(".step.now", has_text="IP to act").wait_for()
    page.get_by_text("Made hands and draws").click()
    page.get_by_role("button", name="set", exact=True).click()
    assert set(page.locator(".combos tbody td:nth-child(5)").all_inner_texts()) == {"set"}
    page.get_by_text("Lock this node").click()
    inputs = page.locator(".lock input")
    for n in range(inputs.count()):
        inputs.nth(n).fill("100" if n == 0 else "0")
    page.get_by_role("button", name="Lock and solve again").click()
    page.wait_for_url(
        lambda url: not url.startswith(solved)
    )  # a node of the old one has .take, too
    page.locator(".take").first.wait_for()
    take(page, "x")
    page.locator(".note", has_text="This node is locked").wait_for()
    shares = page.locator(".right-side .take .share").all_inner_texts()
    assert shares[-1] == "100 %"
    check_page(page, ".right-side")
    page.go_back()
    page.go_back()
    page.locator(".step.now", has_text="IP to act").wait_for()
    assert not page.locator(".note", has_text="locked").count()
    page.wrong[:] = [said for said in page.wrong if "422" not in said]  # what `refuse` tried


def deal_rivers(page):
    """Deal rivers in a solved turn, by mouse and by keys, and come back to the choice of a card."""
    dealing = page.locator(".step.now", has_text="A card is dealt")
    dealing.wait_for()
    page.locator(".pick small").first.wait_for()  # what each card does
    assert page.locator(".pick:not(:disabled)").count() == 48
    check_page(page, ".right-side")
    card(page, "9s").click()  # a blank, which is in some hands
    page.locator(".step.now", has_text="OOP to act").wait_for()
    assert page.locator(".info .card").count() == 5
    assert not page.locator(".combos tbody", has_text="9s").count()
    take(page, "x")
    page.locator(".step.now", has_text="IP to act").wait_for()
    assert re.search(r"line=x\+x\+9s\+x", page.url)
    page.go_back()
    page.locator(".step.now", has_text="OOP to act").wait_for()
    page.go_back()
    dealing.wait_for()
    page.keyboard.press("t")  # to the first card, the ace of spades; below it are hearts, diamonds
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".step.now", has_text="OOP to act").wait_for()
    assert re.search(r"line=x\+x\+Ad", page.url)
    page.go_back()
    dealing.wait_for()


def test_solving_shows_its_curve_and_is_cancelled(page, address):
    open_study(page, address)
    page.get_by_role("link", name="Solve a new spot").click()
    page.locator(".cost", has_text="nodes").wait_for()
    for player in ("OOP", "IP"):
        page.get_by_label(f"Range of {player}").first.fill("77+, AJs+, KQs")
        page.locator(".range", has_text=f"{player}:").locator(
            ".faint", has_text="64 combos"
        ).wait_for()
    page.locator("input[name=bets]").fill("100%")  # the first point of its curve within a second
    card(page, "4h").click()  # a flop now
    page.get_by_label("Stop at exploitability, % of the pot").fill("0.01")
    page.locator(".cost", has_text=re.compile("[0-9]{2} boards|,[0-9]{3} boards")).wait_for()
    page.get_by_role("button", name="Solve", exact=True).click()
    page.locator("svg.curve").wait_for()
    check_widths(page)
    page.get_by_role("button", name="Cancel").click()
    page.locator("p[role=status]", has_text="Cancelled").wait_for()
    check_page(page)
    spot, again = (
        re.compile("/api/spots/[0-9a-f]{16}$"),
        "document.dispatchEvent(new Event('connection'))",
    )
    page.route(spot, lambda route: route.fulfill(status=429, json={"error": "too many requests"}))
    page.evaluate(again)
    page.get_by_text("too many requests").wait_for()
    assert page.locator("p[role=status]", has_text="Cancelled").is_visible()  # it is still there
    page.route(spot, lambda route: route.fulfill(status=404))
    page.evaluate(again)  # a server that knows nothing
    page.locator("p[role=status]", has_text="The server was restarted").wait_for()
    page.get_by_role("link", name="Change the spot").click()
    page.locator(".cost", has_text="nodes").wait_for()
    assert page.get_by_label("Range of OOP").first.input_value() == "77+, AJs+, KQs"
    page.wrong[:] = [
        said for said in page.wrong if not re.search("404|429|too many requests", said)
    ]


RIVER = {"board": "QsJh2h8d3c", "oop": "JJ+,AK", "ip": "99+,AQ", "pot": 20, "stack": 40}


def test_a_spot_whose_end_is_told_three_times_is_opened_once(page, address):
    open_study(page, address)
    number = solved(page, {**RIVER, "bets": "100%", "until": 1})
    done = asked(page, f"/spots/{number}")
    spot, held, nodes = re.compile(f"/api/spots/{number}$"), [], []
    page.route(spot, lambda route: route.fulfill(json={**done, "state": "solving", "curve": []}))
    page.route("**/node?*", lambda route: held.append(route))
    page.on("request", lambda request: "/node?" in request.url and nodes.append(request.url))
    page.goto(f"{page.url}/spot/{number}")  # the socket says that it is done
    while not held:
        page.wait_for_timeout(20)
    page.unroute(spot)
    for _ in range(2):  # and so does the server, when the page asks again
        with page.expect_response(spot):
            page.evaluate("document.dispatchEvent(new Event('connection'))")
    page.wait_for_timeout(_LATE)
    for route in held:
        route.continue_()
    page.unroute("**/node?*")
    page.locator(".take").first.wait_for()
    assert len(nodes) == 1
    page.keyboard.press("1")
    page.locator(".step.now", has_text="IP to act").wait_for()
    page.evaluate("document.dispatchEvent(new Event('connection'))")  # nobody listens any more
    page.get_by_role("link", name="Study").click()
    page.get_by_role("heading", name="Solved spots").wait_for()
    page.keyboard.press("1")
    page.wait_for_timeout(_LATE)
    assert len(nodes) == 2
