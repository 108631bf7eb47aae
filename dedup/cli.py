"""`vocparty dedup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.command()
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Files decoded at once; else as many as there are processors, or threads of the cluster.",
)
@click.option(
    "--dask",
    "dask_address",
    metavar="ADDRESS",
    help="Work on the Dask cluster whose scheduler is there (tcp://HOST:PORT).",
)
@with_party
def dedup(party: Party, workers: int | None, dask_address: str | None) -> None:
    """Hash the fetched images and put near-duplicates aside.

    Of images that are near-duplicates one is kept: the largest, then the earliest uploaded, then
    the one with the freest licence. What people have annotated is always kept. Running it again
    takes up what came since, or what an interrupted run left.

    \b
    Example:
      vocparty dedup --party zoo --workers 4
    """
    import logging

    from catalog.command import show_log
    from catalog.progress import progress

    from .jobs import remove_duplicates

    show_log(logging.WARNING)
    done = remove_duplicates(party, workers=workers, dask_address=dask_address, watch=progress)
    click.echo(
        f"{done.hashed} hashed, {done.broken} broken, {done.duplicates} near-duplicates put aside, "
        f"{done.linked} pairs linked, {done.pool} new in the pool."
    )
