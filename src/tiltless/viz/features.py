"""Pictures of hand features: bucket centroids, and the values of a feature for a few hands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing, Clustered
from tiltless.abstraction.cards.features import HandFeature, OpponentClusters, Strength, live_hands
from tiltless.abstraction.cards.potential import Potential
from tiltless.abstraction.cards.quality import equities
from tiltless.cards.card import CLASS_NAMES, Cards, cards_text, combo_index, combo_text, parse_cards
from tiltless.errors import CardError, OptionError
from tiltless.kernels.cards.strength import SCALE
from tiltless.viz.canvas import FilePath, Sheet, percent_axis, whole_number_axis
from tiltless.viz.colours import HEAT, IN_RANGE, PLAIN, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["centroids_png", "feature_png"]


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
        typical = sorted({len(inside) * part // 6 for part in (1, 3, 5)})
        labels.append("\n".join(CLASS_NAMES[inside[each]] for each in typical))
    return labels


def centroids_png(bucketing: Bucketing, path: FilePath, *, street: str = "") -> None:
    """Plot the centroid of each bucket, weak buckets at the bottom, strong ones at the top."""
    if not isinstance(bucketing, Clustered):
        raise OptionError(f"{bucketing.text} has no centroids; draw sizes or shared hands instead")
    feature, centroids = bucketing.feature, bucketing.centroids
    where = f"{street.capitalize()}: " if street else ""
    count = len(centroids)
    extent = (-0.5, count - 0.5)
    if _bins(feature):
        sheet = Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A row is a bucket. Bright: equities that its hands often end up with. "
            "White line: their average.",
        )
        axes = sheet.axes(Sheet.WITH_SCALE)
        image = _histograms(axes, _shares(centroids))
        sheet.scale(image, "share of the final boards", axes)
    elif isinstance(feature, OpponentClusters):
        sheet = Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A row is a bucket. The colour is its equity against a group of the opponent's hands, "
            "weak groups on the left.",
        )
        axes = sheet.axes((0.085, 0.18, 0.79, 0.66))
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
        sheet = Sheet(
            f"{where}where the next card leads from each of {count} buckets",
            "A dot is a bucket; dots that lie close lead to similar hands on the next street.",
        )
        axes = sheet.axes(Sheet.WITH_SCALE)
        points = centroids.astype(np.float64)
        across = points[:, 1] if points.shape[1] > 1 else np.zeros(count)
        image = axes.scatter(
            points[:, 0], across, c=np.arange(count), cmap=_heat_map(), s=26, linewidths=0
        )
        axes.set(xlabel="weak hands … strong hands", ylabel="other differences")
        axes.set(xticks=[], yticks=[])
        sheet.scale(image, "number of the bucket, the weakest first", axes, percent=False)
        sheet.save(path)
        return
    else:
        sheet = Sheet(
            f"{where}the typical hand of each of {count} buckets",
            "A dot is a bucket: how often its hands win against a random hand, on average.",
        )
        axes = sheet.axes()
        size = 16 if count > 50 else 60
        axes.scatter(
            centroids[:, 0] / SCALE, np.arange(count), s=size, color=IN_RANGE, linewidths=0
        )
        axes.set(xlim=(0, 1), xlabel="expected equity at showdown")
        percent_axis(axes.xaxis)
    axes.set(ylim=extent, ylabel="bucket, the weakest at the bottom")
    whole_number_axis(axes.yaxis)
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
    axes.plot(average, np.arange(count), color=PLAIN, linewidth=1.6)
    axes.set(xlabel="equity at showdown")
    percent_axis(axes.xaxis)
    return image


def _heat_map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("heat", HEAT)


def feature_png(
    feature: HandFeature, hands: Sequence[str], board: Cards, path: FilePath, *, title: str = ""
) -> None:
    """Plot a feature of a few hands on a board, one row of bars for each hand."""
    if not 1 <= len(hands) <= len(SERIES):
        raise OptionError(f"{len(hands)} hands in one picture; give 1 to {len(SERIES)}")
    cards = parse_cards(board)
    dealt = np.array(cards, np.uint8)
    combos = [combo_index(parse_cards(hand)) for hand in hands]
    for combo, hand in zip(combos, hands, strict=True):
        if not live_hands(dealt)[combo]:
            raise CardError(
                f"{hand} shares a card with the board {cards_text(cards)}; choose another"
            )
    values = feature.exact(dealt)[combos]
    equity = equities(dealt)[combos, 0]
    on = f" on {cards_text(cards)}" if cards else ""
    says, across, up = _axis_texts(feature)
    sheet = Sheet(title or f"{says}{on}", f"{feature.text}: each row is one hand")
    lowest = 0.18 if isinstance(feature, OpponentClusters) else 0.12
    room, most = (0.85 - lowest) / len(hands), float(np.nanmax(values))
    for row, combo in enumerate(combos):
        bottom = lowest + (len(combos) - 1 - row) * room
        axes = sheet.axes((0.085, bottom, 0.885, room - 0.07))
        name = f"{combo_text(combo)}, equity {100 * equity[row]:.0f}%"
        axes.set_title(name, loc="left", color=SERIES[row], size=12, weight="bold")
        _bars(axes, feature, values[row], SERIES[row])
        axes.set(ylim=(0, 1.08 * most), ylabel=up)
        percent_axis(axes.yaxis)
        if row < len(combos) - 1:
            axes.tick_params(labelbottom=False)
        else:
            axes.set(xlabel=across)
    sheet.save(path)


def _bars(axes: "Axes", feature: HandFeature, values: npt.NDArray[np.float64], colour: str) -> None:
    """The values of one hand, and the labels below them."""
    width = len(values)
    if _bins(feature):
        axes.bar(np.arange(width) / width, values, 1 / width, align="edge", color=colour)
        axes.set(xlim=(0, 1))
        percent_axis(axes.xaxis)
        return
    axes.bar(np.arange(width), values, max(0.6, width / 150), color=colour)
    axes.set(xlim=(-0.6 - width / 100, width - 0.4 + width / 100))
    if isinstance(feature, OpponentClusters):
        axes.set_xticks(range(width), _cluster_labels(feature))
    elif isinstance(feature, Strength):
        axes.set_xticks(range(width), ["E[HS]", "E[HS²]"])


def _axis_texts(feature: HandFeature) -> tuple[str, str, str]:
    """Title, x label and y label of a feature."""
    if _bins(feature):
        return "How often each equity is reached", "equity at showdown", "final boards"
    if isinstance(feature, OpponentClusters):
        across = "opponent's starting hands: weakest group … strongest group"
        return "Equity against weak and strong hands", across, "equity"
    if isinstance(feature, Potential):
        across = "bucket of the next street, the weakest first"
        return "Where the next card leads", across, "next cards"
    return "Expected strength", "", "equity"
