"""Progress bar for reading or building bucket tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.tables import estimate_build, missing_tables
from tiltless.cli import ui

__all__ = ["bar", "shown_tables"]


def bar() -> Progress:
    """A bar with a percentage that stays on standard error when it is complete."""
    return ui.bar("{task.description}", "{task.percentage:>3.0f}%", transient=False)


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
    with bar() as shown:
        tasks: dict[str, TaskID] = {
            street: shown.add_task(f"{street} table", total=1.0) for street in guess.by_street
        }

        def tell(street: str, done: int, boards: int) -> None:
            if street not in tasks:
                tasks[street] = shown.add_task(f"{street} table", total=1.0)
            shown.update(tasks[street], completed=done / boards)

        yield tell
