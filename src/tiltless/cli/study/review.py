"""``tiltless review``: what the decisions of hands that were really played cost."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from tiltless.abstraction.cards.tables import build_tables, missing_tables
from tiltless.agents.reviewer import QUICK, Reviewer, ReviewOptions
from tiltless.arena.reviewed_hands import hero_hands
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.strategy import load_blueprint
from tiltless.cli import ui
from tiltless.cli.study.review_text import print_review, review_json
from tiltless.cli.table_bar import shown_tables
from tiltless.errors import OptionError
from tiltless.files.atomic import write_text
from tiltless.files.writable import check_writable
from tiltless.search.review_totals import review_totals, worst_first
from tiltless.system import usable_cores

__all__ = ["review"]

_DEFAULT = ReviewOptions()


def review(
    file: Annotated[
        Path,
        typer.Argument(
            help="Hands: PHH, a poker room's history, a session of `play --save`, or results of "
            "the arena."
        ),
    ],
    hero: Annotated[
        str,
        typer.Option(help="Player to review: a name, or the number of an agent; often not needed."),
    ] = "",
    match: Annotated[
        int | None, typer.Option(help="Number of the match in a results file; by default the last.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(help="Maximum number of hands, from the first.", min=1)
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help=f"Quick review: {QUICK.iterations} iterations, {QUICK.playouts:,} playouts.",
        ),
    ] = False,
    iterations: Annotated[
        int | None,
        typer.Option(
            help=f"Number of iterations for a turn, {_DEFAULT.iterations} by default; a river "
            "gets four times as many.",
            min=1,
        ),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            help=f"Number of playouts per action before the turn, {_DEFAULT.playouts:,} by "
            "default, at least 100; 0 leaves such decisions out.",
            min=0,
        ),
    ] = None,
    worst: Annotated[int, typer.Option(help="Number of decisions to show.", min=0)] = 10,
    html: Annotated[Path | None, typer.Option(help="HTML file for a page with the grids.")] = None,
    unit: Annotated[
        str | None, typer.Option(help="Value of one chip in hands played for money, such as 0.01.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed for the playouts.", min=0)] = 0,
    threads: ui.Threads = 0,
    as_json: ui.AsJson = False,
) -> None:
    """Review hands: the cost of every decision, the worst first, and what the play is worth.

    tiltless review hands.phhs --html review.html

    tiltless review tiltless-results.sqlite --match 3 --hero rules
    """
    if html is not None:
        check_writable(html)
    base = QUICK if quick else _DEFAULT
    options = ReviewOptions(
        base.iterations if iterations is None else iterations,
        base.playouts if playouts is None else playouts,
        seed,
        threads or usable_cores(),
    )
    console = ui.console(stderr=True)
    unread: list[str] = []
    found = hero_hands(file, hero=hero, match=match, unit=unit, problems=unread.append)
    if options.playouts:
        cards = load_blueprint(find_blueprint()).abstraction
        if missing_tables(cards):
            with shown_tables(console, cards) as progress:
                build_tables(cards, progress=progress)
    unread.clear()
    reviewer, reviews = Reviewer(options), []
    with ui.live_line(console) as show:
        for number, view in islice(found.views(), hands):
            reviews.append(reviewer.review(view, number))
            show(f"{len(reviews):,} hands reviewed")
    if not reviews:
        raise OptionError(f"{file} has no hands of {found.hero}; choose another file or hero")
    for problem in unread:
        ui.say(console, f"not read: {problem}")
    totals = review_totals(reviews)
    rows = worst_first(reviews)[:worst]
    if html is not None:
        from tiltless.viz.review_report import review_html

        settings = (
            f"Turns were solved with {options.iterations:,} iterations, rivers with four times as "
            f"many; earlier decisions were estimated with {options.playouts:,} playouts of each "
            "action."
        )
        page = review_html(totals, rows, hero=found.hero, source=file.name, settings=settings)
        write_text(html, page)
    if as_json:
        ui.print_json(
            {"file": str(file), "hero": found.hero, **review_json(totals, reviews)}, indent=None
        )
        return
    print_review(ui.console(), totals, rows)
    if html is not None:
        ui.say(ui.console(), f"page: {html}")
