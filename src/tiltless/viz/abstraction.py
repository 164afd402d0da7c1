"""Pictures of card abstractions, as PNG files: centroids, sizes, spreads, shared buckets.

All are 1,000 x 640 pixels, but for the 13 x 13 grid, which is that of `tiltless.viz.grid`.
matplotlib is imported when a picture is made, not before.
"""

import html
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, CardAbstraction, street_of
from tiltless.abstraction.cards.bucketing import Bucketing, Clustered
from tiltless.abstraction.cards.features import HandFeature, OpponentClusters, Strength, live_hands
from tiltless.abstraction.cards.potential import Potential
from tiltless.abstraction.cards.quality import Report, StreetReport, equities
from tiltless.cards.card import (
    CLASS_COUNT,
    CLASS_NAMES,
    CLASS_OF_COMBO,
    Cards,
    cards_text,
    check_disjoint,
    combo_index,
    combo_text,
    parse_cards,
)
from tiltless.errors import CardError, OptionError
from tiltless.files.atomic import make_folder, write_bytes, write_text
from tiltless.kernels.cards.strength import SCALE
from tiltless.viz.grid import FOLD, HEAT, grid_png, heat_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "HEIGHT",
    "WIDTH",
    "centroids_png",
    "check_pictured",
    "feature_png",
    "sharing_png",
    "sizes_png",
    "spread_png",
    "write_report",
]

FilePath = str | os.PathLike[str]

WIDTH, HEIGHT = 1000, 640  # pixels
_PAGE, _PANEL, _FAINT, _PLAIN = "#111214", "#1b1d21", "#8b8f98", "#f5f5f5"
_LINE, _BAND, _BAR = "#f5f5f5", "#3b82f6", "#eab308"
_HANDS = ("#eab308", "#3b82f6", "#22c55e", "#ec4899", "#a855f7", "#f97316")
_BOARD = "Ks7d2c9hJs"
_HAND = "AsQs"


_WHOLE = (0.085, 0.13, 0.885, 0.71)
_WITH_SCALE = (0.085, 0.13, 0.805, 0.71)  # leaves room for a colour scale
Place = tuple[float, float, float, float]


class _Sheet:
    """A dark page with a title, a line under it, and room for plots; note: for the lower corner."""

    def __init__(self, title: str, subtitle: str, note: str = "") -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor=_PAGE)
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self._write(0.085, 0.935, title, 16, _PLAIN, weight="bold")
        self._write(0.085, 0.88, subtitle, 11, _FAINT)
        self._write(0.97, 0.025, note, 9, _FAINT, ha="right")

    def _write(self, x: float, y: float, text: str, size: float, ink: str, **more: Any) -> None:
        line = self.figure.text(x, y, text, size=size, color=ink, parse_math=False, **more)
        while line.get_window_extent().width > 0.885 * WIDTH and size > 6:
            size -= 0.5
            line.set_fontsize(size)

    def axes(self, place: Place = _WHOLE) -> "Axes":
        axes = self.figure.add_axes(place, facecolor=_PANEL)
        self.style(axes)
        return axes

    def style(self, axes: "Axes") -> None:
        axes.tick_params(colors=_PLAIN, labelsize=10)
        for side in axes.spines.values():
            side.set_color("#3f434b")
        for label in (axes.xaxis.label, axes.yaxis.label):
            label.set(color=_PLAIN, size=12)

    def scale(self, image: Any, label: str, beside: "Axes", percent: bool = True) -> None:
        """A colour scale on the right."""
        at = beside.get_position()
        place = self.figure.add_axes((0.905, at.y0, 0.018, at.height))
        scale = self.figure.colorbar(image, cax=place)
        if percent:
            _percents(place.yaxis)
        scale.set_label(label, size=11)
        self.style(place)

    def save(self, path: FilePath) -> None:
        buffer = io.BytesIO()
        self.canvas.print_png(buffer, metadata={"Software": None})
        write_bytes(path, buffer.getvalue())


def _percents(axis: Any) -> None:
    """Label an axis in percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, None))


def _whole_numbers(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(10, integer=True))


def _bins(feature: HandFeature) -> int:
    """Bins of a cumulative histogram; 0 for other features."""
    return int(getattr(feature, "bins", 0))


def _shares(centroids: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """Histograms of cumulative centroids, float64 ``[count, bins]``."""
    rows = len(centroids)
    ends = np.full((rows, 1), SCALE), np.zeros((rows, 1))
    edges = np.concatenate([ends[1], centroids, ends[0]], axis=1)
    return np.asarray(np.diff(edges, axis=1) / SCALE)


def _cluster_labels(feature: OpponentClusters) -> list[str]:
    """Three typical starting hands of each opponent cluster, one under the other."""
    labels = []
    for cluster in range(feature.count):
        inside = np.flatnonzero(feature.clusters == cluster)
        places = sorted({len(inside) * part // 6 for part in (1, 3, 5)})
        labels.append("\n".join(CLASS_NAMES[inside[place]] for place in places))
    return labels


def centroids_png(bucketing: Bucketing, path: FilePath, *, street: str = "") -> None:
    """What the typical hand of each bucket looks like, weak buckets below, strong ones above."""
    if not isinstance(bucketing, Clustered):
        raise OptionError(f"{bucketing.text} has no centroids; draw sizes or shared hands instead")
    feature, centroids = bucketing.feature, bucketing.centroids
    where = f"{street.capitalize()}: " if street else ""
    count = len(centroids)
    extent = (-0.5, count - 0.5)
    if _bins(feature):
        sheet = _Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A row is a bucket. Bright: equities that its hands often end up with. "
            "White line: their average.",
        )
        axes = sheet.axes(_WITH_SCALE)
        image = _histograms(axes, _shares(centroids))
        sheet.scale(image, "share of the final boards", axes)
    elif isinstance(feature, OpponentClusters):
        sheet = _Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A row is a bucket. The colour is its equity against a group of the opponent's hands, "
            "weak groups on the left.",
        )
        axes = sheet.axes((0.085, 0.18, 0.805, 0.66))
        values = centroids[:, : feature.count] / SCALE
        image = axes.imshow(
            values,
            aspect="auto",
            origin="lower",
            interpolation="nearest",
            cmap=_heat_map(),
            vmin=0,
            vmax=1,
        )
        axes.set_xticks(range(feature.count), _cluster_labels(feature))
        axes.set(xlabel="opponent's starting hands: weakest group … strongest group")
        sheet.scale(image, "equity against the group", axes)
    elif isinstance(feature, Potential):
        sheet = _Sheet(
            f"{where}where the next card leads from each of {count} buckets",
            "A dot is a bucket; dots that lie close lead to similar hands on the next street.",
        )
        axes = sheet.axes(_WITH_SCALE)
        places = centroids.astype(np.float64)
        across = places[:, 1] if places.shape[1] > 1 else np.zeros(count)
        image = axes.scatter(
            places[:, 0], across, c=np.arange(count), cmap=_heat_map(), s=26, linewidths=0
        )
        axes.set(xlabel="weak hands … strong hands", ylabel="other differences")
        axes.set(xticks=[], yticks=[])
        sheet.scale(image, "number of the bucket, the weakest first", axes, percent=False)
        sheet.save(path)
        return
    else:
        sheet = _Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A dot is a bucket: how often its hands win against a random hand, on average.",
        )
        axes = sheet.axes()
        axes.scatter(centroids[:, 0] / SCALE, np.arange(count), s=16, color=_BAR, linewidths=0)
        axes.set(xlim=(0, 1), xlabel="expected equity at showdown")
        _percents(axes.xaxis)
    axes.set(ylim=extent, ylabel="bucket, the weakest at the bottom")
    _whole_numbers(axes.yaxis)
    sheet.save(path)


def _histograms(axes: "Axes", shares: npt.NDArray[np.float64]) -> Any:
    from matplotlib.colors import PowerNorm

    count, bins = shares.shape
    image = axes.imshow(
        shares,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
        extent=(0, 1, -0.5, count - 0.5),
        cmap="inferno",
        norm=PowerNorm(0.45, 0, float(np.quantile(shares.max(axis=1), 0.9))),
    )
    average = shares @ ((np.arange(bins) + 0.5) / bins)
    axes.plot(average, np.arange(count), color=_LINE, linewidth=1.6)
    axes.set(xlabel="equity at showdown")
    _percents(axes.xaxis)
    return image


def _heat_map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("heat", HEAT)


def sizes_png(street: StreetReport, path: FilePath) -> None:
    """How many deals fall into each bucket, the largest first."""
    shares = np.sort(street.share)[::-1]
    sheet = _Sheet(
        f"{street.name.capitalize()}: how large the {street.used:,} buckets are",
        f"As mixed as {street.effective:,.0f} buckets of equal size.",
        street.sample_text,
    )
    axes = sheet.axes()
    edges = np.arange(len(shares) + 1)
    axes.stairs(shares, edges, fill=True, color=_BAR)
    axes.axhline(1 / len(shares), color=_LINE, linewidth=1.2, linestyle="--")
    axes.set(xlim=(0, len(shares)), ylim=(0, 1.1 * shares[0]))
    axes.set(xlabel="buckets, the largest first", ylabel="share of deals")
    _whole_numbers(axes.xaxis)
    axes.annotate(
        "if all were equal",
        (len(shares), 1 / len(shares)),
        (-8, 6),
        textcoords="offset points",
        ha="right",
        color=_PLAIN,
        size=11,
    )
    _percents(axes.yaxis)
    sheet.save(path)


def spread_png(street: StreetReport, path: FilePath) -> None:
    """The mean equity of each bucket, and how much its hands differ."""
    order = np.argsort(street.equity, kind="stable")
    mean, spread = street.equity[order], street.spread[order]
    sheet = _Sheet(
        f"{street.name.capitalize()}: how alike the hands of a bucket are",
        f"Hands of a bucket differ by {100 * street.mean_spread:.1f} points of equity. "
        f"Buckets keep {100 * street.explained:.1f}% of the variance of equity.",
        street.sample_text,
    )
    axes = sheet.axes()
    places = np.arange(len(mean))
    axes.fill_between(
        places,
        np.maximum(mean - spread, 0),
        np.minimum(mean + spread, 1),
        color=_BAND,
        alpha=0.75,
        linewidth=0.8,
        label="about two thirds of its hands",
    )
    axes.plot(places, mean, color=_LINE, linewidth=1.3, label="average of the bucket")
    axes.set(xlim=(0, max(len(mean) - 1, 1)), ylim=(0, 1))
    axes.set(xlabel="buckets, the weakest first", ylabel="equity against a random hand")
    _whole_numbers(axes.xaxis)
    axes.grid(True, color="#2a2c31", linewidth=0.8)
    axes.set_axisbelow(True)
    _percents(axes.yaxis)
    axes.legend(loc="upper left", frameon=False, labelcolor=_PLAIN, fontsize=11)
    sheet.save(path)


def sharing_png(abstraction: CardAbstraction, hand: Cards, board: Cards, path: FilePath) -> None:
    """The 13 x 13 grid of a board: colours are buckets, blue are the hands in the bucket of a hand.

    A cell is divided among the buckets of its combos, weak ones on the left; the colour is the mean
    E[HS] of the bucket's hands on this board.
    """
    hole, cards = parse_cards(hand), parse_cards(board)
    if len(hole) != 2:
        raise CardError(f"{cards_text(hole) or 'nothing'} is not a hand; write two cards as AsKd")
    check_disjoint(hand=hole, board=cards)
    dealt = np.array(cards, np.uint8)
    live = live_hands(dealt) > 0
    buckets = abstraction.buckets(cards).astype(np.int64)
    _, place = np.unique(np.where(live, buckets, -1), return_inverse=True)
    equity = np.where(live, equities(dealt, abstraction.order)[:, 0], 0.0)
    worth = np.bincount(place, equity) / np.bincount(place)
    mine = buckets == buckets[combo_index(hole)]
    low, high = float(worth[place[live]].min()), float(worth[place[live]].max())
    cells: list[tuple[tuple[float, str], ...]] = []
    notes = []
    for cell in range(CLASS_COUNT):
        combos = np.flatnonzero((cell == CLASS_OF_COMBO) & live)
        shared = int(mine[combos].sum())
        parts: list[tuple[float, str]] = []
        for combo in combos[np.argsort(worth[place[combos]], kind="stable")]:
            colour = FOLD if mine[combo] else heat_colour(float(worth[place[combo]]), low, high)
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
    scale = [("weak", ""), *(("", colour) for colour in HEAT), ("strong", "")]
    grid_png(
        cells,
        path,
        notes=notes,
        title=f"{street.capitalize()}: hands that are played like {name}",
        subtitle=f"{together} of {int(live.sum()):,} hands share its bucket; "
        f"{met} of {count:,} buckets here",
        legend=[*scale, ("", _PAGE), (f"with {name}", FOLD)],
        board=cards,
    )


def feature_png(
    feature: HandFeature, hands: Sequence[str], board: Cards, path: FilePath, *, title: str = ""
) -> None:
    """What a feature says about a few hands on a board, one row of bars for each."""
    if not 1 <= len(hands) <= len(_HANDS):
        raise OptionError(f"{len(hands)} hands in one picture; give 1 to {len(_HANDS)}")
    cards = parse_cards(board)
    dealt = np.array(cards, np.uint8)
    combos = [combo_index(parse_cards(hand)) for hand in hands]
    for combo, hand in zip(combos, hands, strict=True):
        if not live_hands(dealt)[combo]:
            raise CardError(
                f"{hand} shares a card with the board {cards_text(cards)}; take another"
            )
    values = feature.exact(dealt)[combos]
    equity = equities(dealt)[combos, 0]
    on = f" on {cards_text(cards)}" if cards else ""
    says, across, up = _axis_texts(feature)
    sheet = _Sheet(title or f"{says}{on}", f"{feature.text}: each row is one hand")
    lowest = 0.18 if isinstance(feature, OpponentClusters) else 0.12
    room, most = (0.85 - lowest) / len(hands), float(np.nanmax(values))
    for row, combo in enumerate(combos):
        bottom = lowest + (len(combos) - 1 - row) * room
        axes = sheet.axes((0.085, bottom, 0.885, room - 0.07))
        name = f"{combo_text(combo)}, equity {100 * equity[row]:.0f}%"
        axes.set_title(name, loc="left", color=_HANDS[row], size=12, weight="bold")
        _bars(axes, feature, values[row], _HANDS[row])
        axes.set(ylim=(0, 1.08 * most), ylabel=up)
        _percents(axes.yaxis)
        if row < len(combos) - 1:
            axes.tick_params(labelbottom=False)
        else:
            axes.set(xlabel=across)
    sheet.save(path)


def _bars(axes: "Axes", feature: HandFeature, values: npt.NDArray[np.float64], colour: str) -> None:
    """The values of one hand, and what is written below them."""
    width = len(values)
    if _bins(feature):
        axes.bar(np.arange(width) / width, values, 1 / width, align="edge", color=colour)
        axes.set(xlim=(0, 1))
        _percents(axes.xaxis)
        return
    axes.bar(np.arange(width), values, max(0.6, width / 150), color=colour)
    axes.set(xlim=(-0.6 - width / 100, width - 0.4 + width / 100))
    if isinstance(feature, OpponentClusters):
        axes.set_xticks(range(width), _cluster_labels(feature))
    elif isinstance(feature, Strength):
        axes.set_xticks(range(width), ["E[HS]", "E[HS²]"])


def _axis_texts(feature: HandFeature) -> tuple[str, str, str]:
    """What the feature shows, its axis across and its axis up."""
    if _bins(feature):
        return "How often each equity is reached", "equity at showdown", "final boards"
    if isinstance(feature, OpponentClusters):
        across = "opponent's starting hands: weakest group … strongest group"
        return "Equity against weak and strong hands", across, "equity"
    if isinstance(feature, Potential):
        across = "bucket of the next street, the weakest first"
        return "Where the next card leads", across, "next cards"
    return "Expected strength", "", "equity"


def check_pictured(hand: Cards, board: Cards) -> tuple[int, ...]:
    """The five cards of the board; `CardError` if these cards cannot be pictured."""
    hole, cards = parse_cards(hand), parse_cards(board)
    if len(hole) != 2:
        raise CardError(f"{cards_text(hole) or 'nothing'} is not a hand; write two cards as AsKd")
    if len(cards) != BOARD_CARDS[-1]:
        raise CardError(f"{cards_text(cards) or 'no board'} is given; five cards show all streets")
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
