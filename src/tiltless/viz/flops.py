"""Picture of a report over flops: how often each size is bet by texture, and who wins what."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tiltless.cards.card import parse_cards
from tiltless.cards.flops import TEXTURES
from tiltless.errors import OptionError
from tiltless.postflop.flops.settings import FlopDecision
from tiltless.postflop.flops.summary import BY_FLOP, FlopRow, FlopSummary
from tiltless.postflop.report import number_text
from tiltless.viz.canvas import Canvas, FilePath, box, draw_card, write
from tiltless.viz.colours import CALL, FAINT, FOLD, LINE, PAGE, PANEL, PLAIN, bet_colours, ink_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_DECISIONS", "flops_png"]

MOST_DECISIONS = 2
"""How many decisions fit side by side."""

_MARGIN, _NAMES, _BARS, _GAP, _SHARE, _NUMBER = 28, 256, 340, 36, 200, 62  # pixels
_ROW, _BAR = 27, 19
_HEAD, _SECTION, _EXAMPLES, _KEY = 200, 40, 116, 48
_SHOWN = 5  # flops at either end
_TEXT_FROM = 0.075  # of a bar; narrower parts have no number in them
_KINDS = {
    "high": "HIGH CARD",
    "suits": "SUITS",
    "pairing": "PAIRS",
    "straights": "STRAIGHTS",
}
_NAMES_OF = {
    "A": "Ace high",
    "K": "King high",
    "Q": "Queen high",
    "J": "Jack high",
    "T": "Ten high",
    "9-": "Nine high or lower",
    "trips": "Three of a kind",
}


def flops_png(summary: FlopSummary, path: FilePath, *, title: str = "") -> None:
    """Draw the report, one or two decisions side by side, written atomically.

    Rows are all flops, then the classes of every texture. On the right is what the player who
    bets more wins of the pot before the first decision, beside the equity.
    """
    decisions = summary.settings.decisions
    if len(decisions) > MOST_DECISIONS:
        raise OptionError(
            f"a picture shows at most {MOST_DECISIONS} decisions, and there are {len(decisions)}; "
            "report one or two lines"
        )
    if not summary.solved:
        raise OptionError("no flop is solved yet, so there is nothing to draw; solve some first")
    groups = [(kind, summary.rows(decisions[0], kind)) for kind in TEXTURES]
    lines = 1 + sum(len(rows) for _, rows in groups)
    height = _HEAD + _ROW * lines + _SECTION * len(groups) + _EXAMPLES + _KEY + 2 * _MARGIN
    width = 2 * _MARGIN + _NAMES + len(decisions) * (_BARS + _GAP) + _SHARE + _GAP + 6 * _NUMBER
    _Picture(summary, Canvas(width, height), title).draw(path)


class _Picture:
    """The page, filled from the top; y: the middle of the current row, in pixels."""

    def __init__(self, summary: FlopSummary, canvas: Canvas, title: str) -> None:
        self.summary, self.canvas, self.title = summary, canvas, title
        self.decisions = summary.settings.decisions
        self.axes: Axes = canvas.pixels(0, 0, canvas.width, canvas.height)
        self.lefts = [
            _MARGIN + _NAMES + number * (_BARS + _GAP) for number in range(len(self.decisions))
        ]
        self.share = _MARGIN + _NAMES + len(self.decisions) * (_BARS + _GAP)
        self.numbers = self.share + _SHARE + _GAP
        self.colours = [_colours(decision) for decision in self.decisions]
        self.main = max(self.decisions, key=self.bets_made)
        self.who = self.main.player
        self.y = 0.0

    def bets_made(self, decision: FlopDecision) -> float:
        """The share of all deals in which a player bets there."""
        total = self.summary.total(decision)
        return 0.0 if total.report is None else total.report.often * total.often(decision.bets)

    def draw(self, path: FilePath) -> None:
        self.head()
        self.row("All flops", [self.summary.total(each) for each in self.decisions], bold=True)
        for kind in TEXTURES:
            self.section(_KINDS[kind])
            columns = [self.summary.rows(each, kind) for each in self.decisions]
            for rows in zip(*columns, strict=True):
                name = _NAMES_OF.get(rows[0].name, rows[0].name.capitalize())
                self.row(name, rows)
        self.examples()
        self.key()
        self.canvas.save(path)

    def head(self) -> None:
        settings, solved = self.summary.settings, self.summary.solved
        ip, oop = settings.ranges
        room = self.canvas.width - 2 * _MARGIN
        self.y = _MARGIN + 14
        self.write(_MARGIN, self.title or "What to bet on which flop", 21, bold=True, room=room)
        self.y += 32
        about = (
            f"Pot {settings.pot:,}, {settings.stack:,} behind; {len(oop):,} hands OOP against "
            f"{len(ip):,} hands IP; {len(solved):,} flops, solved to {settings.until:g} % of the "
            "pot"
        )
        self.write(_MARGIN, about, 12, FAINT, room=room)
        self.y += 44
        for left, decision, colours in zip(self.lefts, self.decisions, self.colours, strict=True):
            self.write(left, _heading(decision), 14, bold=True, room=_BARS)
            self.legend(left, decision, colours)
        who = self.who.upper()
        self.write(self.share, f"{who}'s share of the pot", 14, bold=True, room=_SHARE + _GAP)
        for n, name in enumerate(("Equity", "EV, chips", "EQR")):
            right = self.numbers + (2 * n + 2) * _NUMBER
            self.write(right, name, 13, bold=True, right=True)
        self.y += 26
        self.write(_MARGIN + _NAMES - 16, "how often", 11, FAINT, right=True)
        self.box(self.share, self.y - 7, 14, 14, _EV)
        self.write(self.share + 22, "EV", 11, FAINT)
        self.box(self.share + 62, self.y - 9, 3, 18, PLAIN)
        self.write(self.share + 74, "equity", 11, FAINT)
        for n in range(6):
            who = ("OOP", "IP")[n % 2]
            self.write(self.numbers + (n + 1) * _NUMBER, who, 11, FAINT, right=True)
        self.y = _HEAD

    def legend(self, left: float, decision: FlopDecision, colours: dict[str, str]) -> None:
        """A box and a label for each action, in at most two lines."""
        x, y = left, self.y + 26
        for word, label in reversed(decision.actions.items()):
            made = write(self.axes, x + 20, y, label, 11, FAINT)
            wide = made.get_window_extent().width + 34
            if x + wide > left + _BARS + 14 and x > left:
                x, y = left, y + 22
                made.set_position((x + 20, y))
            self.box(x, y - 7, 14, 14, colours[word])
            x += wide

    def section(self, name: str) -> None:
        self.box(_MARGIN, self.y - 4, self.canvas.width - 2 * _MARGIN, 1, LINE)
        self.y += 12
        self.write(_MARGIN, name, 9.5, FAINT, bold=True)
        self.y += _SECTION - 12

    def row(self, name: str, rows: Sequence[FlopRow], *, bold: bool = False) -> None:
        """A row: its name, a bar for each decision, what the player wins, and numbers."""
        self.write(_MARGIN, name, 12.5, bold=bold, room=_NAMES - 70)
        self.write(_MARGIN + _NAMES - 16, f"{100 * rows[0].share:.1f} %", 11, FAINT, right=True)
        for left, row, decision, colours in zip(
            self.lefts, rows, self.decisions, self.colours, strict=True
        ):
            self.bar(left, row, decision, colours)
        self.pot_share(rows[0])
        for n in range(6):
            what, who = ("equity", "ev", "eqr")[n // 2], ("oop", "ip")[n % 2]
            value = rows[0].number(who, what)
            text = (
                number_text(100 * value, "{:.0f} %")
                if what == "equity"
                else number_text(value, "{:.1f}" if what == "ev" else "{:.2f}")
            )
            ink = PLAIN if who == self.who else FAINT
            self.write(self.numbers + (n + 1) * _NUMBER, text, 11.5, ink, right=True, bold=bold)
        self.y += _ROW

    def bar(
        self, left: float, row: FlopRow, decision: FlopDecision, colours: dict[str, str]
    ) -> None:
        """Bets on the left, the largest first, then checks and calls, then folds."""
        self.box(left, self.y - _BAR / 2, _BARS, _BAR, PANEL)
        if row.report is None:
            self.write(left + 8, "never reached", 10.5, FAINT)
            return
        order = [word for word in reversed(decision.actions) if word in decision.bets]
        order += [word for word in ("x", "c", "f") if word in decision.actions]
        for word in order:
            often = row.often([word])
            wide = often * _BARS
            self.box(left, self.y - _BAR / 2, wide, _BAR, colours[word])
            if often >= _TEXT_FROM:
                self.middle(left + wide / 2, f"{100 * often:.0f}", 10.5, ink_on(colours[word]))
            left += wide

    def pot_share(self, row: FlopRow) -> None:
        """EV as a part of the pot, and a mark at the equity."""
        self.box(self.share, self.y - _BAR / 2, _SHARE, _BAR, PANEL)
        if row.report is None:
            return
        won = min(max(row.number(self.who, "ev") / row.report.pot, 0.0), 1.0)
        equity = row.number(self.who, "equity")
        self.box(self.share, self.y - _BAR / 2, won * _SHARE, _BAR, _EV)
        self.middle(self.share + 18, f"{100 * won:.0f}", 10.5, ink_on(_EV))
        self.box(self.share + equity * _SHARE - 2.5, self.y - _BAR / 2 - 3, 5, _BAR + 6, PAGE)
        self.box(self.share + equity * _SHARE - 1.5, self.y - _BAR / 2 - 3, 3, _BAR + 6, PLAIN)

    def examples(self) -> None:
        """The flops that are bet most and least often at the decision with most bets."""
        decision = self.main
        rows = [
            row
            for row in self.summary.rows(decision, BY_FLOP, sort="bet")
            if row.report is not None
        ]
        few = min(_SHOWN, len(rows) // 2)
        if not decision.bets or not few:
            return
        self.section(f"{_heading(decision).upper()}: SINGLE FLOPS")
        for name, some in (("Bets most", rows[:few]), ("Bets least", rows[-few:][::-1])):
            self.y += 6
            self.write(_MARGIN, name, 12.5)
            x = float(_MARGIN + 110)
            for row in some:
                for number, card in enumerate(parse_cards(row.name)):
                    draw_card(self.axes, card, x + 41 * number, self.y - 15)
                often = number_text(100 * row.often(decision.bets), "{:.0f} %")
                self.write(x + 130, often, 12.5, bold=True)
                x += 205
            self.y += 32

    def key(self) -> None:
        who = self.who.upper()
        lines = (
            "Bars: how often each action is taken with the whole range, in percent. Connected: a "
            "straight is possible; semi-connected: an open-ended straight draw is.",
            f"Share of the pot: what {who} wins on average (EV) beside {who}'s equity. EQR is EV / "
            "(equity x pot): above 1, a player wins more than the equity.",
        )
        self.y = self.canvas.height - _MARGIN - 30
        for line in lines:
            self.write(_MARGIN, line, 10.5, FAINT, room=self.canvas.width - 2 * _MARGIN)
            self.y += 20

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        box(self.axes, x, y, width, height, colour)

    def middle(self, x: float, text: str, size: float, ink: str) -> None:
        write(self.axes, x, self.y, text, size, ink).set_horizontalalignment("center")

    def write(self, x: float, text: str, size: float, ink: str = PLAIN, **how: Any) -> None:
        write(self.axes, x, self.y, text, size, ink, **how)


_EV = "#38bdf8"


def _heading(decision: FlopDecision) -> str:
    who = decision.player.upper()
    named = {"": f"{who}, first to act", "x": f"{who}, after a check"}
    return named.get(decision.line, f"{who}, after {decision.line}")


def _colours(decision: FlopDecision) -> dict[str, str]:
    """The colour of each action: checks and calls green, folds blue, bets amber to violet."""
    bets = dict(zip(decision.bets, bet_colours(len(decision.bets)), strict=True))
    return {word: bets.get(word) or (FOLD if word == "f" else CALL) for word in decision.actions}
