"""`vocparty init` and `vocparty stats`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .command import with_party

if TYPE_CHECKING:
    from .party import Party
    from .preset import Preset
    from .stats import Standing


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--preset", default="voc2012", show_default=True, help="Classes and rules to use.")
@click.option("--name", help="The party's name; without it, the folder's.")
def init(folder: Path, preset: str, name: str | None) -> None:
    """Make a new party in DIR: settings, catalogue, image store.

    On an existing party it brings the catalogue up to this program's version.

    \b
    Example:
      vocparty init zoo --preset voc2012
    """
    from .party import make_party

    if make_party(folder, name=name or folder.resolve().name, preset=preset):
        click.echo(f"Made the party {folder}. Next: put a Flickr key into {folder}/party.toml and")
        click.echo(f"run `vocparty collect --party {folder}`, or import photographs:")
        click.echo(f"`vocparty import folder PHOTOGRAPHS --party {folder}`.")
    else:
        click.echo(f"{folder} is a party already; its catalogue is up to date.")


@click.command()
@with_party
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def stats(party: Party, as_json: bool) -> None:
    """Show progress: counts by state and class, people, releases.

    \b
    Example:
      vocparty stats --party zoo --json
    """
    from .stats import load_standing

    with party.catalogue.reading() as session:
        standing = load_standing(session)
    if as_json:
        click.echo(json.dumps(asdict(standing), indent=2))
    else:
        _show(party.settings.name, standing, party.preset)


def _show(name: str, standing: Standing, preset: Preset) -> None:
    click.echo(name)
    for title, counts, displays in (
        ("photos", standing.photos, {}),
        ("images", standing.images, {}),
        ("discarded because", standing.discarded, preset.reason_displays),
        ("objects", standing.classes, preset.class_displays),
    ):
        click.echo(f"\n{title}")
        for key, count in [it for it in counts.items() if it[1]] or [("none yet", 0)]:
            click.echo(f"  {displays.get(key, key.replace('_', ' ')):<38}{count:>8}")
    click.echo(f"\npeople {standing.people}, revisions {standing.revisions}, ", nl=False)
    click.echo(f"reviews {standing.reviews}")
    click.echo(f"releases: {', '.join(standing.releases) or 'none yet'}")
    for line in _tell_next(standing):
        click.echo(line)


def _tell_next(standing: Standing) -> Iterator[str]:
    """Which command shows more, or what to do next in a new party."""
    from .stats import FIRST_STEP

    if not any(standing.photos.values()) and not any(standing.images.values()):
        yield FIRST_STEP
        return
    yield "What was collected, by class, query, date and owner: vocparty report --help"
    if not standing.people:
        yield "Next: `vocparty dedup`, then `vocparty people add NAME --role annotator`."
