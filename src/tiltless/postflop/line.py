"""Lines of a post-flop spot as text: ``x b32 c Ah x b50%``.

The words are those of `tiltless.games.holdem.notation`. A size must be in the solved tree; the
error lists those that are. `follow_lines` reads several lines, with ``*`` for any card; `read_lock`
reads a strategy to be locked at a node: ``x b64: f 80%, c 20%``.
"""

import math
from typing import TYPE_CHECKING

from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.notation import (
    ANY_CARD,
    NEXT_STREET,
    action_words,
    misfit,
    parse_word,
    resolve,
    split_line,
)
from tiltless.validate import brief

if TYPE_CHECKING:
    from tiltless.postflop.node import Node

__all__ = ["follow_line", "follow_lines", "read_lock"]

_CLOSE = 0.005  # 33.3% is accepted as a third
_LOCK = "write a line and what is played there, such as 'x b64: f 80%, c 20%'"


def follow_line(node: "Node", line: str) -> "Node":
    """The node that a line leads to from a node; `OptionError` names the word that does not fit."""
    for text in split_line(line):
        (node,) = _after([node], text, line, several=False)
    return node


def follow_lines(node: "Node", lines: str) -> dict[str, list["Node"]]:
    """The nodes of several lines, separated by commas; ``*`` is any card: ``x x * b50%, b50% c *``.

    Returns nodes by line, one for each card that ``*`` can be. A card named after a ``*`` skips the
    nodes where it has already been dealt.
    """
    if not isinstance(lines, str):
        raise OptionError(f"{brief(lines)} is not a text of lines; write one such as 'x b50%, x x'")
    parts = [part.strip() for part in lines.split(",")]
    if len(parts) > 1 and "" in parts:
        raise OptionError(f"{brief(lines)} has nothing before or after a comma; omit the comma")
    nodes_by_line = {}
    for line in parts:
        nodes = [node]
        for text in split_line(line):
            nodes = _after(nodes, text, line)
        nodes_by_line[line] = nodes
    return nodes_by_line


def _after(nodes: list["Node"], text: str, line: str, several: bool = True) -> list["Node"]:
    """The nodes after a word, from each of some nodes.  several: whether ``*`` is allowed."""
    after: list[Node] = []
    for node in nodes:
        try:
            word = parse_word(text)
            if isinstance(word, tuple | str):
                _check_street_over(node)
            if word == ANY_CARD and several:
                after += map(node.after, node.cards_to_come())
            elif word == NEXT_STREET:
                after.append(node)  # the card that follows implies it
            elif not isinstance(word, tuple):
                after.append(node.after(_action(node, text)))
            elif len(word) > 1:
                raise OptionError("one card is dealt here; name one")
            elif len(nodes) == 1 or word[0] not in node.board:
                after.append(node.after(word[0]))
        except InputError as problem:
            raise misfit(text, node.line, line, problem) from None
    return after


def _check_street_over(node: "Node") -> None:
    if not node.cards_to_come():
        raise OptionError(f"no card is dealt here; there is {_there(node)}")


def _there(node: "Node") -> str:
    """What is possible next, as words of a line."""
    if node.actions:
        return ", ".join(action_words(node.actions, node.betting))
    return "a card" if node.cards_to_come() else "nothing, as the hand is over"


def _action(node: "Node", text: str) -> Action:
    """The action of the tree that a word means."""
    if not node.actions:
        raise OptionError(f"nobody acts here; there is {_there(node)}")
    return resolve(parse_word(text), node.actions, node.betting, node.pot)


def read_lock(node: "Node", text: str) -> list[tuple["Node", dict[Action, float]]]:
    """Decisions and their locked strategies, for `PostflopSolver.lock`: ``x b64: f 80%, c 20%``.

    The lines are those of `follow_lines` starting from a node; the percentages sum to 100 %. An
    empty line before the colon is the node itself; ``x x *: x 100%`` locks the node on every card.
    """
    if not isinstance(text, str):
        raise OptionError(f"{brief(text)} is not a lock; {_LOCK}")
    lines, colon, strategy = text.partition(":")
    if not colon or not strategy.strip():
        raise OptionError(f"{brief(text)} is not a lock; {_LOCK}")
    groups = follow_lines(node, lines).values()
    return [(each, _probs(each, strategy, text)) for nodes in groups for each in nodes]


def _probs(node: "Node", strategy: str, text: str) -> dict[Action, float]:
    if node.actor < 0:
        raise OptionError(f"nobody acts after {node.line!r} in the lock {brief(text)}; {_LOCK}")
    probs: dict[Action, float] = {}
    for part in strategy.split(","):
        word, _, percent = part.strip().partition(" ")
        try:
            prob = float(percent.strip().removesuffix("%")) / 100
        except ValueError:
            prob = math.nan
        if not 0 <= prob <= 1:
            raise OptionError(
                f"{brief(part.strip())} in the lock {brief(text)} is not an action with a "
                f"percentage from 0% to 100%; {_LOCK}"
            )
        try:
            action = _action(node, word)
        except InputError as problem:
            raise OptionError(f"{brief(word)} in the lock {brief(text)}: {problem}") from None
        if action in probs:
            raise OptionError(f"{word} occurs twice in the lock {brief(text)}; name it once")
        probs[action] = prob
    if abs(sum(probs.values()) - 1) > _CLOSE:
        total = 100 * sum(probs.values())
        raise OptionError(
            f"the lock {brief(text)} sums to {total:g} %; write percentages that sum to 100 %"
        )
    return probs
