"""``knee list``: the runs in the store."""

from __future__ import annotations

import click

from knee.cli import options, output


@click.command
@options.stored
@output.json
def command(store: str | None, json: str | None) -> None:
    """List the runs in the store, the newest last."""
    from knee.store.database import Store
    from knee.store.location import locate
    from knee.views import listing

    with Store.open(locate(store), readonly=True) as opened:
        runs = opened.runs()
        if json is not None:
            output.write(json, listing.to_json(runs))
        if json != "-":
            listing.render(runs, str(opened.path), output.console())
