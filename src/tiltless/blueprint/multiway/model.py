"""Multiway blueprint: a trained strategy of three to six seats over (betting graph x buckets).

::

    model = MultiwayBlueprint.from_average(graph, "nlhe", {"seats": 6}, cards, average, card)
    model.compact().save("six.safetensors")
    model = MultiwayBlueprint.load("six.safetensors")

The files are those of `tiltless.blueprint.files.file`, with the ``layout`` "shared blocks, pairs"
or "shared blocks".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.tables import Tables
from tiltless.blueprint.files import file as blueprint_file
from tiltless.blueprint.files.file import About, PathName
from tiltless.blueprint.files.model_card import card_texts
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.multiway.menu_text import read_multiway_menu
from tiltless.blueprint.multiway.openings import openings
from tiltless.blueprint.opening import Opening
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.stored import BlueprintTable, CardsName, quantised
from tiltless.cards.card import Cards, parse_cards
from tiltless.errors import FingerprintError, InputError, OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.registry import load as load_game
from tiltless.kernels.blueprint.quantise import WHOLE, Blocks
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, STREET

__all__ = ["PAIRS", "SHARED", "MultiwayBlueprint", "graph_blocks", "graph_fingerprint", "layout_of"]

SHARED, PAIRS = "shared blocks", "shared blocks, pairs"
"""Layouts: whether two players who are left since the flop have blocks of their own."""
_GRAPH_BYTES = 256  # of a graph per entry of its table, at most


def layout_of(graph: BettingGraph) -> str:
    """The layout of a graph; `OptionError` for exact histories, which are not written to files."""
    if not graph.shared:
        raise OptionError("models of exact histories cannot be played; train with shared blocks")
    return PAIRS if graph.pairs else SHARED


def graph_fingerprint(graph: BettingGraph) -> str:
    """Equal for graphs with the same menu and the same nodes, raises and chips in one order."""
    return fingerprint("betting-graph", str(graph.menu), list(graph.nodes), graph.label)


def graph_blocks(graph: BettingGraph, buckets: tuple[int, ...]) -> Blocks:
    """The entries of each decision, in the order of the table."""
    node = graph.nodes.node
    acts = np.flatnonzero(node[:, ACTOR] >= 0)
    begin = graph.offsets(buckets)[acts]
    order = np.argsort(begin, kind="stable")
    acts = acts[order]
    rows = np.array(buckets, np.int64)[node[acts, STREET]]
    return Blocks(begin[order], node[acts, ACTIONS].astype(np.int64), rows)


@dataclass(frozen=True, eq=False, repr=False)
class MultiwayBlueprint(BlueprintTable):
    """A trained strategy of several players; `from_average` and `load` make it."""

    @classmethod
    def from_average(
        cls,
        graph: BettingGraph,
        game: str,
        parameters: Mapping[str, Any],
        abstraction: CardAbstraction,
        average: npt.NDArray[np.float32],
        card: Mapping[str, object] | None = None,
    ) -> "MultiwayBlueprint":
        """Round an average strategy to bytes.

        game, parameters: arguments of `tiltless.games.load` for the game of ``graph``.
        average: float32 ``[entries]``, weights laid out by `BettingGraph.offsets` that need not sum
            to 1; all zero in infosets that training never visited.
        card: the model card; values become text, see `tiltless.blueprint.files.model_card`.
        """
        loaded, layout = load_game(game, **parameters), layout_of(graph)
        if loaded != graph.game:
            raise OptionError("the graph is of another game than the blueprint; give its own")
        buckets = abstraction.counts[: graph.streets]
        entries, blocks = graph.size.entries(buckets), graph_blocks(graph, buckets)
        table, visited = quantised(average, entries, blocks)
        about = About(
            game=game,
            rules=loaded.version,
            parameters=parameters,
            menu=str(graph.menu),
            repeat_from=graph.streets,
            tree=graph_fingerprint(graph),
            cards=abstraction.name,
            cards_fingerprint=abstraction.fingerprint,
            buckets=buckets,
            infosets=int(blocks.rows.sum()),
            visited=visited,
            card=card_texts(card or {}),
            layout=layout,
        )
        model = cls(about, (table,), abstraction)
        model.__dict__["graph"] = graph  # saves building it again
        return model

    @classmethod
    def load(
        cls, path: PathName, *, cards: CardsName | None = None, verify: bool = True
    ) -> "MultiwayBlueprint":
        """Read a file, or a shipped blueprint by its name; see `Blueprint.load`."""
        about, parts = blueprint_file.read(find_blueprint(path), verify)
        if about.layout not in (SHARED, PAIRS):
            raise OptionError(f"{path} is for two players; choose one for three to six seats")
        return cls(about, parts, cards)

    @cached_property
    def graph(self) -> BettingGraph:
        """The betting graph, built again and compared with the one of training."""
        about = self.about
        try:
            graph = betting_graph(
                self.game,
                read_multiway_menu(about.menu),
                pairs=about.layout == PAIRS,
                memory_limit=_GRAPH_BYTES * (len(self) + 16),
            )
            entries = graph.size.entries(about.buckets)
        except (InputError, ValueError) as error:
            raise FingerprintError(f"the blueprint cannot be used: {error}") from None
        self._check_betting("graph", graph_fingerprint(graph), entries)
        return graph

    @cached_property
    def spots(self) -> GraphSpots:
        """The nodes of the graph with chips and actions."""
        return GraphSpots(self.graph)

    @cached_property
    def blocks(self) -> Blocks:
        """The entries of each decision."""
        return graph_blocks(self.graph, self.about.buckets)

    def bucket_counts(self, cards: CardAbstraction) -> tuple[int, ...]:
        """The number of buckets on each street."""
        return cards.counts[: self.graph.streets]

    def buckets(
        self, board: Cards = (), tables: Tables | None = None
    ) -> npt.NDArray[np.integer[Any]]:
        """The bucket of every hand on a board, `[1326]`; tables: of its cards, quicker."""
        return (tables or self.abstraction).buckets(parse_cards(board))

    @cached_property
    def _offsets(self) -> npt.NDArray[np.int64]:
        return self.graph.offsets(self.about.buckets)

    def _decision(self, node: int) -> tuple[int, int, int]:
        record = self.graph.nodes.node
        node = self._acting(node, record[:, ACTOR])
        buckets = self.about.buckets[int(record[node, STREET])]
        return int(self._offsets[node]), buckets, int(record[node, ACTIONS])

    def _board(self, node: int, board: Cards) -> tuple[int, ...]:
        self._decision(node)
        cards, street = parse_cards(board), int(self.graph.nodes.node[node, STREET])
        self._check_dealt(cards, self.game.rules.street_name(street), sum(self.game.sizes[:street]))
        return cards

    def openings(self) -> list[Opening]:
        """What each position does first in, from the first to act to the small blind."""
        return openings(self.spots, self.buckets(()), lambda node: self.table(node) / WHOLE)
