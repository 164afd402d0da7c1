"""What holds for every page: it fits every screen, and everybody can use it; and asking for it."""

_ALIKE = [  # rows like those before them, which would take axe seconds
    [".grid-row:nth-child(n+3)"],
    [".picker-row:nth-child(n+2)"],
    [".combos tbody tr:nth-child(n+3)"],
]
_QUICK = {"resultTypes": ["violations"], "preload": False, "iframes": False}
"""No lists of what is right, no media and no frames: pages have none."""


def check_widths(page):
    """Nothing overflows at any width."""
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        wide, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide == inner, f"{page.url} overflows at {width} px"


def check_page(page, part="html"):
    """Nothing overflows at any width, and axe has nothing to complain of, in both themes.

    part: what axe looks at, where another test has looked at the rest of the same page.
    """
    from axe_playwright_python.sync_playwright import Axe

    check_widths(page)
    context = {"include": [[part]], "exclude": _ALIKE}
    for options in ({}, {"runOnly": ["color-contrast"]}):  # the themes differ in colours only
        found = Axe().run(page, context=context, options={**_QUICK, **options})
        assert found.violations_count == 0, found.generate_report()
        page.locator("#theme").dispatch_event("click")  # also under an open list


_ASK = """async ([path, body]) => (await fetch("/api" + path, body ? {method: "POST",
  body: JSON.stringify(body), headers: {"content-type": "application/json"}} : {})).json()"""


def asked(page, path, body=None):
    """An answer of the interface, in the page's own session."""
    page.wait_for_timeout(30)  # a session has 40 requests a second
    return page.evaluate(_ASK, [path, body])


def solved(page, body):
    """The id of a spot that is solved now."""
    number = asked(page, "/spots", body)["id"]
    while asked(page, f"/spots/{number}")["state"] != "done":
        page.wait_for_timeout(100)
    return number
