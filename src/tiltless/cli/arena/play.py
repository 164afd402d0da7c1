"""``tiltless play``: a human against agents, in the terminal or through a pipe."""

import contextlib
import re
import secrets
import select
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from tiltless.agents.agent import Decision
from tiltless.agents.registry import registered
from tiltless.arena.lineup import read_agents
from tiltless.arena.match_options import table_parameters
from tiltless.arena.table.hand_file import HandFile
from tiltless.arena.table.narration import hand_words, position
from tiltless.arena.table.session import PERSON, StoodUp, TableSession
from tiltless.arena.table.spoken_actions import HELP, read_action, read_word
from tiltless.cli import ui
from tiltless.cli.arena.play_screen import (
    bars,
    lines_of,
    situation,
    table_lines,
    with_positions,
)
from tiltless.cli.keyboard import drop_typed, typed_line
from tiltless.errors import InputError, OptionError, TiltlessError
from tiltless.files.writable import check_writable
from tiltless.games import load
from tiltless.games import registered as registered_games
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.notation import action_label
from tiltless.games.holdem.record import HandRecord
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.games.holdem.view import View
from tiltless.games.parameter_text import read_parameters
from tiltless.interrupts import INTERRUPTED
from tiltless.viz.terminal import cards_markup

__all__ = ["play"]

_UNASKED = 100
"""Hands without a decision after which the person counts as gone; see `_Person.is_gone`."""
_MOMENT = 0.3
"""Seconds after which the screen says that an agent is thinking."""
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def play(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[AGENT]... [NAME=VALUE]...",
            help="Opponents, such as fish, and game parameters, such as stack=50bb.",
        ),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            help="Seats at the table, yours included; by default one more than opponents.",
            min=2,
            max=MOST_SEATS,
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="AGENT,...",
            help="Opponents in the seats after yours, such as rules,fish; the last one takes "
            "all remaining seats.",
        ),
    ] = "",
    game: Annotated[str, typer.Option(help="Game to play; see `tiltless games`.")] = "nlhe",
    hands: Annotated[int | None, typer.Option(help="Maximum number of hands.", min=1)] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed for the cards and the agents' choices.", min=0)
    ] = None,
    seat: Annotated[
        str,
        typer.Option(help="Your seat: 0 is the button, counting clockwise; or alternate."),
    ] = "alternate",
    save: Annotated[
        Path | None,
        typer.Option(
            help="Append every hand to this file, as PHH or, for other games, as text lines."
        ),
    ] = None,
    pause: Annotated[
        bool | None,
        typer.Option(help="Wait for Enter after each hand; by default only in a terminal."),
    ] = None,
) -> None:
    """Play against agents: c, k, f, r 12, half, pot, all in; ? for help, q to quit.

    tiltless play

    tiltless play --seats 6 --against rules,heuristic-1,fish
    """
    parameters = [word for word in words or () if _PARAMETER.match(word)]
    agents = [word for word in words or () if not _PARAMETER.match(word)]
    agents += read_agents(against)
    size, given = table_parameters(read_parameters(parameters), seats)
    rules = _game(game, given, size or max(len(agents), 1) + 1)
    texts = agents or [_default_agent(rules)]
    if save is not None:
        check_writable(save)
    file = HandFile(save) if save else None
    number = secrets.randbits(32) if seed is None else seed
    for stream in (sys.stdin, sys.stdout):  # whatever is typed can be read, and shown
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    screen = _Screen(sys.stdin.isatty() if pause is None else pause)
    table = TableSession(rules, texts, number, _seat(seat, rules.players), trusted=True)
    person = _Person(screen, table)
    screen.welcome(table)
    playing = interrupted = False
    try:
        while hands is None or table.hands < hands:
            if table.hands:
                person.between_hands()
            playing = True
            record = person.play_hand()
            playing = False
            if file:
                with _reported(screen, "this hand was not saved"):
                    file.add(record)
            screen.after_hand(table)
            if hands is None and person.is_gone():
                break
    except KeyboardInterrupt as leave:
        interrupted = not isinstance(leave, StoodUp)
        screen.say("\n[dim]The unfinished hand does not count.[/]" if playing else "")
    screen.goodbye(table, file)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _game(name: str, parameters: dict[str, Any], seats: int) -> Holdem:
    """The game with a seat for everybody; `OptionError` if it is not played at a table."""
    entry = next((each for each in registered_games() if each.name == name), None)
    if entry and "seats" in {each.name for each in entry.parameters}:
        parameters["seats"] = seats
    game = load(name, **parameters)
    if not isinstance(game, Holdem):
        raise OptionError(f"{name} is not played at a table; choose nlhe or another hold'em game")
    return game


def _default_agent(game: Holdem) -> str:
    """The best opponents available: a blueprint for its own game, otherwise simpler agents."""
    names = {entry.name for entry in registered()}
    wanted: tuple[str, ...] = ("rules",)
    if game.name == "nlhe":
        wanted = ("blueprint", "rules") if game.players == 2 else wanted
        wanted = ("six", "rules") if 3 <= game.players <= 6 else wanted
    return next((name for name in wanted if name in names), "fish")


def _seat(text: str, players: int) -> int | None:
    if text.strip().casefold() == "alternate":
        return None
    with contextlib.suppress(ValueError):
        seat = int(text)
        if 0 <= seat < players:
            return seat
    raise OptionError(
        f"--seat {text[:20]!r} is not possible; write 0 to {players - 1} or alternate"
    )


@contextlib.contextmanager
def _reported(screen: "_Screen", what: str) -> Iterator[None]:
    """Report an error and continue."""
    try:
        yield
    except TiltlessError as problem:
        screen.complain(f"{what}: {problem}")


class _Screen:
    """Everything that is printed."""

    def __init__(self, pause: bool) -> None:
        self.console = ui.console()
        self.console.soft_wrap = not self.console.is_terminal  # a pipe gets whole lines
        self.pause = pause
        self._line: str | None = None  # read, and not asked for yet
        self.symbols = self.console.encoding.lower().startswith("utf")

    def say(self, markup: str = "") -> None:
        self.console.print(markup)

    def complain(self, text: str) -> None:
        self.console.print(f"[yellow]{escape(' '.join(text.split()))}[/]")

    def ask(self, prompt: str) -> str:
        """A line from the person; `StoodUp` at the end of the input."""
        try:
            if sys.stdin.isatty():
                return typed_line(prompt)
            self.console.print(prompt, end="", markup=False)
            line = sys.stdin.readline() if self._line is None else self._line
            self._line = None
        except (EOFError, ValueError, OSError):  # a closed or broken input ends like an empty one
            raise StoodUp from None
        if not line:
            raise StoodUp
        shown = "".join(mark if mark.isprintable() else "?" for mark in line.rstrip("\r\n"))
        self.console.print(shown[:200], markup=False)
        return line

    def forget_typed(self) -> None:
        """Discard keys that were pressed before the question was shown."""
        if sys.stdin.isatty():
            drop_typed()

    @contextlib.contextmanager
    def thinking(self) -> Iterator[None]:
        """Show in a terminal that an agent is thinking, if it takes longer than a moment."""
        status = self.console.status("[dim]thinking …[/]")
        timer = threading.Timer(_MOMENT, status.start)
        timer.daemon = True
        if self.console.is_terminal:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            if timer.is_alive():
                timer.join()
            status.stop()

    def next_line(self) -> str | None:
        """The next answer, "" at the end of the input; None if it is not known yet.

        It never is in a terminal, nor in a pipe that is still empty.
        """
        if self._line is None:
            try:
                if sys.stdin.isatty():
                    return None
                with contextlib.suppress(OSError):  # no file at all, or Windows: wait for it
                    if not select.select([sys.stdin], [], [], 0)[0]:
                        return None
                self._line = sys.stdin.readline()
            except (ValueError, OSError):
                self._line = ""
        return self._line

    def welcome(self, table: TableSession) -> None:
        rules, names = table.game.rules, table.names[1:]
        unit = rules.big_blind
        stacks = sorted({stack / unit for stack in rules.stacks})
        depth = " to ".join(f"{stack:g}" for stack in {stacks[0], stacks[-1]})
        posted = "/".join(str(blind) for blind in rules.blinds if blind)
        blinds = f"blinds {posted}" if posted else f"antes of {rules.ante}"
        self.say(
            f"You play [bold]{table.game.name}[/] against [bold]{escape(', '.join(names))}[/]."
        )
        self.say(f"{depth} big blinds each, reset for every hand; {blinds}; seed {table.seed}.")
        for note in table.notes:
            self.complain(note)
        self.say(
            "[dim]Type c, k, f, r 12, half, pot, all in; ? for help, hint for advice, q to quit.[/]"
        )

    def begin(self, view: View, number: int) -> None:
        self.say()
        self.console.rule(f"hand {number}: {position(view)}", style="dim", align="left")

    def show(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    def think(self, decision: Decision, name: str, view: View) -> None:
        """A decision with its bars."""
        own = decision.source in ("", name)
        source = "" if own else f" [dim]({escape(decision.source)})[/]"
        label = action_label(decision.action, view.betting)
        self.say(f"  {escape(name)}: [bold]{label}[/]{source}")
        self.show(list(bars(decision, view, self.symbols)))

    def after_hand(self, table: TableSession) -> None:
        last = table.last
        assert last is not None
        for fault in last.faults:
            self.complain(f"{table.names[fault.seat]} {fault.kind}: {fault.detail}")
        won = last.payoffs[PERSON] / table.game.rules.big_blind
        colour = "green" if won > 0 else "red" if won < 0 else "dim"
        self.say(f"[{colour}]{won:+,.1f} bb[/]   [dim]so far {table.result}[/]")

    def goodbye(self, table: TableSession, file: HandFile | None) -> None:
        self.say(f"[bold]{table.result}[/]")
        if file and table.hands:
            self.say(f"hands saved to {escape(str(file.path))}")
        self.say("[dim]Thank you for the game.[/]")


class _Person:
    """The person at the keyboard."""

    def __init__(self, screen: _Screen, table: TableSession) -> None:
        self.screen, self.table = screen, table
        self._lines_shown = 0
        self._asked, self._unasked = False, 0

    def play_hand(self) -> HandRecord:
        """Announce a hand and play it; events are shown before each decision and at the end.

        `StoodUp` and Ctrl-C pass through, and the hand is void.
        """
        self._lines_shown, self._asked = 0, False
        with self.screen.thinking():
            hand = self.table.begin()
        self.screen.begin(hand.view(PERSON), self.table.hands + 1)
        while True:
            with self.screen.thinking():
                view = hand.advance()
            if view is None:
                break
            hand.act(self._decide(view))
        self._catch_up(hand.view(PERSON))
        return self.table.finish(hand)

    def _decide(self, view: View) -> Action:
        """Ask until the answer is a legal action."""
        self._asked = True
        self._catch_up(view)
        if len(view.stacks) > 2:
            self.screen.show(list(table_lines(view, self.table.names)))
        self.screen.show(list(situation(view, self.table.names)))
        self.screen.forget_typed()
        while True:
            text = self.screen.ask("> ")
            word = read_word(text)
            if word:
                self._answer(word, view)
                continue
            try:
                return read_action(text, view)
            except InputError as problem:
                self.screen.complain(str(problem))

    def is_gone(self) -> bool:
        """Whether no answer can come any more: the input is over, and a hand asked for none.

        Against an opponent who always folds the button, the big blind never has a decision.
        """
        self._unasked = 0 if self._asked else self._unasked + 1
        if self._asked or self.screen.pause:
            return False
        line = self.screen.next_line()
        if line is None:
            return False
        return not line or read_word(line) == "quit" or self._unasked >= _UNASKED

    def between_hands(self) -> None:
        """Wait until the person has seen the result."""
        self.screen.forget_typed()
        while self.screen.pause:
            text = self.screen.ask("Enter deals the next hand, why shows what the agents thought: ")
            word = read_word(text)
            if word and word != "hint":
                self._answer(word, None)
            elif not text.strip():
                return
            else:
                self.screen.complain("no hand is being played; press Enter, or type why, ? or q")

    def _catch_up(self, view: View) -> None:
        names = with_positions(view, self.table.names)
        lines = list(lines_of(view, names, self.screen.symbols))
        self.screen.show(lines[self._lines_shown :])
        self._lines_shown = len(lines)

    def _answer(self, word: str, view: View | None) -> None:
        """Answer a command that is not an action, such as help."""
        if word == "quit":
            raise StoodUp
        if word == "help":
            self.screen.say(escape(HELP))
        elif word == "result":
            self.screen.say(str(self.table.result))
        elif word == "why":
            self._why()
        elif view is not None:
            self._hint(view)

    def _hint(self, view: View) -> None:
        name = self.table.names[1]
        try:
            with self.screen.thinking():
                decision = self.table.hint(view)
        except OptionError as problem:  # an agent may not know this game; no reason to stop
            self.screen.complain(str(problem))
            return
        self.screen.say("[dim]in your place[/]")
        self.screen.think(decision, name, view)
        if not decision.policy:
            self.screen.say("    [dim](it does not report other actions)[/]")

    def _why(self) -> None:
        """The agents' decisions in the previous hand, with the cards that were shown."""
        screen, table = self.screen, self.table
        if table.last is None:
            screen.complain("no hand is over yet; why explains the previous one")
            return
        shown = dict(table.last.final.shown)
        if not table.thoughts:
            screen.say("[dim]nobody else had anything to decide[/]")
        for view, decision in table.thoughts:
            board = f" {cards_markup(view.board, screen.symbols)}" if view.board else ""
            cards = ""
            if view.seat in shown:
                words = hand_words(view, view.cards)
                cards = f", with {cards_markup(view.cards, screen.symbols)} {words}".rstrip()
            screen.say(f"[dim]{view.street_name}[/]{board}, pot {view.pot}{cards}")
            screen.think(decision, table.names[view.seat], view)
