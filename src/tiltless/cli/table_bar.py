"""Progress bar for reading or building bucket tables."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.tables import estimate_build, missing_tables
from tiltless.cli import ui

__all__ = ["bar", "shown_steps", "shown_tables"]


def bar() -> Progress:
    """A bar with a percentage that stays on standard error when it is complete."""
    return ui.bar(transient=False)


@contextmanager
def shown_tables(
    console: Console, abstraction: CardAbstraction
) -> Iterator[Callable[[str, int, int], None] | None]:
    """A ``progress`` for `build_tables`: shows an estimate and a bar if tables must be built."""
    if not missing_tables(abstraction):
        with console.status("reading bucket tables"):
            yield None
        return
    with console.status("bucket tables are missing; timing a few boards"):
        guess = estimate_build(abstraction)
    ui.say(
        console, f"building bucket tables of {abstraction.name}, once: about {guess.seconds:.0f} s"
    )
    streets = (f"{street} table" for street in guess.by_street)
    with shown_steps(streets) as tell:
        yield lambda street, done, boards: tell(f"{street} table", done, boards)


@contextmanager
def shown_steps(names: Iterable[str] = ()) -> Iterator[Callable[[str, int, int], None]]:
    """A ``progress`` with a bar for each step.

    names: steps whose bars are shown from the beginning.
    """
    with bar() as shown:
        tasks: dict[str, TaskID] = {name: shown.add_task(name, total=1.0) for name in names}

        def tell(name: str, done: int, steps: int) -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name, total=1.0)
            shown.update(tasks[name], completed=done / steps)

        yield tell
