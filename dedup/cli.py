"""`vocparty dedup`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from catalog.command import party_option
from vockit.format.plural import format_count, is_or_are

if TYPE_CHECKING:
    from catalog.party import Party

_NEXT = (
    "Next: check the uncertain pairs on the page Near-duplicates of `vocparty serve`, or with "
    "`vocparty dedup --report OUT.html`."
)


@click.command()
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
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
@click.option(
    "--report",
    "--html",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT",
    help="Write a page with pictures to this file. Of a party: only that, with its decisions so "
    "far.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON document. Of a party: only that, with its decisions so far.",
)
@click.option(
    "--move",
    "destination",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Move the files of FOLDER that need not be kept into this folder.",
)
@party_option
@click.pass_context
def dedup(
    context: click.Context,
    folder: Path | None,
    workers: int | None,
    dask_address: str | None,
    report_file: Path | None,
    destination: Path | None,
    party_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Put near-duplicates of a party aside, or list those in any FOLDER.

    Of near-duplicates the original is kept: the image without added margins, text or enlarging,
    then the least recompressed, the earliest uploaded, the one with the freest licence. What people
    have annotated is always kept. Running it again takes up what came since, or what an interrupted
    run left.

    With FOLDER no party is needed, and nothing is changed unless --move says so: the files that
    show the same photograph are listed, with the one to keep and why.

    \b
    Example:
      vocparty dedup --party zoo --workers 4
      vocparty dedup --party zoo --report duplicates.html
      vocparty dedup holiday --html duplicates.html
    """
    if folder is not None:
        if context.get_parameter_source("party_folder") is ParameterSource.COMMANDLINE:
            raise click.UsageError("FOLDER is looked at without a party; leave out --party.")
        if dask_address is not None:
            raise click.UsageError("--dask works for a party only; leave it out with FOLDER.")
        from catalog.settings import FILE_NAME

        if (folder / FILE_NAME).is_file():
            raise click.UsageError(f"{folder} is a party; give --party {folder} instead of FOLDER.")
        from .folder.command import dedup_folder

        status = dedup_folder(
            folder, workers=workers, page=report_file, destination=destination, as_json=as_json
        )
        context.exit(status)
    if destination is not None:
        raise click.UsageError(
            "--move works for a FOLDER only; a party's images stay in its store."
        )
    from catalog.party import find_party_folder, open_party

    with open_party(party_folder or find_party_folder(Path.cwd())) as party:
        if report_file is not None or as_json:
            _report(party, report_file, as_json)
        else:
            _dedup_party(party, workers, dask_address)


def _dedup_party(party: Party, workers: int | None, dask_address: str | None) -> None:
    import logging
    from dataclasses import replace

    from sqlalchemy import select

    from catalog.errors import ImageStoreError
    from catalog.stats import FIRST_STEP
    from catalog.tables import Image
    from vockit.command_line import show_log
    from vockit.report.progress import progress

    from .errors import DecoderError
    from .jobs import DedupSummary, remove_duplicates

    show_log(logging.WARNING)
    with party.catalogue.reading() as session:
        if session.scalar(select(Image.id).limit(1)) is None:
            click.echo(f"No images yet. {FIRST_STEP}")
            return
    done = remove_duplicates(party, workers=workers, dask_address=dask_address, watch=progress)
    if replace(done, waiting=0, doubted=0) == DedupSummary():
        click.echo("Nothing new: all images are hashed and compared.")
    else:
        click.echo(
            f"{done.hashed:,} hashed, {done.broken:,} broken, "
            f"{format_count(done.duplicates, 'near-duplicate')} removed, "
            f"{format_count(done.linked, 'pair')} linked, {done.pool:,} ready to annotate."
        )
    if done.duplicates or done.linked:
        click.echo(_NEXT)
    if done.doubted:
        raise DecoderError(
            f"{format_count(done.doubted, 'image')} could not be decoded, as said above. Nothing "
            "was changed about that: files are whole when they are stored, so this machine may "
            "be at fault. Open one of them in another program, and run this again in an hour: "
            "what cannot be decoded then is recorded as broken."
        )
    if done.waiting:
        raise ImageStoreError(
            f"{format_count(done.waiting, 'image')}, named above with the reason, "
            f"{is_or_are(done.waiting)} left as {'they are' if done.waiting > 1 else 'it is'}: the "
            "file is lost, or decoding it ended the process. Bring lost files back from a backup, "
            "or free memory; then run this again. What cannot be helped is withdrawn with "
            "`vocparty takedown`."
        )


def _report(party: Party, path: Path | None, as_json: bool) -> None:
    """Tell what was decided so far; nothing is changed."""
    import json
    from datetime import UTC, datetime

    from vockit.errors import SettingsError
    from vockit.format.own_files import write_own_page

    from .report.figures import load_dedup_report
    from .report.page import format_page

    if path is not None:
        party.store.refuse_inside(path)
    with party.catalogue.reading() as session:
        report = load_dedup_report(session, party.settings.name, datetime.now(UTC))
    if path is not None:
        try:
            write_own_page(path, format_page(report, party.store, party.settings.serve).encode())
        except OSError as error:
            raise SettingsError(f"{path} cannot be written: {error.strerror}.") from error
        click.echo(f"Wrote {path}.", err=as_json)
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
