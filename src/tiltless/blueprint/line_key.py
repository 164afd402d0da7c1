"""Line keys: 64-bit infoset keys of a line of play, where a tree is too large to lay out.

A line has the information that a tree in memory has about a decision, and is advanced with the
reference rules. Histories are 64-bit hashes, ``(word, action) -> word``, and everything else is a
few numbers, so nothing grows with the length of the hand.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.information.columns import DecisionColumns
from tiltless.blueprint.betting import AbstractBetting
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.kernels.blueprint import decision_columns as lines
from tiltless.kernels.blueprint.history_hash import HAND, REPEAT, next_words
from tiltless.kernels.blueprint.nodes import CHANCE, SHOWDOWN

__all__ = ["KeyedLine"]

_PLAIN: dict[Action, int] = {FOLD: lines.FOLD, CHECK: lines.CHECK, CALL: lines.CALL}


@dataclass(frozen=True)
class KeyedLine:
    """A position in a hand; made by `start`, advanced by `after` and, past chance, by `run_on`.

    actor: the player to act, or CHANCE, UNCONTESTED, SHOWDOWN as in a tree.
    betting: the state of the betting; at CHANCE that of the street that may follow.
    aggressor: see `tiltless.blueprint.betting.AbstractBetting.settle`.
    """

    rules: AbstractBetting
    actor: int
    betting: Betting
    street: int
    aggressor: int
    last: int = lines.NONE
    history: int = int(HAND)
    street_history: int = int(HAND)

    @staticmethod
    def start(rules: AbstractBetting) -> "KeyedLine":
        """The first decision of a hand."""
        return KeyedLine(rules, *rules.settle(rules.first, 0, NOBODY))

    @property
    def offered(self) -> tuple[Action, ...]:
        """The actions on the menu; empty where nobody is to act."""
        if self.actor < 0:
            return ()
        return self.rules.actions(self.betting, self.street, self.aggressor)

    def slot(self, action: Action) -> int:
        """The slot of an action on the menu, see `tiltless.kernels.blueprint.decision_columns`."""
        offered = self.offered
        if action not in offered:
            raise OptionError(f"{action} is not on the menu; choose one of {offered}")
        if not isinstance(action, RaiseTo):
            return _PLAIN[action]
        if action == offered[-1] and self._puts_all_in(action.chips):
            return lines.ALL_IN
        return lines.RAISE + [each for each in offered if isinstance(each, RaiseTo)].index(action)

    def _puts_all_in(self, chips: int) -> bool:
        """Whether nobody can raise any more: the raiser, or all who could call, are all-in."""
        after = self.betting.after(RaiseTo(chips))
        others = [p for p in range(len(after.bets)) if after.able >> p & 1 and p != self.actor]
        return not after.stacks[self.actor] or all(
            after.bets[p] + after.stacks[p] <= chips for p in others
        )

    def after(self, action: Action) -> "KeyedLine":
        """The line after one more action."""
        slot = self.slot(action)
        aggressor = self.rules.aggressor(self.betting, action, self.aggressor)
        where = self.rules.settle(self.betting.after(action), self.street, aggressor)
        actor, _, street, _ = where
        if street == self.street and actor != CHANCE:
            last, word = slot, _step(self.street_history, slot)
        else:
            last, word = lines.NONE, int(HAND)
        return KeyedLine(self.rules, *where, last, _step(self.history, slot), word)

    def run_on(self, more: bool) -> "KeyedLine":
        """The line past CHANCE.  more: whether the newest card lets one more street follow."""
        if self.actor != CHANCE:
            raise OptionError("the board decides nothing here; use after with an action")
        if not more:
            return replace(self, actor=SHOWDOWN)
        street, word = self.rules.next_street(self.street), self.history
        if street == self.rules.repeat_from:
            word = int(REPEAT)
            for number in (*self.betting.stacks, self.betting.live, self.aggressor + 1):
                word = _step(word, number)
        return replace(self, actor=self.betting.actor, street=street, history=word)

    @property
    def situations(self) -> DecisionColumns:
        """The inputs of the features, as arrays of length 1."""
        if self.actor < 0:
            raise OptionError("nobody is to act here; features are defined at decisions")
        betting, chips = self.betting, self.rules.chips
        offered = self.offered
        raises = [each for each in offered if isinstance(each, RaiseTo)]
        slots = (FOLD in offered) + 2 * (CALL in offered) + 8 * len(raises)
        if raises and self._puts_all_in(raises[-1].chips):
            slots += 4
        return DecisionColumns(
            chips=chips,
            street=_one(self.street),
            seat=_one(self.actor),
            pot=_one(chips - sum(betting.stacks)),
            call=_one(betting.actions.call),
            last=_one(self.last),
            raises=_one(betting.raises),
            slots=_one(slots),
            history=_word(self.history),
            street_history=_word(self.street_history),
        )


def _one(number: int) -> npt.NDArray[np.int64]:
    return np.array([number], dtype=np.int64)


def _word(number: int) -> npt.NDArray[np.uint64]:
    return np.array([number], dtype=np.uint64)


def _step(word: int, value: int) -> int:
    """`next_words` for single numbers."""
    return int(next_words(_word(word), _word(value))[0])
