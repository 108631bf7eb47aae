"""`vocparty people` and `vocparty images`."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import click

from catalog.command import ROW_ID, with_data, with_party
from catalog.states import Taster
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party, PartyData

DEFAULT_URL = "http://127.0.0.1:8080"
_TIMES = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ")
_ROLES = {"annotator": "an annotator", "checker": "a checker", "organiser": "an organiser"}
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")

_FILTERS = {
    "id": "Numbers of images, or names in a release, with commas between.",
    "state": "As checked, or several with commas.",
    "class": "Of an object.",
    "view": "Of the same object.",
    "flag": "truncated, occluded, difficult, unsure or group_of.",
    "part": "As head.",
    "action": "As running.",
    "reason": "Of a discard or a takedown.",
    "person": "Who drew or checked.",
    "annotator": "Who finished it.",
    "checker": "Who checked it.",
    "query": "Its words, number or class.",
    "owner": "Of the photo: id or name.",
    "since": "The state changed since then, as 2026-01-31.",
    "until": "The state changed until then.",
    "set": "train, val, trainval, test, test2, or a release.",
    "finding": "A check, a severity, or any.",
    "text": "In titles, tags and comments.",
    "campaign": "Its name; NAME/annotate, /check or /done.",
}

_url_option = click.option(
    "--url", help=f"Where people reach the party; else [serve] url, else {DEFAULT_URL}."
)


@click.group()
def people() -> None:
    """Add people, list them, renew or end a personal link."""


@people.command()
@click.argument("name")
@click.option(
    "--role", type=click.Choice(list(_ROLES)), required=True, help="What the person may do."
)
@_url_option
@with_data
def add(party: PartyData, name: str, role: str, url: str | None) -> None:
    """Add NAME and print their personal link, which is not shown again.

    The link alone goes to standard output, what to do with it to standard error.

    \b
    Example:
      vocparty people add ann --role annotator --url http://192.168.1.20:8080
    """
    from catalog.states import Role

    from .people import add_person

    token = secrets.token_urlsafe(32)
    with party.catalogue.writing() as session:
        person = add_person(session, name, Role(role), token=token, at=datetime.now(UTC))
        added = person.name
    _show_link(_find_base(party, url), token, f"{added} is now {_ROLES[role]}.")


@people.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@with_data
def list_(party: PartyData, as_json: bool) -> None:
    """List everybody with their role and when they were last seen.

    \b
    Example:
      vocparty people list
    """
    from .people import display_name, list_people

    with party.catalogue.reading() as session:
        people = list_people(session)
        if as_json:
            fields = ("id", "name", "role", "is_simulated", "seen_at", "ended_at")
            rows = [{name: getattr(person, name) for name in fields} for person in people]
            click.echo(json.dumps(rows, indent=2, default=lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}"))
            return
        for person in people:
            seen = f"seen {person.seen_at:%Y-%m-%d %H:%M} UTC" if person.seen_at else "never seen"
            ended = ", link ended" if person.ended_at else ""
            click.echo(f"{display_name(person):<30} {person.role:<10} {seen}{ended}")
        if not people:
            click.echo("Nobody yet; `vocparty people add NAME --role annotator` adds a person.")


@people.command(short_help="Print a new personal link for NAME, which ends the older one")
@click.argument("name")
@_url_option
@with_data
def link(party: PartyData, name: str, url: str | None) -> None:
    """Print a new personal link for NAME; the older one and its sessions end at once.

    \b
    Example:
      vocparty people link ann
    """
    from .people import renew_link

    token = secrets.token_urlsafe(32)
    with party.catalogue.writing() as session:
        renew_link(session, name, token=token)
    _show_link(_find_base(party, url), token, f"The older link of {name} has ended.")


@people.command()
@click.argument("name")
@with_data
def end(party: PartyData, name: str) -> None:
    """Revoke NAME's link at once. What they drew stays; what they held goes back.

    \b
    Example:
      vocparty people end ann
    """
    from .people import display_name, end_link, get_person, lock_person

    with party.catalogue.writing() as session:
        lock_person(session, get_person(session, name))
        person = end_link(session, name, at=datetime.now(UTC))
        click.echo(f"{display_name(person)} can no longer sign in.")


@people.command(short_help="Set aside what NAME entered; nothing is deleted")
@click.argument("name")
@click.option("--since", type=click.DateTime(_TIMES), help="Only what was entered since then, UTC.")
@click.option("--dry-run", is_flag=True, help="Say what would be set aside; change nothing.")
@with_party
def undo(party: Party, name: str, since: datetime | None, dry_run: bool) -> None:
    """Set aside what NAME entered; images go back to where they were, and nothing is deleted.

    \b
    Example:
      vocparty people undo vandal --since "2026-01-31 14:00" --dry-run
    """
    from .findings import renew_findings
    from .people import get_person
    from .undo import plan_undo, undo_person
    from .undo_words import describe_undo

    start = since.replace(tzinfo=UTC) if since else None
    catalogue = party.catalogue
    with catalogue.reading() if dry_run else catalogue.writing() as session:
        person = get_person(session, name)
        if dry_run:
            plan = plan_undo(session, person, start)
        else:
            plan = undo_person(session, person, start, at=datetime.now(UTC))
    if not dry_run:
        image_ids = [way.image_id for way in plan.ways]
        image_ids += [*plan.followed.reopened, *plan.followed.discarded]
        renew_findings(party, image_ids, at=datetime.now(UTC))
    for line in describe_undo(plan, is_done=not dry_run):
        click.echo(line)
    if plan.kept or plan.frozen:
        click.echo(party.settings.serve.how_to_open, err=True)


def _filter_options(command: Callable[..., None]) -> Callable[..., None]:
    """An option for each filter of the page Images."""
    for name, text in reversed(_FILTERS.items()):
        command = click.option(f"--{name}", f"filter_{name}", metavar="TEXT", help=text)(command)
    return command


@click.command()
@_filter_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option("--limit", default=100, show_default=True, type=ROW_ID, help="At most.")
@click.option("--annotate-again", is_flag=True, help="Make a campaign of all images found.")
@click.option("--name", metavar="NAME", help="Of the campaign.")
@click.option("--fields", metavar="FIELD,...", help="What to look at again, as class,view.")
@click.option("--guidelines", type=ROW_ID, help="A version of the guidelines; else the newest.")
@click.option("--comment", default="", help="A word to the annotators of the campaign.")
@click.option("--end-campaign", metavar="NAME", help="End a campaign; the rest goes back.")
@click.option(
    "--taster",
    type=click.Choice([*map(str, Taster), "none"]),
    help="Have waiting images annotated for this task alone: chosen people, nothing else.",
)
@with_party
def images(party: Party, /, as_json: bool, limit: int, **options: Any) -> None:
    """List the images that all filters find, the newest first; the page Images can change them.

    \b
    Example:
      vocparty images --class dog --view left --state checked
      vocparty images --class dog --annotate-again --fields view --name dog-views
      vocparty images --query "woman running" --taster action
    """
    from catalog.tables import Campaign

    from .campaigns import end_campaign, find_user, get_campaign
    from .lookup import list_rows, make_conditions, name_ids, parse_filters

    words = {name: options.pop(f"filter_{name}") for name in _FILTERS}
    given = {name: word for name, word in words.items() if word}
    if ending := options.pop("end_campaign"):
        with party.catalogue.writing() as session:
            campaign = get_campaign(session, Campaign.name == ending)
            said = end_campaign(session, campaign, organiser=find_user(), at=datetime.now(UTC))
        click.echo(said)
        return
    if taster := options.pop("taster"):
        click.echo(_mark_tasters(party, given, taster, is_again=options["annotate_again"]))
        return
    if options.pop("annotate_again"):
        click.echo(_annotate_again(party, given, **options))
        return
    if options["name"] or options["fields"]:
        raise click.UsageError("--name and --fields are of a campaign; add --annotate-again.")
    with party.catalogue.reading() as session:
        filters = parse_filters(session, given, party, party.find_word)
        conditions = make_conditions(filters, party.words)
        rows, total = list_rows(session, conditions, limit)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        author = f" by {row['author']}" if row["author"] else ""
        origin = row["imported"]
        source = f", from {origin['tool']}: {origin['place']}" if origin else ""
        click.echo(f"{row['id']:>8}  {row['state']:<10}  {row['objects'] or '-'}{author}{source}")
    url = party.settings.serve.url
    if not rows:
        click.echo("No image matches these filters; remove one.")
    elif total > len(rows):
        click.echo(f"{total:,} images match, {len(rows):,} are shown; --limit shows more.")
    if rows and url:
        asked = urlencode(filters | name_ids(filters, party))
        click.echo(f"The same images on the page: {url.rstrip('/')}/images?{asked}")


def _find_base(party: PartyData, url: str | None) -> str:
    return (url or party.settings.serve.url or DEFAULT_URL).rstrip("/")


def _show_link(base_url: str, token: str, news: str) -> None:
    """Print the link, then whose it is and what to do with it."""
    click.echo(f"{base_url}/enter/{token}")
    advice = "Send them the link above: it signs them in on any device, and is not shown again."
    click.echo(f"{news} {advice}", err=True)
    if urlsplit(base_url).hostname in _LOOPBACK_NAMES:
        click.echo(
            "It works on this computer alone. For others, give the address of this computer with "
            "--url, or as url under [serve] in party.toml.",
            err=True,
        )


def _mark_tasters(party: Party, filters: Mapping[str, str], taster: str, *, is_again: bool) -> str:
    """What became of the images that the filters find: they are for one task alone, or not."""
    from .lookup import make_conditions, parse_filters
    from .tasters import mark_images

    if is_again:
        raise click.UsageError("--taster marks images that wait; use it after --annotate-again.")
    with party.catalogue.reading() as session:
        known = parse_filters(session, filters, party, party.find_word)
    if not known:
        raise click.UsageError("This would mark every image of the party; add a filter.")
    task = None if taster == "none" else Taster(taster)
    conditions = make_conditions(known, party.words)
    with party.catalogue.writing() as session:
        marked = mark_images(session, party.preset, conditions, task)
    use = f"for {task.title()} alone" if task else "in full"
    said = [f"{format_count(marked.changed, 'image')} will be annotated {use}."]
    if marked.same:
        said.append(f"{format_count(marked.same, 'image')} would be already.")
    if marked.left:
        said.append(
            f"{format_count(marked.left, 'image')} stayed as they are: people work on them, or are "
            "done with them. --annotate-again lets people annotate an image once more."
        )
    return " ".join(said)


def _annotate_again(
    party: Party,
    filters: Mapping[str, str],
    *,
    name: str | None,
    fields: str | None,
    guidelines: int | None,
    comment: str,
) -> str:
    """One sentence on the new campaign of all images that the filters find."""
    from .campaigns import Wish, find_user, make_campaign
    from .lookup import make_conditions, parse_filters

    if not name or not fields:
        raise click.UsageError("--annotate-again needs --name and --fields.")
    with party.catalogue.reading() as session:
        known = parse_filters(session, filters, party, party.find_word)
    if not known:
        raise click.UsageError("This would ask for every image of the party; add a filter.")
    words = [word.strip() for word in fields.split(",") if word.strip()]
    wish = Wish(name, words, guidelines, comment, known)
    conditions = make_conditions(known, party.words)
    at = datetime.now(UTC)
    with party.catalogue.writing() as session:
        return make_campaign(session, wish, conditions, author=find_user(), at=at)
