"""The play page in a real browser."""

import re
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from web.conftest import REBOUND, serving
from web.pages import check_page

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


def test_a_hand_to_its_showdown_by_mouse(page, address):
    """By mouse alone; `test_review_stories` plays one by keys."""
    sit_down(page, address)
    assert page.evaluate(_WIDTH) > 20, "no fonts: pages would be without text, and tests pass"
    answer(page, by_mouse)
    assert page.locator(".board .card:not(.slot)").count() == 5
    assert page.locator(".log .shown").count() == 2
    assert page.locator(".seat .payoff").count() == 2
    assert re.search("wins? [0-9]+|split the pot", page.locator(".made").inner_text())
    check_page(page)
    page.wait_for_timeout(_DEAD)
    page.get_by_role("button", name="Next hand").click()
    page.locator(".bar .plain").wait_for()
    assert page.locator(".board .card:not(.slot)").count() == 0


_SPLIT = """async (players) => { const { outcome } = await import("/static/table.js");
  const names = ["you", "fish 1", "fish 2"].slice(0, players), log = [];
  const shown = (name, seat) => ({ kind: "shown", seat, parts: [name, [], "pair of tens"] });
  log.push(...names.map(shown));
  names.forEach((name, seat) => log.push({ kind: "won", seat, parts: [`${name} wins 20`] }));
  return outcome({ seat: 0, seats: names.map((name) => ({ name })), log }); }"""


def test_a_split_pot_is_told_in_one_line(page, address):
    page.goto(address)
    said = [page.evaluate(_SPLIT, players) for players in (1, 2, 3)]
    assert said == [
        "You wins 20: pair of tens",
        "You and fish 1 split the pot: pair of tens",
        "3 players split the pot: pair of tens",
    ]


def test_a_bet_by_its_size_and_all_in_asks_again(page, address):
    sit_down(page, address)
    page.wait_for_timeout(_DEAD)
    page.locator(".size").nth(1).click()
    wanted = page.locator(".size small").nth(1).inner_text()
    assert f" {wanted} (" in page.locator("button.raise").inner_text()
    page.locator(".typed").fill("3bb")
    assert page.locator("button.raise").inner_text() == "Raise to 6 (3 bb)"
    page.locator(".typed").fill("9999999")
    assert page.locator("button.raise").inner_text() == "Raise to …"
    page.locator("button.raise").click()
    assert (
        page.locator("#toast").inner_text().startswith('"9999999" is not possible here; choose 4')
    )
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.locator("button.raise").click()
    assert "press again" in page.locator("button.raise").inner_text()
    check_page(page)
    before = page.locator(".bar").get_attribute("data-asked")
    page.locator("button.raise").click()
    page.wait_for_function(
        "before => document.querySelector('.bar')?.dataset.asked !== before", arg=before
    )
    assert "all-in" in page.locator(".log").inner_text()


def test_keys_are_listed_and_can_be_switched_off(page, address):
    sit_down(page, address)
    page.locator(".bar .plain").wait_for()
    page.keyboard.press("?")
    assert "fold" in page.locator("dialog[open] dl").inner_text()
    page.wait_for_timeout(_DEAD)
    page.keyboard.press("c")  # the list is open
    check_page(page)
    page.get_by_label("Keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    for key in ("?", "c", "f"):
        page.keyboard.press(key)
    page.wait_for_timeout(_DEAD)
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".bar").get_attribute("data-asked") == "1"
    page.reload()
    page.locator(".bar .plain").wait_for()
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Keys are on").check()
    page.keyboard.press("Escape")
    page.wait_for_timeout(_DEAD)
    page.keyboard.press("c")
    page.wait_for_function("() => document.querySelector('.bar')?.dataset.asked === '2'")


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
    check_page(other)


# the longest texts that a seat shows: stacks and bets of 200 bb to the half big blind, the button
_LONGEST = """seats => seats.forEach(seat => {
  seat.querySelector(".stack").textContent = "20000 (199.5 bb)";
  const bet = seat.querySelector(".bet") ?? seat.appendChild(document.createElement("div"));
  bet.className = "bet";
  const did = document.createElement("span");
  did.className = "did";
  did.textContent = "raises";
  bet.replaceChildren(did, " 20000 (199.5 bb)");
})"""


def test_nothing_overflows_and_everybody_can_use_it(page, address):
    page.goto(address)
    page.get_by_role("button", name="Sit down").wait_for()
    check_page(page)
    page.get_by_label("Opponent").select_option("fish")  # who needs no model
    page.get_by_label("Blinds, chips").select_option("50/100")
    page.locator("select[name=seats]").select_option("6")
    page.get_by_role("button", name="Sit down").click()
    page.locator(".bar .plain, .bar .main").first.wait_for()
    assert page.locator(".seat").count() == 6
    assert "100" in page.locator(".log .posts").inner_text()
    page.locator(".seat").evaluate_all(_LONGEST)
    check_page(page)


class _Foreign(BaseHTTPRequestHandler):
    """A page of another origin that attacks the server whose address is in its path."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(_ATTACK.replace("TARGET", self.path.strip("/")).encode())

    def log_message(self, *_):
        pass


_ATTACK = """<form id=f action="http://TARGET/api/tables" method=post enctype=text/plain>
<input name='{"opponents":["fish"],"x":"' value='"}'></form><iframe name=in></iframe><script>
async function attack() {
  const tried = [], body = '{"opponents":["fish"]}', json = {"content-type": "application/json"};
  const ask = async (name, path, options) => {
    try {
      const got = await fetch("http://TARGET" + path, {credentials: "include", ...options});
      tried.push([name, got.type, got.status]);
    } catch (problem) { tried.push([name, "refused"]); } };
  await ask("simple", "/api/tables", {method: "POST", body, mode: "no-cors"});
  await ask("json", "/api/tables", {method: "POST", body, headers: json});
  await ask("read", "/api/tables", {});
  await ask("delete", "/api/tables/ID", {method: "DELETE"});
  f.target = "in"; f.submit();
  tried.push(["socket", await new Promise((done) => { const s = new WebSocket("ws://TARGET/api/events");
    s.onopen = () => done("open"); s.onerror = () => done("refused"); })]);
  await new Promise((done) => setTimeout(done, 300));
  return tried; }
</script>"""


def test_a_page_of_another_origin_can_do_nothing(page, address):
    sit_down(page, address)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
    Thread(target=server.serve_forever, daemon=True).start()
    before = page.evaluate("fetch('/api/tables').then((answer) => answer.text())")
    host = urlsplit(address).netloc
    assert page.wrong == []
    foreign = page.context.new_page()
    try:
        for name in ("127.0.0.1", "localhost"):  # another port, and another name of the machine
            foreign.goto(f"http://{name}:{server.server_port}/{host}")
            tried = {each[0]: each[1:] for each in foreign.evaluate("attack()")}
            assert list(tried) == ["simple", "json", "read", "delete", "socket"]
            assert all(answer == ["refused"] for answer in tried.values())
        # a foreign name that now leads to this machine, so that its page would be of our origin
        for path in ("", "api/tables", "static/main.js"):
            answer = foreign.goto(f"http://{REBOUND}:{urlsplit(address).port}/{path}")
            assert answer.status == 400
            assert "use the printed address" in foreign.content()
    finally:
        server.shutdown()
        server.server_close()
    page.wrong.clear()  # of the foreign tab: it is of another host, and was refused
    assert page.evaluate("fetch('/api/tables').then((answer) => answer.text())") == before


# in a task of the page's own: in that of a debugger, eval is let through
_INJECT = """() => new Promise((done) => setTimeout(() => {
  const tried = [], box = document.createElement("div"), script = document.createElement("script");
  const refused = (name, what) => { try { what(); } catch { tried.push(name); } };
  refused("markup", () => { box.innerHTML = "<img src=x onerror='window.ran = 1'>"; });
  refused("code", () => { script.text = "window.ran = 2"; });
  refused("eval", () => eval("window.ran = 3"));
  script.append("window.ran = 4");
  const image = document.createElement("img");
  image.src = "http://127.0.0.1:9/picture.png";
  document.body.append(box, script, image);
  setTimeout(() => done([tried, window.ran ?? null]), 300);
}))"""


def test_a_page_runs_no_code_that_was_put_into_it(page, address):
    page.goto(address)
    page.get_by_role("button", name="Sit down").wait_for()
    assert page.evaluate(_INJECT) == [["markup", "code", "eval"], None]
    assert page.wrong  # the policy says so
    assert all("Content Security Policy" in said or "Trusted" in said for said in page.wrong)
    page.wrong.clear()


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
    away = page.locator("h1", has_text="The server does not answer")
    page.get_by_role("link", name="Arena").click()
    away.wait_for()
    page.go_back()
    away.wait_for()
    with serving(tmp_path, port):
        page.locator(".table").wait_for()  # by itself
        page.locator("body:not(.offline)").wait_for()
        page.wait_for_timeout(_DEAD)
        by_keys(page)
        page.wait_for_function("() => document.querySelector('.bar')?.dataset.asked === '3'")
        assert (
            page.locator(".seat.at0 .card").evaluate_all("all => all.map(x => x.ariaLabel)")
            == cards
        )
        check_page(page)
    page.wrong[:] = [said for said in page.wrong if "ERR_CONNECTION_REFUSED" not in said]


def test_a_refusal_is_told_also_while_no_news_arrive(page, address):
    page.route_web_socket("**/api/events", lambda socket: socket.close())
    page.goto(address)
    page.goto(f"{address.split('/?')[0]}/play/0000000000000000")
    page.locator(".message h1").wait_for()
    page.locator("body.offline").wait_for()
    page.get_by_role("link", name="Arena").click()
    page.get_by_role("heading", name="Arena").wait_for()
    page.go_back()
    page.locator(".message h1").wait_for()
    assert page.locator(".message h1").inner_text() == "That did not work"
    assert "No such table" in page.locator(".message").inner_text()
    page.wrong[:] = [said for said in page.wrong if "404" not in said]
