"""Drills: hands are dealt at a node, answers are graded, and the score is kept.

At a node of a solved spot an answer costs what its EV is below that of the best action. So it does
at a node of a blueprint: while the person thinks, every question is valued, on the turn and the
river by solving the street, before by playouts (`tiltless.web.blueprint_values`). A cost by
playouts has an interval, whose lower end is graded. Where nothing can be valued, an answer is
graded by how often the blueprint gives it (`SHARES`).

What is drilled is a line. Cards that it lacks are dealt at random for every question: a line that
ends before the turn asks on all turns, and a blueprint's line without a board on all boards.
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import Any, NamedTuple

from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO, CLASS_SIZES, card_text, combo_text
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.holdem.notation import NEXT_STREET, split_line
from tiltless.intervals import Interval
from tiltless.search.review import GRADES, grade
from tiltless.web.blueprint_values import STREETS, HandValues
from tiltless.web.spots import SpotFolder
from tiltless.web.table import ConflictError
from tiltless.web.workers import Job

__all__ = ["SHARES", "Drill", "DrillSource", "Drills", "dealt_hand", "graded"]

SHARES = {"best": 0.5, "good": 0.1, "inaccuracy": 0.02, "mistake": 0.0}
"""Grades of an answer where no values are known, by the least share of the blueprint's mix.

The action that it takes most often is always ``best``.
"""
_KEPT = 500
_VALUING = 4  # questions that are solved or wait for it; older ones are given up
_DEALT = (0, 3, 4, 5)
_CLEAR = 0.9  # a hand that takes one action more often is no close decision
_CLOSE = 0.06  # of the pot: actions that are all this near are a close decision


class DrillSource(NamedTuple):
    """What is drilled.

    kind: ``spot`` or ``blueprint``, with its id or name.  board: for a blueprint; empty for any.
    close: deal close decisions only.
    """

    kind: str
    name: str
    line: str
    board: str
    close: bool


@dataclass(slots=True)
class Drill:
    """A drill of one session: its open question and what was answered so far.

    valuing: values the question, if it is one of a blueprint that can be valued.
    seq: the number of answers.  valued: of those with a cost.  cost: their sum in big blinds.
    grades: how often each was given.
    """

    number: str
    owner: str
    source: DrillSource
    node: dict[str, Any]
    hand: dict[str, Any]
    valuing: Job | None = None
    seq: int = 0
    valued: int = 0
    cost: float = 0.0
    streak: int = 0
    grades: dict[str, int] = field(default_factory=lambda: dict.fromkeys(GRADES, 0))
    last: tuple[str, dict[str, Any]] = ("", {})

    def as_json(self) -> dict[str, Any]:
        """The open question and the score; neither strategy nor values of the question."""
        node, unit = self.node, _unit(self.node)
        actions = [
            {name: row[name] for name in ("word", "label", "kind", "bb", "colours")}
            for row in node["actions"]
        ]
        return {
            "id": self.number,
            "seq": self.seq,
            "source": self.source._asdict(),
            "question": {
                "cards": self.hand["cards"],
                "class": self.hand["class"],
                "made": self.hand.get("made", ""),
                "draw": self.hand.get("draw", ""),
                "board": node["board"],
                "street": node["street"],
                "player": node["player"],
                "line": node["line"],
                "strip": node["strip"],
                "pot": node["pot"],
                "big_blind": unit,
                "stacks": node["stacks"],
                "to_call": node["to_call"],
                "actions": actions,
            },
            "score": {
                "answers": self.seq,
                "valued": self.valued,
                "cost": round(self.cost, 3) if self.valued or _has_values(node) else None,
                "streak": self.streak,
                "grades": self.grades,
            },
        }


class Drills:
    """The drills that were used last.

    playouts: of each action before the turn; 0: such questions are not valued.
    """

    def __init__(self, spots: SpotFolder, playouts: int, random: Random | None = None) -> None:
        self.spots, self.playouts, self.random = spots, playouts, random or SystemRandom()
        self._kept: OrderedDict[tuple[str, str], Drill] = OrderedDict()
        self._valuing: list[Job] = []

    async def begin(self, owner: str, source: DrillSource) -> Drill:
        """A new drill with its first question; `OptionError` if nobody acts at its node."""
        node, hand = await self._question(source)
        valuing = self._begin_values(source, node, hand)
        drill = Drill(secrets.token_hex(8), owner, source, node, hand, valuing)
        self._kept[owner, drill.number] = drill
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return drill

    def find(self, owner: str, number: str) -> Drill | None:
        """A drill of this owner; None if there is none, or it is too old."""
        return self._kept.get((owner, number))

    async def answer(self, drill: Drill, seq: int, word: str) -> dict[str, Any]:
        """Grade an answer and ask the next question.

        The last answer sent again gets the same grade and counts once; another number is a
        `ConflictError`.
        """
        if seq == drill.seq - 1 and drill.last[0] == word:
            return {"answer": drill.last[1], **drill.as_json()}
        if seq != drill.seq:
            raise ConflictError(f"answer {seq} does not fit; read the drill, {drill.seq} is next")
        graded(drill.node, drill.hand, word)  # refused at once if it is no action
        values = await _values(drill.valuing)
        if seq != drill.seq:
            raise ConflictError(f"answer {seq} was given meanwhile; read the drill")
        found = graded(drill.node, drill.hand, word, values)
        node, hand = await self._question(drill.source)
        if seq != drill.seq:
            raise ConflictError(f"answer {seq} was given meanwhile; read the drill")
        drill.seq += 1
        drill.valued += found["cost"] is not None
        drill.cost += found["cost"] or 0.0
        drill.grades[found["grade"]] += 1
        drill.streak = drill.streak + 1 if found["grade"] in ("best", "good") else 0
        drill.node, drill.hand, drill.last = node, hand, (word, found)
        drill.valuing = self._begin_values(drill.source, node, hand)
        self._kept.move_to_end((drill.owner, drill.number))
        return {"answer": found, **drill.as_json()}

    async def _question(self, source: DrillSource) -> tuple[dict[str, Any], dict[str, Any]]:
        node = await self._node(source)
        return node, dealt_hand(node, self.random, close=source.close)

    def _begin_values(
        self, source: DrillSource, node: dict[str, Any], hand: dict[str, Any]
    ) -> Job | None:
        """Begin to value a question; None if it has values or can have none."""
        if node["kind"] == "spot" or not (_has_values(node) or self.playouts):
            return None
        board, cards = "".join(node["board"]), "".join(hand["cards"])
        asked = {
            "name": source.name,
            "line": node["line"],
            "board": board,
            "hand": cards,
            "playouts": self.playouts,
        }
        self._valuing = [job for job in self._valuing if not job.result.done()]
        while len(self._valuing) >= _VALUING:
            self._valuing.pop(0).cancel()
        try:
            job = self.spots.blueprint_values(asked)
        except TiltlessError:  # too much is waiting
            return None
        self._valuing.append(job)
        return job

    async def _node(self, source: DrillSource) -> dict[str, Any]:
        """The node of the line, with cards dealt where some are missing."""
        line, board = source.line, source.board
        if source.kind == "blueprint" and not board:
            streets = sum(word == NEXT_STREET for word in split_line(line))
            deck = [card_text(card) for card in range(52)]
            board = "".join(self.random.sample(deck, _DEALT[min(streets, 3)]))
        node: dict[str, Any] = {}
        for _ in _DEALT:  # a card, and after an all-in one more
            if source.kind == "spot":
                node = await self.spots.node(source.name, line, "")
            else:
                asked = {"name": source.name, "line": line, "board": board, "of": ""}
                node = await self.spots.blueprint("blueprint-node", asked)
            if node["player"] and not node.get("needs"):
                return node
            if not node["cards"]:
                break
            cards = self.random.sample(node["cards"], node.get("needs") or 1)
            line, board = f"{line} {cards[0]}".strip(), board + "".join(cards)
            if source.kind == "blueprint":
                line = source.line
        raise OptionError("nobody acts at the end of this line; shorten it")


def _has_values(node: Mapping[str, Any]) -> bool:
    return node["kind"] == "spot" or node["street"] in STREETS


async def _values(job: Job | None) -> HandValues | None:
    """The values of a question of a blueprint; None if it was not valued."""
    if job is None:
        return None
    try:
        found: HandValues = await asyncio.wrap_future(job.result)
    except TiltlessError:
        return None
    return found


def dealt_hand(node: Mapping[str, Any], random: Random, *, close: bool = False) -> dict[str, Any]:
    """A hand of the player who acts, as often as it is in the range there.

    close: only hands with which the choice is hard, if there are any.
    """
    rows: Sequence[dict[str, Any]] = node["combos"]
    if not rows:  # before the flop all combos of a class are alike
        strategy, weight = node["classes"]["strategy"], node["classes"]["weight"]
        rows = [
            {"class": name, "weight": weight[n] * int(CLASS_SIZES[n]), "mix": strategy[n]}
            for n, name in enumerate(CLASS_NAMES)
        ]
    rows = [row for row in rows if row["weight"] > 0]
    if close:
        rows = [row for row in rows if _is_close(row, node["pot"])] or rows
    if not rows:
        raise OptionError("no hand ever gets here; choose another line")
    row = random.choices(rows, [row["weight"] for row in rows])[0]
    hand = row.get("hand") or _some_combo(row["class"], random)
    return {**row, "cards": [hand[:2], hand[2:]]}


def _some_combo(name: str, random: Random) -> str:
    number = CLASS_NAMES.index(name)
    combos = [combo for combo, own in enumerate(CLASS_OF_COMBO.tolist()) if own == number]
    return combo_text(random.choice(combos))


def _is_close(row: Mapping[str, Any], pot: float) -> bool:
    if row.get("evs"):
        values = sorted(value for value in row["evs"] if value is not None)
        return len(values) > 1 and bool(values[-1] - values[-2] < _CLOSE * pot)
    return bool(max(row["mix"]) < _CLEAR)


def graded(
    node: Mapping[str, Any], hand: Mapping[str, Any], word: str, values: HandValues | None = None
) -> dict[str, Any]:
    """What an answer is worth: ``cost`` in big blinds (None without values) and ``grade``.

    word: the action, as in the node's ``actions``; `OptionError` for any other.  values: of a
    blueprint's question; the hand of a solved spot has its own.
    ``best`` is, of the actions that cost nothing as far as noise goes, the one taken most often.
    """
    words = [row["word"] for row in node["actions"]]
    if word not in words:
        raise OptionError(f"{word!r} is not an action here; there is {', '.join(words)}")
    at, mix, evs, unit = words.index(word), hand["mix"], hand.get("evs"), _unit(node)
    if values is None:
        values = HandValues.solved(evs) if evs and None not in evs else HandValues()
    cost: Interval | None = None
    if values.evs:
        cost = values.costs[at]
        verdict = grade(cost.low, node["pot"])
        right = [n for n, each in enumerate(values.costs) if each.low <= 0]
        best = max(right, key=mix.__getitem__)
    else:
        best = mix.index(max(mix))
        verdict = next(name for name, least in SHARES.items() if mix[at] >= least)
        if at == best:
            verdict = "best"
    return {
        "word": word,
        "best": words[best],
        "share": mix[at],
        "mix": mix,
        "values": [round(value / unit, 3) for value in values.evs] or None,
        "margins": [round(each / unit, 3) for each in values.margins] or None,
        "cost": None if cost is None else round(cost.mean / unit, 3),
        "margin": None if cost is None else round(cost.half_width / unit, 3),
        "grade": verdict,
        "note": values.note,
        "classes": {name: node["classes"][name] for name in ("weight", "strategy")},
    }


def _unit(node: Mapping[str, Any]) -> int:
    """The big blind in chips."""
    return int(node["spot"]["big_blind"] if node["kind"] == "spot" else node["big_blind"])
