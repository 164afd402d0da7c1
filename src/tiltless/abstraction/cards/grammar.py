"""Bucket grammar: the buckets of a street as text, such as ``"histogram 200 l1"``, ``"ochs 200"``.

::

    lossless             equal up to suits                         169 / 1,286,792 / …
    suitless             169 classes x ranks of the board          169 / 76,895 / …
    ranks                ranks of the hole cards (preflop)         91
    bins N               N equal intervals of E[HS]
    strength N           N clusters of E[HS]
    strength2 N          N clusters of (E[HS], E[HS^2])
    histogram N          N clusters of 50-bin equity histograms; histogram(20) for 20 bins
    ochs N               N clusters of the equities against 8 opponent clusters; ochs(5) for 5
    potential N          N clusters of the distribution over the next street's buckets
    run-histogram N      histogram N for River of Blood, whose boards continue after a red river
    next-card N + M      the same from the river on: N intervals of equity if the newest card is
                         black, M clusters of histograms over the next card if it is red
    boards B x …         B clusters of boards, each with its own bins, strength, strength2,
                         histogram or ochs buckets: ``boards 60 x histogram 60`` has 3,600; in
                         ``boards 24 x next-card 10 + 200`` black rivers have 24 x 10

A metric may follow the number of clusters: ``l1`` (on cumulative histograms: the earth mover's
distance) or ``l2``, the default. A card abstraction is four such texts separated by commas; in
River of Blood more may follow for boards of six cards, seven and so on, and the last one is also
for all longer boards.
"""

import re
from dataclasses import dataclass, replace

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, street_name
from tiltless.cards.card import CLASS_COUNT
from tiltless.errors import OptionError

__all__ = ["StreetText", "parse_streets"]

_FORM = re.compile(r"([a-z]+2?|run-histogram)(?:\((\d{1,9})\))?(?: (\d+))?(?: (l1|l2))?")
_NEXT_CARD = re.compile(r"next-card(?:\((\d{1,3})\))? (\d{1,5}) ?\+ ?(\d{1,5})")
_BOARDS = re.compile(r"boards (\d{1,9}) x (.*)")
_OF_BOARDS = ("bins", "strength", "strength2", "histogram", "ochs")
_PLAIN = ("lossless", "suitless", "ranks")
_SIZED = {
    "strength": 1,
    "strength2": 2,
    "histogram": 50,
    "ochs": 8,
    "potential": 16,
    "run-histogram": 50,
}
_EXAMPLE = "write lossless, bins 190, histogram 200 l1, ochs 200 or potential 200"
_MOST_BINS = 128  # with more, a squared distance may not fit into 32 bits
_MOST = {"histogram": (2, _MOST_BINS), "ochs": (1, 64), "run-histogram": (2, _MOST_BINS)}
_LONGEST = 12  # streets; one board in ten thousand is longer
_MOST_BOARDS = 256  # a label is a byte
_MOST_PRODUCT = 1 << 16  # a bucket is a uint16
_MOST_CLUSTERS = 8000  # the nearest-centroid search stores all pairwise distances


@dataclass(frozen=True)
class StreetText:
    """The parsed buckets of one street: kind, size of the feature, number of buckets, metric.

    boards: clusters of boards, each with ``count`` buckets of hands; 0 if boards are not clustered.
    black: with next-card, buckets of boards that have ended; ``count`` has those that grow.
    """

    kind: str
    size: int = 0
    count: int = 0
    metric: str = ""
    boards: int = 0
    black: int = 0

    @property
    def runs_on(self) -> bool:
        """Whether these are for boards that continue after a red river."""
        return self.kind in ("run-histogram", "next-card")

    @classmethod
    def parse(cls, text: str, street: int) -> "StreetText":
        """Parse one text and check that it is valid on the street."""
        words = " ".join(text.lower().split())
        of_boards = _BOARDS.fullmatch(words)
        if of_boards is not None:
            return cls._parse_boards(int(of_boards[1]), of_boards[2], street)
        next_card = _NEXT_CARD.fullmatch(words)
        if next_card is not None:
            return cls._parse_next_card(next_card[1] or "25", next_card[2], next_card[3], street)
        form = _FORM.fullmatch(words)
        if form is None:
            raise OptionError(f"buckets {text.strip()!r} of the {street_name(street)}; {_EXAMPLE}")
        kind, size, count, metric = form.groups()
        if kind in _PLAIN:
            if size or count or metric:
                raise OptionError(
                    f"{text.strip()!r} of the {street_name(street)}; {kind} stands alone"
                )
            if kind == "ranks" and street:
                raise OptionError(
                    f"ranks on the {street_name(street)}; they are for starting hands"
                )
            return cls(kind)
        if kind != "bins" and kind not in _SIZED:
            raise OptionError(f"buckets {text.strip()!r} of the {street_name(street)}; {_EXAMPLE}")
        if count is None:
            raise OptionError(
                f"{text.strip()!r} of the {street_name(street)} has no number of buckets; "
                f"write {kind} 200"
            )
        most = CLASS_COUNT if not street else 65_535 if kind == "bins" else _MOST_CLUSTERS
        if len(count) > 9 or not 1 <= int(count) <= most:
            raise OptionError(f"{count} buckets on the {street_name(street)}; give 1 to {most:,}")
        if kind == "bins":
            if size or metric:
                raise OptionError(f"{text.strip()!r}: bins have no metric; write bins {count}")
            return cls(kind, 0, int(count))
        if size is not None and kind not in _MOST:
            raise OptionError(f"{text.strip()!r}: {kind} has no size; write {kind} {count}")
        number = _SIZED[kind] if size is None else int(size)
        if kind in _MOST and not _MOST[kind][0] <= number <= _MOST[kind][1]:
            low, high = _MOST[kind]
            raise OptionError(
                f"{kind}({number}) on the {street_name(street)}; give {low} to {high}"
            )
        if kind == "potential" and (not street or street >= len(BOARD_CARDS) - 1):
            where = "river, which has no next street" if street else "preflop, three cards ahead"
            raise OptionError(f"potential on the {where}; use it on flop and turn")
        return cls(kind, number, int(count), metric or "l2")

    @classmethod
    def _parse_next_card(cls, size: str, black: str, red: str, street: int) -> "StreetText":
        where, bins = street_name(street), int(size)
        if street < len(STREETS) - 1:
            raise OptionError(f"next-card on the {where}; it is for the river and later")
        if not (2 <= bins < _MOST_BINS and 1 <= int(black) <= 255 and 1 <= int(red) <= 4000):
            raise OptionError(
                f"next-card({bins}) {black} + {red} on the {where}; give 2 to {_MOST_BINS - 1} "
                "bins, 1 to 255 black and 1 to 4,000 red buckets"
            )
        return cls("next-card", bins, int(red), "l2", 0, int(black))

    @classmethod
    def _parse_boards(cls, boards: int, hands: str, street: int) -> "StreetText":
        where = street_name(street)
        if not street:
            raise OptionError(f"boards {boards} x {hands} on the {where}; there is no board yet")
        if not 1 <= boards <= _MOST_BOARDS:
            raise OptionError(
                f"{boards} clusters of boards on the {where}; give 1 to {_MOST_BOARDS}"
            )
        inner = cls.parse(hands, street)
        river = len(STREETS) - 1
        if inner.kind == "next-card" and street == river and boards * inner.black <= _MOST_PRODUCT:
            return replace(inner, boards=boards)
        if inner.kind not in _OF_BOARDS or inner.boards:
            raise OptionError(
                f"boards {boards} x {hands} on the {where}; after the x write one of "
                f"{', '.join(_OF_BOARDS)} and a number of buckets"
            )
        if boards * inner.count > _MOST_PRODUCT:
            raise OptionError(
                f"{boards} x {inner.count} buckets on the {where}; take at most {_MOST_PRODUCT:,}"
            )
        return replace(inner, boards=boards)

    def __str__(self) -> str:
        boards = f"boards {self.boards} x " if self.boards else ""
        if self.black:
            return f"{boards}next-card({self.size}) {self.black} + {self.count}"
        sized = f"({self.size})" if self.kind in _MOST else ""
        count = f" {self.count}" if self.count else ""
        metric = f" {self.metric}" if self.metric else ""
        return f"{boards}{self.kind}{sized}{count}{metric}"


def parse_streets(text: str) -> tuple[StreetText, ...]:
    """Four texts separated by commas, preflop to river, or more for River of Blood."""
    parts = text.split(",")
    if not len(STREETS) <= len(parts) <= _LONGEST:
        raise OptionError(
            f"{text!r} names {len(parts)} streets; give four with commas: "
            "lossless, histogram 200, histogram 200, ochs 200"
        )
    streets = tuple(StreetText.parse(part, street) for street, part in enumerate(parts))
    for street, here in enumerate(streets):
        if here.runs_on and len(streets) == len(STREETS):
            raise OptionError(
                f"{here} on the {street_name(street)} but no street after the river; "
                "give a fifth, run-histogram 40, for longer boards"
            )
        if not here.runs_on and street > 2 and len(streets) > len(STREETS):
            raise OptionError(
                f"{here} on the {street_name(street)}, where boards may continue; "
                f"write run-histogram {here.count or 40}, or give four streets"
            )
    for street in (1, 2):
        following = streets[street + 1]
        if streets[street].kind == "potential" and following.runs_on:
            raise OptionError(
                f"potential on the {STREETS[street]}, before {following}; write run-histogram "
                f"{streets[street].count}"
            )
        if streets[street].kind == "potential" and (not following.metric or following.boards):
            raise OptionError(
                f"potential on the {STREETS[street]} needs clusters on the {STREETS[street + 1]}"
                f", which is {following}; cluster that street too"
            )
    return streets
