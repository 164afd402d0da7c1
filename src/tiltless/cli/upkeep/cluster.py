"""``tiltless cluster``: machines that work together; one is started, the others join it."""

from typing import Annotated

import typer

from tiltless.cli import ui
from tiltless.distributed.connect import AUTO, connected
from tiltless.distributed.nodes import PORT, run_node

__all__ = ["app"]

app = typer.Typer(
    help="Run a Ray cluster: start it on one machine, join it from others (docs/scaling.md).",
    no_args_is_help=True,
    add_completion=False,
)

Cores = Annotated[
    int, typer.Option(help="Number of cores to use, one worker each; 0 means all.", min=0)
]
Store = Annotated[
    int,
    typer.Option(
        help="Size in MB of the object store, which holds the tables of a training run; 0 "
        "means 30 % of the memory.",
        min=0,
    ),
]
Host = Annotated[
    str, typer.Option(help="Address at which other machines reach this one; detected if empty.")
]


@app.command()
def start(
    port: Annotated[int, typer.Option(help="Port of the cluster.", min=1, max=65535)] = PORT,
    host: Host = "",
    cores: Cores = 0,
    store: Store = 0,
) -> None:
    """Start a cluster on this machine; Ctrl-C ends it.

    Prints the address, the token file and the command for the other machines.
    """
    typer.echo("starting Ray", err=True)
    run_node(typer.echo, port=port, host=host, cores=cores, store_bytes=store << 20)


@app.command()
def join(
    address: Annotated[
        str, typer.Argument(help="Cluster address, HOST:PORT, as tiltless cluster start prints it.")
    ],
    host: Host = "",
    cores: Cores = 0,
    store: Store = 0,
) -> None:
    """Join a cluster as a worker; after Ctrl-C, other machines take over the unfinished jobs.

    The token of the first machine must be in the same file here.
    """
    typer.echo(f"starting Ray and joining {address}, for up to two minutes", err=True)
    run_node(typer.echo, join=address, host=host, cores=cores, store_bytes=store << 20)


@app.command()
def status(
    address: Annotated[str, typer.Argument(help="Cluster address: auto, or HOST:PORT.")] = AUTO,
    as_json: ui.AsJson = False,
) -> None:
    """Show the machines of a cluster, their workers, and which are refused."""
    with connected(address) as executor:
        machines = executor.check()
    if as_json:
        ui.print_json({"machines": [each._asdict() for each in machines]})
        return
    for each in machines:
        state = f"refused: {each.refused}" if each.refused else f"{each.workers} workers"
        typer.echo(f"{each.name}: {each.cores} cores, {state}")
