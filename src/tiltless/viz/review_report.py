"""HTML report of a review: one page without scripts, fonts or other files.

First what the play is worth and where it loses, then the worst decisions, each with the EV of every
action and the grid of what all other hands do there.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape

from tiltless._version import __version__
from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO, combo_index, parse_cards
from tiltless.cards.card import card_text as plain_card
from tiltless.search.review import GRADES
from tiltless.search.review_rows import DecisionRow, Option
from tiltless.search.review_totals import ReviewTotals, TotalLine
from tiltless.viz.colours import SUIT_TILES, SUITS
from tiltless.viz.report import html_page
from tiltless.viz.strategy_grid import action_colours

__all__ = ["option_words", "review_html"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.value { font-size: 1.25rem; font-weight: 600; margin: .4rem 0; }
.quiet { opacity: .7; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
tr.taken td { background: var(--soft); font-weight: 600; }
.totals { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 2.5rem; }
.decision { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 1rem 0;
  border-top: 1px solid var(--line); }
.decision > div { flex: 1 1 24rem; }
.card { display: inline-block; color: #fff; border-radius: 4px; padding: 0 .35rem; margin: 0 .1rem;
  font-weight: 600; }
.bar { display: inline-block; height: .7rem; border-radius: 2px; vertical-align: middle; }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; }
figure { flex: 0 0 auto; margin: 0; max-width: 21.5rem; }
figcaption { font-size: .85rem; opacity: .7; }
.blunder, .mistake { color: #dc2626; font-weight: 600; }
.inaccuracy { color: #d97706; font-weight: 600; }
@media (max-width: 30rem) { th, td { padding: .2rem .35rem; } }
"""
_SIDE = 26  # of a cell, in pixels
_GRADES = (
    "Bets are in big blinds. By what it cost, as a share of the pot, a decision is "
    + ", ".join(f"{name} up to {100 * most:g} %" for name, most in GRADES.items() if most < 1)
    + f", and a {list(GRADES)[-1]} above. An estimate is graded by the lower end of its interval, "
    "and unclear if that is near 0."
)


def review_html(
    totals: ReviewTotals, rows: Sequence[DecisionRow], *, hero: str, source: str, settings: str
) -> str:
    """The page.  rows: the decisions to show, the worst first.  settings: how it was judged."""
    title = f"Review of {hero}"
    leaks = [each for each in totals.tendencies if each.is_leak]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(source)}, {totals.hands:,} hands, of which {totals.judged:,} '
        f"were judged. {escape(settings)}</p>",
        f'<p class="value">{escape(_sentence(totals.sentence))}</p>',
        "<p>The cost of a decision is the EV of the best action less that of the one taken, in big "
        "blinds, against the range that the opponent had by then if it plays like the blueprint; "
        "cards that the opponent showed are not used.</p>",
        *(
            f"<p>Not judged: {count:,} hand{'s' * (count != 1)} ({escape(reason)}).</p>"
            for reason, count in totals.unjudged
        ),
        '<div class="totals">',
        *(
            _totals(name, lines)
            for name, lines in (
                ("street", totals.streets),
                ("position", totals.positions),
                ("kind of mistake", totals.kinds),
            )
        ),
        "</div>",
        "<h2>Leaks</h2>" if leaks else "<h2>No leak can be told from chance</h2>",
        *(f"<p>{escape(str(each))}.</p>" for each in leaks),
        '<p class="quiet">How often you fold, bet and raise, beside the solution with the same '
        "cards in the same spots; a leak is three standard deviations away.</p>",
        f'<p class="quiet">{escape(_sentence(totals.accuracy_words))}</p>'
        if totals.accuracy_words
        else "",
        f"<h2>The {len(rows)} worst decisions</h2>" if rows else "",
        f'<p class="quiet">{escape(_GRADES)}</p>' if rows else "",
        *map(_decision, rows),
        f'<p class="quiet">tiltless {__version__}</p>',
    ]
    return html_page(title, _STYLE, parts)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def option_words(option: Option) -> tuple[str, str, str]:
    """``+1.25``, ``± 0.10`` and ``40%``; empty where nothing is known."""
    ev = "" if math.isnan(option.ev) else f"{option.ev:+.2f}"
    error = f"± {option.error:.2f}" if ev and option.error > 0 else ""
    chance = "" if math.isnan(option.chance) else f"{100 * option.chance:.0f}%"
    return ev, error, chance


def _totals(name: str, lines: Iterable[TotalLine]) -> str:
    rows = "".join(
        f"<tr><td>{escape(each.name)}</td><td>{each.decisions:,}</td><td>{each.mistakes:,}</td>"
        f"<td>{each.cost:.2f}</td><td>{each.rate:.1f}</td></tr>"
        for each in lines
    )
    return (
        f"<table><tr><th>{escape(name)}</th><th>decisions</th><th>mistakes</th><th>cost, bb</th>"
        f"<th>bb/100</th></tr>{rows}</table>"
    )


def _decision(row: DecisionRow) -> str:
    assert row.cost is not None
    half = f" ± {row.cost.half_width:.2f}" if row.cost.half_width > 0 else ""
    how = (
        f"solved to {row.exploitability:.1f} % of the pot"
        if row.solved
        else "estimated by playouts of the blueprint"
    )
    colours = dict(zip(row.actions, action_colours(row.actions), strict=True))
    options = "".join(_option(row, each, colours.get(each.action, "#888")) for each in row.options)
    return (
        f'<section class="decision"><div><strong>Hand {row.hand}, {escape(row.street)}, '
        f"{escape(row.position)}</strong> {_cards(row.cards)}"
        f"{' on ' + _cards(row.board) if row.board else ''}<br>"
        f'<span class="quiet">{_story(row)}</span>'
        f"<p>You chose <strong>{escape(row.taken)}</strong>; <strong>{escape(row.best)}</strong> "
        f"is better by {row.cost.mean:.2f}{half} bb: "
        f'<span class="{row.grade}">{escape(row.verdict)}</span>.</p>'
        "<table><tr><th>action</th><th>EV, bb</th><th></th><th>strategy, this hand</th></tr>"
        f"{options}</table>"
        f'<p class="quiet">{escape(how)}</p></div>{_grid(row, list(colours.values()))}</section>'
    )


def _story(row: DecisionRow) -> str:
    """What happened before the decision, street by street."""
    lines = [f"{escape(street)}: {escape(words)}" for street, words in row.story]
    facing = "a bet to call" if row.faced else "nothing to call"
    return "<br>".join([*lines, f"now a pot of {row.pot:g} and {facing}"])


def _option(row: DecisionRow, option: Option, colour: str) -> str:
    ev, error, chance = option_words(option)
    taken = ' class="taken"' if option.action == row.action else ""
    width = 0.0 if math.isnan(option.chance) else 4 * option.chance
    bar = f'<span class="bar" style="width:{width:.1f}rem;background:{colour}"></span>'
    return (
        f'<tr{taken}><td><span class="key" style="background:{colour}"></span> '
        f"{escape(option.label)}</td><td>{ev}</td><td>{error}</td>"
        f'<td style="text-align:left">{bar} {chance}</td></tr>'
    )


def _cards(text: str) -> str:
    return "".join(
        f'<span class="card" style="background:{SUIT_TILES[card & 3]}">'
        f"{plain_card(card)[0]}{SUITS[card & 3]}</span>"
        for card in parse_cards(text)
    )


def _grid(row: DecisionRow, colours: Sequence[str]) -> str:
    """The grid as SVG: each class filled by its weight, in the colours of its actions."""
    held = int(CLASS_OF_COMBO[combo_index(row.cards)])
    most = max(float(row.weight.max()), 1e-9)
    size, parts = 13 * _SIDE, list[str]()
    for hand, name in enumerate(CLASS_NAMES):
        y, x = (_SIDE * each for each in divmod(hand, 13))
        parts.append(f'<rect x="{x}" y="{y}" width="25" height="25" fill="#8882"/>')
        height = 25 * math.sqrt(min(float(row.weight[hand]) / most, 1.0))
        left = float(x)
        for share, colour in zip(row.strategy[hand].tolist(), colours, strict=True):
            if share > 0.005 and height > 0.5:
                parts.append(
                    f'<rect x="{left:.1f}" y="{y + 25 - height:.1f}" width="{25 * share:.1f}" '
                    f'height="{height:.1f}" fill="{colour}"/>'
                )
                left += 25 * share
        if hand == held:
            parts.append(
                f'<rect x="{x}" y="{y}" width="25" height="25" fill="none" stroke="currentColor" '
                'stroke-width="3"/>'
            )
        parts.append(f'<text x="{x + 2}" y="{y + 10}">{name}</text>')
    return (
        f'<figure><svg role="img" aria-label="what every hand does here" width="{size}" '
        f'height="{size}" '
        f'viewBox="-2 -2 {size + 4} {size + 4}" font-size="8" fill="currentColor" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg><figcaption>What the strategy '
        "does with every hand you could have here, in the colours of the actions; the fuller a "
        "cell, the more often the hand gets here. Yours is framed.</figcaption></figure>"
    )
