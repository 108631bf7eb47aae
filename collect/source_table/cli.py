"""`vocparty source`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import with_data, with_party
from vockit.command_line import get_loudness
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party, PartyData

    from .sample_file import About

_TELL_EVERY_SECS = 5.0
_MOST_QUERIES = 10


@click.group()
def source() -> None:
    """Add a table of photographs as a source, list them, or remove one."""


@source.command("add", short_help="Read a table of photographs, and keep a sample of it")
@with_party
@click.argument("table", metavar="FILE-OR-FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["yfcc100m", "inaturalist", "csv"]),
    help="What the table is (default: what its first row looks like).",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="The column of a field: url, id, page, title, description, tags, owner, owner_name, "
    "licence, taken, uploaded, latitude, longitude; repeatable.",
)
@click.option("--name", help="The table's name (default: yfcc100m, or that of the file).")
@click.option("--licence", help="The licence (id or name) of photographs without one.")
@click.option("--seed", type=int, help="Random seed; the same seed gives the same sample.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def add_source(
    party: Party,
    /,
    table: Path,
    format_name: str | None,
    columns: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Read a table of photographs once, and keep a sample of it to collect from.

    The table is YFCC100M (its SQLite file or its text, packed or not), or any CSV, TSV, JSON lines
    or Parquet with a column for the addresses of pictures. Of each query and month, the sample
    keeps some photographs by chance. It is a small file in the party; a second party may be given
    it as the table.

    \b
    Example:
      vocparty source add yfcc100m_dataset.sql
      vocparty source add museum.csv --column url=image --column title=name
    """
    from .job import TableOrder, add_table

    order = TableOrder(table, format_name, _parse_columns(columns), **chosen)
    added = add_table(party, order, now=lambda: datetime.now(UTC), advance=_make_advance())
    if as_json:
        document: dict[str, Any] = {"sample": str(added.sample), **asdict(added.about)}
        document |= {"photos": added.photos, "unanswered": list(added.unanswered)}
        document["foreign_hosts"] = list(added.foreign_hosts)
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(_describe_pass(added.about, added.photos, added.sample.stat().st_size))
    if added.replaces:
        click.echo(
            f"It replaces another table of the name {added.about.name}; --name keeps both, and a "
            "folder holds the parts of one."
        )
    if added.unanswered:
        named = ", ".join(added.unanswered[:_MOST_QUERIES])
        more = ", and more" if len(added.unanswered) > _MOST_QUERIES else ""
        count = format_count(len(added.unanswered), "query", "queries")
        click.echo(f"No photograph answers {count}: {named}{more}.")
    if added.foreign_hosts:
        hosts = ", ".join(f'"{host}"' for host in added.foreign_hosts)
        click.echo(
            "Its pictures are on hosts that may not be asked yet. Add them to party.toml:\n\n"
            f"[table]\nimage_hosts = [{hosts}]\n"
        )
        if any(":" in host for host in added.foreign_hosts):
            click.echo(
                "A host with a port may also have an address of your own network: add only hosts "
                "that you trust.\n"
            )
    if party.settings.collect.source != "table":
        click.echo('Set source = "table" under [collect] in party.toml.')
    click.echo("Next: `vocparty collect --plan`.")


@source.command("list", short_help="List the tables, when they were read, and whether they changed")
@with_data
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_sources(party: PartyData, as_json: bool) -> None:
    """List the tables of the party: what was read, when, and whether it changed since.

    \b
    Example:
      vocparty source list
    """
    from collect.report.figures import describe_rows

    from .keeping import find_changed, load_passes

    with party.catalogue.reading() as session:
        rows = load_passes(session)
        tables = [
            {
                "name": row.name,
                "sha256": row.sha256,
                "sample_sha256": row.sample_sha256,
                "passed_at": f"{row.passed_at:%Y-%m-%dT%H:%M:%SZ}",
                "is_changed": find_changed(row),
                **{name: row.about[name] for name in ("seed", "rows", "answers", "dates")},
            }
            for row in rows
        ]
    if as_json:
        click.echo(json.dumps({"tables": tables}, indent=2))
        return
    for table in tables:
        click.echo(
            f"{table['name']}  {describe_rows(table['rows'], table['answers'])}, seed "
            f"{table['seed']}, read on {table['passed_at']}, SHA-256 {table['sha256']}"
        )
        if table["is_changed"]:
            click.echo(f"  The file of {table['name']} changed since; add it again to use it.")
    if not tables:
        click.echo("No table was added. Next: `vocparty source add FILE`.")


@source.command("remove", short_help="Remove a table and its photographs without annotations")
@with_data
@click.argument("name", metavar="NAME")
@click.option("--dry-run", is_flag=True, help="Only say what would be withdrawn.")
def remove_source(party: PartyData, name: str, dry_run: bool) -> None:
    """Remove a table, and withdraw its photographs that nobody has annotated.

    Annotated ones stay. Those that were withdrawn are not collected again.

    \b
    Example:
      vocparty source remove yfcc100m --dry-run
    """
    from .keeping import remove_table

    plan = remove_table(party, name, now=lambda: datetime.now(UTC), dry_run=dry_run)
    photos = format_count(len(plan.photos), "photograph")
    images = format_count(len(plan.images_taken_down), "image")
    if dry_run:
        click.echo(f"Would withdraw {photos} that nobody has annotated, and take down {images}.")
        return
    click.echo(f"Removed the table {name}; withdrew {photos}, and took down {images}.")


def _parse_columns(columns: tuple[str, ...]) -> dict[str, str]:
    """The columns by field; raises UsageError for an unknown field."""
    from .rows import FIELDS

    pairs = [text.partition("=") for text in columns]
    for name, _sign, column in pairs:
        if name not in FIELDS or not column:
            raise click.UsageError(
                f"--column {name}={column} is wrong: expected FIELD=COLUMN with one of "
                f"{', '.join(FIELDS)}."
            )
    return {name: column for name, _sign, column in pairs}


def _make_advance() -> Callable[[int], None]:
    """What says on standard error from time to time how many rows were read."""
    done = 0
    told_at = time.monotonic()

    def advance(rows: int) -> None:
        nonlocal done, told_at
        done += rows
        if get_loudness() >= 0 and time.monotonic() - told_at >= _TELL_EVERY_SECS:
            told_at = time.monotonic()
            click.echo(f"Reading: {done:,} rows", err=True)

    return advance


def _describe_pass(about: About, photos: int, size_bytes: int) -> str:
    left_out = ", ".join(f"{reason} {count:,}" for reason, count in about.left_out.items())
    lines = [
        f"Read {format_count(about.rows, 'row')} of the table {about.name} "
        f"(SHA-256 {about.sha256[:12]}...): "
        f"{about.answers:,} {'answers' if about.answers == 1 else 'answer'} one of "
        f"{format_count(len(about.queries), 'query', 'queries')} and may be collected.",
        f"The sample has {format_count(photos, 'photograph')}, {size_bytes / 1e6:.1f} MB, "
        f"seed {about.seed}: of each query at most {about.photos_per_month} of a month.",
    ]
    if left_out:
        lines.append(f"Left out: {left_out}.")
    if about.dates == "none":
        lines.append("The table has no dates to draw by, so photographs are drawn without dates.")
    if not about.has_licences:
        lines.append(
            "The table names no licences. Make sure that you may use the photographs; name their "
            "licence with --licence."
        )
    if not about.has_owners:
        lines.append("The table names no owners, so no owner's photographs are limited.")
    return "\n".join(lines)
