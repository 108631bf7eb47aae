"""`vocparty init`, `vocparty preset` and `vocparty progress`."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party

if TYPE_CHECKING:
    from catalog.party import Party
    from catalog.preset import Preset
    from catalog.stats import PartyCounts


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--preset",
    default="voc2012",
    show_default=True,
    help="Classes and rules: voc2012, voc2007, or a TOML file, which is copied into the party.",
)
@click.option("--classes", metavar="A,B,...", help="Classes of your own, in place of a preset.")
@click.option("--name", help="The party's name (default: the folder's name).")
@click.option(
    "--source",
    type=click.Choice(["flickr", "commons", "table"]),
    default="flickr",
    show_default=True,
    help="Where photographs are searched for; Wikimedia Commons and tables need no key.",
)
def init(folder: Path, preset: str, classes: str | None, name: str | None, source: str) -> None:
    """Make a new party in DIR: settings, catalogue, image store.

    On an existing party it brings the catalogue up to this program's version.

    \b
    Example:
      vocparty init zoo --classes zebra,lion,giraffe
    """
    from catalog.party import make_party
    from catalog.preset import parse_preset
    from catalog.validation import read_text

    text = None
    if classes is not None:
        preset = "preset.toml"
        text = _write_preset("own", classes, origin="--classes")
    elif preset.endswith(".toml") and (file := Path(preset)).exists():
        preset = file.name
        text = read_text(file)
        parse_preset(text, origin=preset)
    party_name = name or folder.resolve().name
    commons = {"contact": ""} if source == "commons" else {}
    values = {"collect": {"source": source, **commons}}
    if make_party(folder, name=party_name, preset=preset, values=values, preset_text=text):
        if classes:
            click.echo(f"The classes and their queries stand in {folder}/{preset}; edit it.")
        click.echo(f"Made the party {folder}. Next: {_FIRST[source].format(folder=folder)}")
        click.echo(f"run `vocparty collect --party {folder}`, or import photographs:")
        click.echo(f"`vocparty import folder PHOTOGRAPHS --party {folder}`.")
    else:
        click.echo(f"{folder} is already a party. Its catalogue is up to date.")


_FIRST = {
    "flickr": 'put a Flickr key into {folder}/party.toml\n(source = "commons" needs none) and',
    "table": "run `vocparty source add FILE --party {folder}`,",
    "commons": "set contact in {folder}/party.toml to your address,",
}


def _write_preset(name: str, classes: str, *, origin: str) -> str:
    """The commented text of a preset with these classes; raises SettingsError for a wrong one."""
    from jinja2 import Template

    from catalog.preset import parse_preset

    template = Template(Path(__file__).with_name("new_preset.toml").read_text("utf-8"))
    names = [word.strip() for word in classes.split(",") if word.strip()]
    text: str = template.render(name=name, class_names=names, year=datetime.now(UTC).year)
    parse_preset(text, origin=origin)
    return text


@click.group()
def preset() -> None:
    """Write the template of a preset of your own, or check one."""


@preset.command("new")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--classes", default="zebra,lion", show_default=True, metavar="A,B,...")
def new_preset(file: Path, classes: str) -> None:
    """Write a commented preset to FILE, to be edited.

    \b
    Example:
      vocparty preset new zoo.toml --classes zebra,lion
    """
    from vockit.format.own_files import refuse_in_tree

    refuse_in_tree(file)
    text = _write_preset(file.stem, classes, origin=file.name)
    try:
        with file.open("x", encoding="utf-8") as lines:
            lines.write(text)
    except FileExistsError as error:
        message = f"{file} already exists. Name another file."
        raise click.ClickException(message) from error
    click.echo(f"Wrote {file}. Edit it, then run `vocparty preset check {file}`.")


@preset.command("check", short_help="Say what FILE holds and what is wrong; try an export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def check_preset(file: Path, as_json: bool) -> None:
    """Say what FILE holds, and what is missing or wrong; try an export of made images.

    \b
    Example:
      vocparty preset check zoo.toml
    """
    from catalog.group_limits import list_warnings
    from catalog.preset import parse_preset
    from catalog.validation import read_text
    from export.trial import try_preset
    from vockit.format.plural import format_count

    checked = parse_preset(read_text(file), origin=file.name)
    images = try_preset(checked)
    if as_json:
        click.echo(json.dumps(asdict(checked), indent=2))
        return
    flags = ", ".join(flag.name for flag in checked.flags) or "none"
    click.echo(f"{checked.title}: {len(checked.classes)} classes, flags: {flags}.")
    for item in checked.classes:
        queries = ", ".join(item.queries) or "no query, so nothing is collected for it"
        click.echo(f"  {item.display}: {queries}")
    if checked.groups:
        click.echo(f"Groups: {', '.join(group.display for group in checked.groups)}.")
    for warning in list_warnings(checked):
        click.echo(f"Warning: {warning}")
    made = format_count(images, "made image")
    click.echo(f"A release of {made} with all of its words keeps every rule of the format.")
    click.echo(f"The preset is complete. Next: `vocparty init DIR --preset {file}`.")


@click.command()
@with_party
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def stats(party: Party, as_json: bool) -> None:
    """Show progress: counts by state and class, people, releases.

    \b
    Example:
      vocparty progress --party zoo --json
    """
    from catalog.stats import load_party_counts

    with party.catalogue.reading() as session:
        counts = load_party_counts(session)
    if as_json:
        click.echo(json.dumps(asdict(counts), indent=2))
    else:
        _show(party.settings.name, counts, party.preset)


def _show(name: str, counts: PartyCounts, preset: Preset) -> None:
    from catalog.stats import FIRST_STEP

    click.echo(name)
    for title, numbers, displays in (
        ("photos", counts.photos, {}),
        ("images", counts.images, {}),
        ("discarded: reasons", counts.discarded, preset.reason_displays),
        ("objects", counts.classes, preset.class_displays),
    ):
        click.echo(f"\n{title}")
        for key, count in [pair for pair in numbers.items() if pair[1]] or [("none yet", 0)]:
            click.echo(f"  {displays.get(key, key.replace('_', ' ')):<38}{count:>8}")
    click.echo(f"\npeople {counts.people}, revisions {counts.revisions}, ", nl=False)
    click.echo(f"reviews {counts.reviews}", nl=False)
    click.echo(f"; imported annotations {counts.imported}" if counts.imported else "")
    click.echo(f"releases: {', '.join(counts.releases) or 'none yet'}")
    if not any(counts.photos.values()) and not any(counts.images.values()):
        click.echo(FIRST_STEP)
        return
    click.echo("What was collected, by class, query, date and owner: vocparty collected --help")
    if not counts.people:
        click.echo("Next: `vocparty dedup`, then `vocparty people add NAME --role annotator`.")
