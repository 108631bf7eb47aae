"""`vocparty serve`."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for the network.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65_535))
@click.option("--workers", type=click.IntRange(1), help="Processes. [1; PostgreSQL: cores, max. 4]")
@click.option("--threads", default=8, show_default=True, type=click.IntRange(1))
@click.option("--proxy", metavar="ADDRESS", help="A proxy whose X-Forwarded headers are believed.")
@click.option("--access-log", metavar="FILE", help="A line of JSON per page, change or failure.")
@with_party
def serve(party: Party, /, workers: int | None, access_log: str | None, **options: Any) -> None:
    """Serve the annotation party to browsers until Ctrl-C.

    \b
    Example:
      vocparty serve --party zoo --host 0.0.0.0 --port 8080
    """
    if workers is None:
        is_sqlite = party.catalogue.engine.dialect.name == "sqlite"
        workers = 1 if is_sqlite else min(os.cpu_count() or 1, 4)
    with tempfile.TemporaryDirectory() as folder:
        if workers > 1:  # read by prometheus_client when it is imported
            os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)

        from catalog.states import Role
        from vockit.errors import SettingsError
        from web.operation import write_access_log

        from .serving import ServeOptions, describe_reach
        from .serving import serve as serve_party

        def announce(base_url: str) -> None:
            click.echo(f"Serving {party.settings.name} on {base_url}; Ctrl-C stops.")
            if reach := describe_reach(options["host"], base_url, party.settings.serve.url):
                click.echo(reach)
            roles = "|".join(Role)
            click.echo(f"Personal links: vocparty people add NAME --role {roles}")

        if access_log:
            try:
                write_access_log(access_log)
            except OSError as error:
                raise SettingsError(f"{access_log} cannot be written: {error.strerror}.") from error
        serve_party(party, ServeOptions(workers=workers, **options), announce)
    click.echo("Stopped; everything that was saved is in the catalogue.")
