"""``knee schema``: the JSON Schema of a verb's ``--json``."""

from __future__ import annotations

from importlib import resources

import click

from knee.errors import KneeError


@click.command
@click.argument("verb")
def command(verb: str) -> None:
    """Print the JSON Schema of what VERB writes with --json."""
    folder = resources.files("knee") / "schemas"
    known = sorted(
        entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json")
    )
    if verb not in known:
        raise KneeError(f"there is no schema for '{verb}'", f"there are {', '.join(known)}")
    click.echo((folder / f"{verb}.json").read_text(encoding="utf-8"), nl=False)
