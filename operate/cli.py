"""`vocparty backup`, `restore`, `move`, `doctor` and `classes`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import party_option, with_data, with_party

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalog.party import Party, PartyData

    from .checks import Check

_SIGNS = {"ok": "ok      ", "repaired": "repaired", "warning": "WARNING ", "error": "ERROR   "}


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@partial(with_data, needs_store=False)  # the rows are kept also where a disk is lost
def backup(party: PartyData, file: Path) -> None:
    """Write the whole party into the new FILE, a tar archive, also while people work.

    It holds personal data, the Flickr key and the key of the sessions: keep it as they are kept.

    \b
    Example:
      vocparty backup zoo-2026-01-31.tar --party zoo
    """
    from vockit.report.progress import progress

    from .backup import write_backup

    with progress("Images", _count_files(party), "files") as advance:
        done = write_backup(party, file, advance)
    size = file.stat().st_size / 1e6
    click.echo(f"{file}: {done.files:,} files and the catalogue of {done.made_at}, {size:,.0f} MB.")
    click.echo(f"Restore it with `vocparty restore {file} NEW_FOLDER`.")
    _tell_absent(
        done.left_out,
        done.missing,
        "are not in the backup",
        "Their rows are in it. Mount the disk of the image store if it is not mounted, or bring "
        "the files back from an older backup; then write a new backup.",
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def restore(file: Path, folder: Path) -> None:
    """Make the party of the backup FILE in the new folder DIR, on SQLite; every file is checked.

    \b
    Example:
      vocparty restore zoo-2026-01-31.tar zoo-again
    """
    from .backup import restore_backup
    from .move import MISSING_LIST

    done = restore_backup(file, folder)
    click.echo(f"{folder} is the party {done.name} as of {done.made_at}: {done.files:,} files.")
    click.echo(f"Look at it with `vocparty progress --party {folder}`.")
    _tell_absent(
        done.left_out,
        done.missing,
        "were not in the backup",
        f"{folder / MISSING_LIST} lists them. Everything else is there; bring them back from "
        f"another backup or from the old party, into {folder / 'images'}.",
    )


@click.command()
@click.option("--to", required=True, metavar="URL", help="An empty database: postgresql://...")
@click.option("--images", metavar="URL", help="The new image store, as s3://BUCKET/FOLDER.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The new party's folder; without it, the old one's name with -moved.",
)
@with_party
def move(party: Party, to: str, images: str | None, folder: Path | None) -> None:
    """Copy the party to another database and image store; the old one stays as it is.

    Stop `vocparty serve` there first: a move refuses while it is at work. Images that people hold
    are given back in the new party. A stopped move goes on with the same command.

    \b
    Example:
      vocparty move --to postgresql://ann@db/zoo --images s3://zoo/images --party zoo
    """
    from vockit.report.progress import progress

    from .move import MISSING_LIST, move_party
    from .rows import count_rows

    new = folder or party.folder.with_name(f"{party.folder.name}-moved")
    with party.catalogue.reading() as session:
        rows = count_rows(session)
    with (
        progress("Rows", rows, "rows") as advance_rows,
        progress("Images", _count_files(party), "files") as advance_files,
    ):
        done = move_party(
            party,
            new,
            to=to,
            images=images,
            advance_rows=advance_rows,
            advance_files=advance_files,
        )
    click.echo(f"Copied and compared {done.rows:,} rows and {done.files:,} files; {new} is ready.")
    if done.ended:
        click.echo(f"Ended in the new party, where no page is open: {', '.join(done.ended)}.")
    click.echo(f"Continue there: `vocparty serve --party {new}`.")
    if done.is_noted:
        click.echo(f"Commands in {party.folder} say from now on where the party went.")
    else:
        click.echo(f"{party.folder} could take no note of that: keep people from working there.")
    _tell_absent(
        done.left_out,
        done.missing,
        "were not moved",
        f"{new / MISSING_LIST} lists them. Everything else is there; bring them back into the new "
        "image store, or into the old one, and then move to another new folder and an "
        "empty database.",
    )


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired safely.")
@click.option(
    "--trust-rows", is_flag=True, help="Rebuild indexes that differ from rows: the rows are right."
)
@click.option(
    "--claim-store", is_flag=True, help="Make the image store this party's, and no other's."
)
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="The port of `vocparty serve`.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@party_option
@click.pass_context
def doctor(
    context: click.Context, /, port: int, as_json: bool, party_folder: Path | None, **orders: bool
) -> None:
    """Check keys, disk, clock, port, settings, the catalogue, and the digest of every image.

    Where a row and its index differ, doctor keeps a copy and names both values; --trust-rows is for
    a person who compared them.

    \b
    Example:
      vocparty doctor --party zoo --repair
    """
    from catalog.party import find_party_folder

    from .doctor import Orders, examine

    folder = (party_folder or find_party_folder(Path.cwd())).resolve()
    checks: list[Check] = []
    for check in examine(folder, port=port, orders=Orders(**orders)):
        checks.append(check)
        if not as_json:
            click.echo(f"{_SIGNS[check.state]} {check.name}: {check.text}")
    if as_json:
        report = {"party": str(folder), "checks": [check.as_json() for check in checks]}
        click.echo(json.dumps(report, indent=2))
    if any(check.state == "error" for check in checks):
        context.exit(1)


@click.group()
def classes() -> None:
    """Rename, merge or split classes, views, parts and actions, also while people draw."""


of_kind = click.option(
    "--kind",
    type=click.Choice(["class", "group", "view", "part", "action"]),
    default="class",
    show_default=True,
    help="What OLD is.",
)


@classes.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_party
def list_classes(party: Party, as_json: bool) -> None:
    """List the classes with their objects, and every change of them.

    \b
    Example:
      vocparty classes list
    """
    from catalog.stats import load_party_counts
    from catalog.words import list_changes

    with party.catalogue.reading() as session:
        drawn = dict(load_party_counts(session).classes)
        changes = [
            {
                "by": change.made_by,
                "kind": change.kind.value,
                "change": change.what,
                "to": change.new_names,
                "at": f"{change.made_at:%Y-%m-%dT%H:%M:%SZ}",
                "from": change.old_name,
            }
            for change in list_changes(session)
        ]
    counts = {name: drawn.get(name, 0) for name in party.preset.class_names}
    if as_json:
        click.echo(json.dumps({"classes": counts, "changes": changes}, indent=2))
        return
    for name, count in counts.items():
        click.echo(f"{name:<24} {count:>10,}")
    for change in changes:
        names = ", ".join(change["to"])
        click.echo(
            f"{change['at']}  {change['by']}: {change['change']} {change['kind']} {change['from']} "
            f"to {names}"
        )


@classes.command(short_help="Call the class OLD by the name NEW from now on")
@click.argument("old")
@click.argument("new")
@of_kind
@with_party
def rename(party: Party, old: str, new: str, kind: str) -> None:
    """Call the class OLD by the name NEW from now on; earlier releases stay as they are.

    \b
    Example:
      vocparty classes rename sofa couch
      vocparty classes rename Left Port --kind view
    """
    from .words import rename_word

    _change(party, rename_word, old, new, kind=kind)


@classes.command(short_help="Make every object of the class OLD one of the class INTO")
@click.argument("old")
@click.argument("into")
@of_kind
@with_party
def merge(party: Party, old: str, into: str, kind: str) -> None:
    """Make every object of the class OLD one of the class INTO, and give OLD up.

    \b
    Example:
      vocparty classes merge sofa chair
      vocparty classes merge running walking --kind action
    """
    from .words import merge_words

    _change(party, merge_words, old, into, kind=kind)


@classes.command(short_help="Split the class OLD; its images are annotated again")
@click.argument("old")
@click.option("--into", required=True, metavar="A,B", help="The new classes; OLD may be one.")
@with_party
def split(party: Party, old: str, into: str) -> None:
    """Split the class OLD; its images are annotated again to tell the new ones apart.

    \b
    Example:
      vocparty classes split chair --into chair,stool
    """
    from .words import split_class

    names = tuple(word.strip() for word in into.split(",") if word.strip())
    _change(party, split_class, old, names)


@classes.command(short_help="Say how the edited preset is read; with --yes take it so")
@click.option("--yes", is_flag=True, help="Change the words so; without it, only say it.")
@partial(with_party, takes_edits=True)
def apply(party: Party, yes: bool) -> None:
    """Say what each line of the edited preset is taken for, and with --yes take it so.

    A class, view, part or action is told by its key, which is its first name where the file gives
    none. To rename it in the file, keep its key: { key = "sofa", name = "couch" }.

    \b
    Example:
      vocparty classes apply
      vocparty classes apply --yes
    """
    from vockit.format.plural import format_count
    from work.campaigns import find_user

    from .words import apply_edits, describe_lines

    with party.catalogue.reading() as session:
        lines = describe_lines(session, party)
    for line in lines:
        click.echo(line)
    if not yes:
        click.echo("Nothing was changed. To change the words so: vocparty classes apply --yes")
        return
    with party.catalogue.writing() as session:
        count = apply_edits(session, party, made_by=find_user(), at=datetime.now(UTC))
    click.echo(f"{format_count(count, 'word')} changed. Start `vocparty serve` again.")


def _change(
    party: Party, change: Callable[..., str], *words: object, kind: str | None = None
) -> None:
    from catalog.states import WordKind
    from work.campaigns import find_user

    of_kind = {} if kind is None else {"kind": WordKind(kind)}
    origin = {"made_by": find_user(), "at": datetime.now(UTC)}
    with party.catalogue.writing() as session:
        result = change(session, party, *words, **of_kind, **origin)
    click.echo(result)


def _count_files(party: PartyData) -> int:
    return sum(1 for _digest in party.store.digests())


def _tell_absent(
    damaged: Sequence[str], missing: Sequence[str], what: str, what_to_do: str
) -> None:
    """Say how many files are damaged or missing, and exit with 1; nothing where none is."""
    if not damaged and not missing:
        return
    from catalog.stored_files import name_digests

    names = name_digests([*damaged, *missing])
    text = f"{len(damaged) + len(missing):,} damaged or missing files {what} ({names}): "
    text += f"{len(damaged):,} damaged, {len(missing):,} missing. {what_to_do}"
    click.echo(f"Error: {text}", err=True)
    click.get_current_context().exit(1)
