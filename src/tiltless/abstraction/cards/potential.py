"""Potential-aware features: the distribution over the next street's buckets, not just equity."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import METRICS, Bucketing, Clustered
from tiltless.abstraction.cards.features import live_hands
from tiltless.cards.card import COMBO_COUNT
from tiltless.errors import ArrayError
from tiltless.kernels.cards.assign import L1, centroid_distances
from tiltless.kernels.cards.strength import SCALE, add_positions

__all__ = ["Potential", "places_of"]

Board = npt.NDArray[np.uint8]
_DIMS = 16


@dataclass(frozen=True, eq=False)
class Potential:
    """Potential-aware feature: the distribution over the next street's buckets, embedded.

    Buckets are not on a line, so each is embedded as a point, such that the squared distance of two
    points is the distance d of their centroids. The feature is the mean point over the next cards;
    the squared distance of two hands with distributions p and q is then

        E d(X, Y) - E d(X, X') / 2 - E d(Y, Y') / 2,  X and X' drawn from p, Y and Y' from q,

    half the energy distance (Székely & Rizzo 2004), a relative of the earth mover's distance that
    needs no optimisation: on a line it is L2 on cumulative histograms. With sixteen dimensions and
    integer coordinates it is approximate.
    Paper: Ganzfried & Sandholm (2014), "Potential-aware imperfect-recall abstraction with earth
    mover's distance in imperfect-information games", which approximates EMD instead.

    following: the buckets of the next street.  places: the points, int16
    ``[following.count, dims]``.
    """

    following: Bucketing
    places: npt.NDArray[np.int16] = field(repr=False)

    def __post_init__(self) -> None:
        if self.places.ndim != 2 or len(self.places) != self.following.count:
            raise ArrayError(
                f"places have shape {self.places.shape}; give one row for each of the "
                f"{self.following.count} buckets of the next street"
            )

    @property
    def text(self) -> str:
        """Name and parameters."""
        return "potential"

    @property
    def dims(self) -> int:
        """The dimension of the embedding."""
        return int(self.places.shape[1])

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the numbers."""
        return "potential", self.following.definition, self.places

    def _sums(self, board: Board) -> npt.NDArray[np.int64]:
        sums = np.zeros((COMBO_COUNT, self.places.shape[1]), np.int64)
        for card in np.setdiff1d(np.arange(52), board).astype(np.uint8):
            after = np.append(board, card)
            add_positions(self.following.buckets(after), live_hands(after), self.places, sums)
        return sums

    def whole(self, board: Board) -> npt.NDArray[np.int16]:
        """The mean point, rounded down, int16 ``[1326, dims]``."""
        return (self._sums(board) // (50 - len(board))).astype(np.int16)

    def exact(self, board: Board) -> npt.NDArray[np.float64]:
        """The probability of each next bucket, float64 ``[1326, following.count]``."""
        counts = np.zeros((COMBO_COUNT, self.following.count))
        for card in np.setdiff1d(np.arange(52), board).astype(np.uint8):
            after = np.append(board, card)
            live = live_hands(after) > 0
            counts[live, self.following.buckets(after)[live]] += 1
        counts /= 50 - len(board)
        counts[live_hands(board) == 0] = np.nan
        return counts


def places_of(following: Clustered, dims: int = _DIMS) -> npt.NDArray[np.int16]:
    """Points whose squared distances approximate the distances of the centroids.

    Classical multidimensional scaling: with D the matrix of distances and J = I - 1/n, -J D J / 2
    is positive semidefinite for both of our metrics (L1, and L2 not squared), and its largest
    eigenvalues with their eigenvectors give the points. They are scaled to integers up to
    `SCALE` / 2; the first axis points from weak to strong hands, as the order of the centroids.
    """
    count = following.count
    apart = np.empty((count, count), np.int32)
    metric = METRICS[following.metric]
    centroids = following.centroids
    centroid_distances(centroids.reshape(-1), centroids.shape[1], metric, apart)
    distance = apart.astype(np.float64) if metric == L1 else np.sqrt(apart)
    centred = distance - distance.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(-centred / 2)
    dims = min(dims, count)
    largest = np.argsort(values)[::-1][:dims]
    places = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    places *= np.where(np.arange(count) @ (places - places.mean(axis=0)) < 0, -1.0, 1.0)
    places *= SCALE / 2 / max(np.abs(places).max(), 1e-9)
    return np.asarray(np.rint(places), dtype=np.int16)
