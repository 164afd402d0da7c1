"""The pictures of docs/web.md, taken from the real pages.

``PYTHONPATH=tests python -m web.pictures WATCHED [NAME…]`` writes docs/images/web-*.png. WATCHED is
a folder with a training run and a file of results, for the pages that show them::

    tiltless train minute --out WATCHED/runs/minute
    tiltless cross-table blueprint rules fish uniform --hands 2000 --keep-hands \\
        --db WATCHED/results.sqlite

The bucket tables of the blueprint must be built (``tiltless abstraction build board-aware``), since
the review shows values before the turn. Hands are dealt at random; the play and review pictures are
taken when one is worth looking at.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from web import browser as chromium
from web.conftest import serving
from web.pages import asked, solved

IMAGES = Path(__file__).parents[2] / "docs" / "images"
_DEAD = 350  # ms in which a new question takes no click
_RIVER = {
    "until": 0.3,
    "board": "QsJh2h8d3c",
    "oop": "QQ+,AKs,AQs,KQs,QJs,JTs,T9s,98s,A5s-A2s,AJo+",
    "ip": "22+,ATs+,KTs+,QTs+,JTs,T9s,98s,87s,AJo+,KQo",
    "pot": 20,
    "stack": 90,
    "bets": "50%, 100%, a / 100%, a",
    "big_blind": 2,
}
_TURN = {
    **_RIVER,
    "board": "Ks7d2c4h",
    "oop": "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AJo+,KQo",
    "ip": "22+,A2s+,K8s+,Q9s+,J9s+,T9s,98s,87s,ATo+,KJo+",
}


def save(page: Page, name: str, height: int) -> None:
    """A picture of the top of the page."""
    page.mouse.move(1270, height - 2)
    page.set_viewport_size({"width": 1280, "height": height})
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(700)
    page.screenshot(path=IMAGES / f"web-{name}.png")
    print(f"docs/images/web-{name}.png")


def sit_down(page: Page, opponent: str) -> str:
    """A table; its number."""
    page.goto(f"{page.evaluate('location.origin')}/play")
    page.get_by_label("Opponent").select_option(opponent)
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_url(re.compile(r"/play/[0-9a-f]{16}$"))
    return page.url.rsplit("/", 1)[1]


def step(page: Page, data: dict) -> dict:
    """Check, call or deal: the table afterwards."""
    path, table, body = f"/tables/{data['id']}", data["table"], {"seq": data["seq"]}
    if table["over"]:
        return asked(page, f"{path}/next", body)
    action = "check" if table["actions"]["check"] else "call"
    return asked(page, f"{path}/actions", {**body, "action": action})


def play(page: Page) -> None:
    """The opponent has bet half of the pot on the turn, the hint is a mix, hands were played."""
    number = sit_down(page, "blueprint")
    data = asked(page, f"/tables/{number}")
    for _ in range(2000):
        data = step(page, data)
        table = data["table"]
        if table["over"] or len(table["board"]) != 4 or data["hand"] <= 30:
            continue
        if 3 * table["actions"]["call"] == table["pot"] and "pair" in table["made"]:
            policy = asked(page, f"/tables/{number}/hint")["policy"]
            if sum(each["probability"] > 0.15 for each in policy) > 1:
                break
    page.reload()
    page.locator(".bar .plain").wait_for()
    page.wait_for_timeout(_DEAD)
    page.keyboard.press("h")
    page.locator(".hint .mix").first.wait_for()
    save(page, "play", 860)


def review(page: Page) -> None:
    """A hand that went to the river, with a mistake on the way."""
    number = sit_down(page, "blueprint")
    data = asked(page, f"/tables/{number}")
    for _ in range(2000):
        data = step(page, data)
        if not data["table"]["over"] or len(data["table"]["board"]) < 5:
            continue
        page.goto(f"{page.evaluate('location.origin')}/play/{number}/{data['hand']}")
        page.locator("main p[role=status]", has_text="cost").wait_for()
        grades = page.locator(".decision.mine .grade").all_inner_texts()
        wrong = page.locator(".decision.mine:has(.grade.mistake), .decision.mine:has(.blunder)")
        if len(set(grades)) > 1 and wrong.count():
            wrong.last.click()
            save(page, "review", 1000)
            return


def study(page: Page, home: str) -> None:
    page.goto(f"{home}/study/blueprint/hundred?line=r4+c+%2F+x&board=Ks7d2c&hand=KQo")
    page.locator(".suits li").first.wait_for()
    save(page, "study", 1060)


def spot(page: Page, home: str) -> None:
    page.goto(f"{home}/study/new")
    page.locator(".cost", has_text="nodes").wait_for()
    save(page, "spot", 1000)


def solution(page: Page, home: str) -> None:
    page.goto(f"{home}/study/spot/{solved(page, _TURN)}?line=x+b10&hand=AQs")
    page.locator(".suits li").first.wait_for()
    save(page, "solved", 1060)


def drill(page: Page, home: str) -> None:
    page.goto(f"{home}/drill/spot/{solved(page, _RIVER)}?line=b10")
    for key in "ccfccfcc":
        page.locator(".answer:enabled").first.wait_for()
        page.keyboard.press(key)
        page.locator(".graded .grade").wait_for()
        if key != "c" or not page.locator(".graded .grade.best").count():
            wrong = page.locator(".graded .grade").inner_text()
            if wrong in ("Inaccurate", "Mistake"):
                break
        page.keyboard.press("n")
        page.locator(".graded").wait_for(state="hidden")
    else:
        page.keyboard.press("c")
        page.locator(".graded .grade").wait_for()
    save(page, "drill", 980)


def training(page: Page, home: str) -> None:
    page.goto(f"{home}/train")
    page.locator(".tables a").first.click()
    page.locator(".first-in .share").first.wait_for()
    save(page, "training", 1180)


def arena(page: Page, home: str) -> None:
    page.goto(f"{home}/arena")
    page.locator(".cross tbody tr").first.wait_for()
    save(page, "arena", 660)


def replay(page: Page, home: str) -> None:
    page.goto(f"{home}/arena")
    page.get_by_role("row", name=re.compile("blueprint against rules")).get_by_role("link").click()
    page.get_by_role("link", name=re.compile("^Deal ")).first.click()
    page.locator(".half").nth(1).wait_for()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    save(page, "replay", 800)


PICTURES = {
    "play": lambda page, _: play(page),
    "review": lambda page, _: review(page),
    "study": study,
    "spot": spot,
    "solved": solution,
    "drill": drill,
    "training": training,
    "arena": arena,
    "replay": replay,
}


def main(watched: Path, names: list[str]) -> None:
    path = chromium.find(Path(sys.prefix))
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", chromium.node()[0])
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), watched=watched) as (address, _),
        sync_playwright() as playwright,
    ):
        started = playwright.chromium.launch(executable_path=path, env=chromium.environment(path))
        page = started.new_page(viewport={"width": 1280, "height": 860}, color_scheme="dark")
        page.set_default_timeout(60_000)
        page.goto(address)
        for name in names or PICTURES:
            PICTURES[name](page, address.split("/?")[0])
        started.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
