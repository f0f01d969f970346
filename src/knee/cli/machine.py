"""``knee machine``: what this machine is, what spoils numbers on it, and what it measures to be."""

from __future__ import annotations

from pathlib import Path

import click

from knee.cli import output
from knee.errors import KneeError


@click.command(
    epilog="""\b
Examples:
  knee machine
  knee machine --probe --plot machine.png
  OMP_NUM_THREADS=$(knee machine --workers) ./prog"""
)
@click.option(
    "--probe", is_flag=True, help="Also measure: cores, lines, latencies, ceiling, bandwidth (about 10 s)."
)
@click.option("--workers", is_flag=True, help="Print the number of useful workers, and nothing else.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw what the probes measured (.png, .svg or .pdf); runs them.",
)
@output.json
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Draw every order from this number."
)
def command(probe: bool, workers: bool, plot: Path | None, json: str | None, seed: int | None) -> None:
    """Show what this machine is made of, how many workers are useful on it, and what spoils numbers on it."""
    from knee.machine import describe, useful_workers

    if workers:
        if probe or plot is not None or json is not None:
            raise KneeError("--workers prints one number only", "leave the other options out, or --workers")
        click.echo(useful_workers())
        return
    output.check(plot, json)
    if probe or plot is not None:
        from knee.views.probing import bars

        with bars() as tell:
            machine = describe(probe=True, seed=seed, progress=tell, earlier=_record())
    else:
        machine = describe()
    if json is not None:
        from knee.views import jsonview

        output.write(json, jsonview.render(machine))
    if json != "-":
        from knee.views.machine import render

        render(machine, output.console())
    if plot is not None:
        from knee.views.machine_plot import save

        try:
            save(machine, plot)
        except OSError as error:
            raise KneeError(f"{plot} cannot be written: {error.strerror}", "name another file") from error
        if json != "-":
            click.echo(f"Plot in {plot}.")


def _record() -> list[float]:
    """Core speeds of earlier runs on this machine, if the project has a store; the machine is shown without it too."""
    from knee.machine import here
    from knee.store.database import Store
    from knee.store.location import locate

    path = locate()
    if not path.exists():
        return []
    try:
        with Store.open(path, readonly=True) as store:
            return [speed for speed in store.core_speeds(here.identity(here.read()[0])) if speed > 0]
    except KneeError as error:
        click.echo(f"knee: earlier speeds are not compared: {error.text}", err=True)
        return []
