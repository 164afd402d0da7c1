"""Pictures of card abstractions: bucket sizes, spreads and shared buckets; the HTML report.

All are 1,000 x 640 pixels, but for the 13 x 13 grid, which is that of `tiltless.viz.grid`.
"""

import html
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, CardAbstraction, street_of
from tiltless.abstraction.cards.bucketing import Clustered
from tiltless.abstraction.cards.features import live_hands
from tiltless.abstraction.cards.quality import equities
from tiltless.abstraction.cards.quality_report import Report, StreetReport
from tiltless.cards.card import (
    CLASS_COUNT,
    CLASS_OF_COMBO,
    Cards,
    cards_text,
    check_disjoint,
    combo_index,
    combo_text,
    parse_cards,
)
from tiltless.errors import CardError
from tiltless.files.atomic import make_folder, write_text
from tiltless.viz.canvas import FilePath, Sheet, percent_axis, whole_number_axis
from tiltless.viz.colours import CELL, FOLD, HEAT, IN_RANGE, PAGE, PLAIN, heat_colour
from tiltless.viz.features import centroids_png
from tiltless.viz.grid import grid_png

__all__ = ["check_pictured", "sharing_png", "sizes_png", "spread_png", "write_report"]

_BOARD = "Ks7d2c9hJs"
_HAND = "AsQs"


def sizes_png(street: StreetReport, path: FilePath) -> None:
    """Plot the fraction of deals in each bucket, the largest first."""
    shares = np.sort(street.share)[::-1]
    sheet = Sheet(
        f"{street.name.capitalize()}: how large the {street.used:,} buckets are",
        f"As mixed as {street.effective:,.0f} buckets of equal size.",
        street.sample_text,
    )
    axes = sheet.axes()
    edges = np.arange(len(shares) + 1)
    axes.stairs(shares, edges, fill=True, color=IN_RANGE)
    axes.axhline(1 / len(shares), color=PLAIN, linewidth=1.2, linestyle="--")
    axes.set(xlim=(0, len(shares)), ylim=(0, 1.1 * shares[0]))
    axes.set(xlabel="buckets, the largest first", ylabel="share of deals")
    whole_number_axis(axes.xaxis)
    axes.annotate(
        "if all were equal",
        (len(shares), 1 / len(shares)),
        (-8, 6),
        textcoords="offset points",
        ha="right",
        color=PLAIN,
        size=11,
    )
    percent_axis(axes.yaxis)
    sheet.save(path)


def spread_png(street: StreetReport, path: FilePath) -> None:
    """Plot the mean equity of each bucket and its spread."""
    order = np.argsort(street.equity, kind="stable")
    mean, spread = street.equity[order], street.spread[order]
    sheet = Sheet(
        f"{street.name.capitalize()}: how alike the hands of a bucket are",
        f"Hands of a bucket differ by {100 * street.mean_spread:.1f} points of equity. "
        f"Buckets keep {100 * street.explained:.1f}% of the variance of equity.",
        street.sample_text,
    )
    axes = sheet.axes()
    across = np.arange(len(mean))
    axes.fill_between(
        across,
        np.maximum(mean - spread, 0),
        np.minimum(mean + spread, 1),
        color=FOLD,
        alpha=0.75,
        linewidth=0.8,
        label="about two thirds of its hands",
    )
    axes.plot(across, mean, color=PLAIN, linewidth=1.3, label="average of the bucket")
    axes.set(xlim=(0, max(len(mean) - 1, 1)), ylim=(0, 1))
    axes.set(xlabel="buckets, the weakest first", ylabel="equity against a random hand")
    whole_number_axis(axes.xaxis)
    axes.grid(True, color=CELL, linewidth=0.8)
    axes.set_axisbelow(True)
    percent_axis(axes.yaxis)
    axes.legend(loc="upper left", frameon=False, labelcolor=PLAIN, fontsize=11)
    sheet.save(path)


def sharing_png(abstraction: CardAbstraction, hand: Cards, board: Cards, path: FilePath) -> None:
    """The 13 x 13 grid of a board: colours are buckets, blue are the hands in the bucket of a hand.

    A cell is divided among the buckets of its combos, weak ones on the left; the colour is the mean
    E[HS] of the bucket's hands on this board.
    """
    hole, cards = parse_cards(hand), parse_cards(board)
    if len(hole) != 2:
        raise CardError(
            f"{cards_text(hole) or 'nothing'} is not a hand; write two cards, such as AsKd"
        )
    check_disjoint(hand=hole, board=cards)
    dealt = np.array(cards, np.uint8)
    live = live_hands(dealt) > 0
    buckets = abstraction.buckets(cards).astype(np.int64)
    _, group = np.unique(np.where(live, buckets, -1), return_inverse=True)
    equity = np.where(live, equities(dealt, abstraction.order)[:, 0], 0.0)
    mean_equity = np.bincount(group, equity) / np.bincount(group)
    mine = buckets == buckets[combo_index(hole)]
    low, high = float(mean_equity[group[live]].min()), float(mean_equity[group[live]].max())
    cells: list[tuple[tuple[float, str], ...]] = []
    notes = []
    for cell in range(CLASS_COUNT):
        combos = np.flatnonzero((cell == CLASS_OF_COMBO) & live)
        shared = int(mine[combos].sum())
        parts: list[tuple[float, str]] = []
        for combo in combos[np.argsort(mean_equity[group[combos]], kind="stable")]:
            colour = (
                FOLD if mine[combo] else heat_colour(float(mean_equity[group[combo]]), low, high)
            )
            if parts and parts[-1][1] == colour:
                parts[-1] = (parts[-1][0] + 1 / len(combos), colour)
            else:
                parts.append((1 / len(combos), colour))
        cells.append(tuple(parts))
        notes.append("" if shared in (0, len(combos)) else f"{shared}/{len(combos)}")
    name = combo_text(combo_index(hole))
    street = STREETS[street_of(len(cards))]
    met = len(np.unique(buckets[live]))
    together = int(mine[live].sum())
    count = abstraction.counts[street_of(len(cards))]
    scale = [("low equity", ""), *(("", colour) for colour in HEAT), ("high", "")]
    grid_png(
        cells,
        path,
        notes=notes,
        title=f"{street.capitalize()}: hands that are played like {name}",
        subtitle=f"{together} of {int(live.sum()):,} hands share its bucket; "
        f"{met} of {count:,} buckets here",
        legend=[*scale, ("", PAGE), (f"bucket of {name}", FOLD)],
        board=cards,
    )


def check_pictured(hand: Cards, board: Cards) -> tuple[int, ...]:
    """The five cards of the board; `CardError` if these cards cannot be pictured."""
    hole, cards = parse_cards(hand), parse_cards(board)
    if len(hole) != 2:
        raise CardError(
            f"{cards_text(hole) or 'nothing'} is not a hand; write two cards, such as AsKd"
        )
    if len(cards) != BOARD_CARDS[-1]:
        raise CardError(
            f"{cards_text(cards) or 'no board'} is given; give five cards, up to the river"
        )
    check_disjoint(hand=hole, board=cards)
    return cards


def write_report(
    report: Report, folder: FilePath, *, hand: Cards = _HAND, board: Cards = _BOARD
) -> list[Path]:
    """Write ``report.txt``, ``report.json``, pictures and ``index.html``; return their paths.

    hand, board: for the pictures of hands that share a bucket; a board of five cards, of which each
    street shows its own. The index is written last, so that it never names what is not there.
    """
    cards = check_pictured(hand, board)
    where, abstraction = make_folder(folder), report.abstraction
    write_text(where / "report.txt", report.text())
    write_text(where / "report.json", json.dumps(report.as_json(), indent=1) + "\n")
    pictures: list[str] = []

    def picture(name: str) -> Path:
        pictures.append(name)
        return where / name

    for street in report.streets:
        name = street.name
        rule = abstraction.streets[street.street]
        if isinstance(rule, Clustered):
            centroids_png(rule, picture(f"{name}-centroids.png"), street=name)
        sizes_png(street, picture(f"{name}-sizes.png"))
        spread_png(street, picture(f"{name}-spread.png"))
        seen = cards[: BOARD_CARDS[street.street]]
        sharing_png(abstraction, hand, seen, picture(f"{name}-shared.png"))
    write_text(where / "index.html", _index(report, pictures))
    return [where / name for name in ("index.html", "report.txt", "report.json", *pictures)]


def _index(report: Report, pictures: Sequence[str]) -> str:
    title = html.escape(f"Card abstraction {report.abstraction.name}")
    images = "\n".join(f'<p><img src="{name}" alt="{name[:-4]}"></p>' for name in pictures)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        "<style>body{background:#111214;color:#f5f5f5;font:15px sans-serif;margin:2em auto;"
        "max-width:1000px}pre{overflow-x:auto;font-size:13px}img{max-width:100%}"
        "a{color:#eab308}</style>\n"
        f"<h1>{title}</h1>\n<pre>{html.escape(report.text())}</pre>\n"
        f'<p><a href="report.json">The same numbers as JSON</a></p>\n{images}\n</html>\n'
    )
