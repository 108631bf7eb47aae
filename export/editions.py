"""Editions: the images of a release with what was corrected and checked since."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Release
from vockit.format.tree import TREE_NAME

from . import corrections
from .arranging import bind_again
from .asked import leave_out_unasked
from .errors import NothingCheckedError, ReleaseNameError
from .labels import record_settled
from .notes import describe_release, list_changed_facts, parse_notes
from .order import ReleaseOrder, check_name, refuse_open, refuse_unstripped, strip
from .plan import ReleasePlan
from .recorded import find_release, get_release, plan_recorded
from .releases import load_links
from .tree_files import Put


def plan_edition(
    session: Session,
    party: Party,
    order: ReleaseOrder,
    year: int | None,
    name: str | None,
    put: Put,
) -> ReleasePlan:
    """An edition of the release with what was corrected and checked since its newest one."""
    release = get_release(session, order.corrects or "", " to correct")
    editions, following = _list_editions(session, release.name)
    name = check_name(name or following)
    _refuse_name_of_others(session, name, editions[0])
    if (recorded := find_release(session, name)) is not None:
        edition = plan_recorded(session, recorded, year)
        if edition.notes.corrects is None:
            raise ReleaseNameError(
                f"The release {name} is recorded and corrects none; give the edition another "
                "name with --name."
            )
        if name not in editions:
            raise ReleaseNameError(
                f"The release {name} is an edition of {edition.notes.corrects}, not of "
                f"{editions[0]}; give this one another name with --name."
            )
        return refuse_unstripped(party, edition, order)
    earlier = plan_recorded(session, get_release(session, editions[-1]), year)
    stripped, unstripped = strip(party, earlier, order, put)
    corrected = corrections.take_corrections(session, earlier, party, put, stripped)
    corrected = replace(corrected, kept_back=(*corrected.kept_back, *unstripped))
    about = describe_release(party.settings.release)
    is_told_alike = not list_changed_facts(earlier.notes.about, about)
    if is_told_alike and _is_unchanged(earlier, corrected):
        if earlier.notes.corrects is not None and name == following:
            return earlier
        raise NothingCheckedError(_say_what_corrections_wait(earlier, corrected, order))
    rows = [image.row for image in corrected.images]
    corrected = bind_again(corrected, load_links(session, rows, party.settings.dedup))
    corrected = record_settled(session, leave_out_unasked(session, corrected, party))
    new = [image.row.id for image in corrected.images if not image.is_taken_over]
    notes = replace(
        corrected.notes,
        corrects=earlier.name,
        about=about,
        facts=None,
        kept={},
        forced=refuse_open(session, new, 0, order),
        images_without_file=0,
    )
    return replace(
        corrected, name=name, notes=notes, is_recorded=False, newer_images=0, withdrawn=()
    )


def _refuse_name_of_others(session: Session, name: str, first: str) -> None:
    """Refuse a name that reads as an edition of another release than the first one."""
    if (base := find_base(session, name)) not in (None, first):
        raise ReleaseNameError(
            f"{name} is the name of an edition of {base}, and this one corrects {first}; leave "
            "--name away, or give another name."
        )


def find_base(session: Session, name: str) -> str | None:
    """The release that the name reads as an edition of, or None; there need be no such release."""
    base, _, number = name.rpartition(".")
    if not base or not number.isdecimal():
        return None
    is_name = TREE_NAME.fullmatch(base) or find_release(session, base) is not None
    return base if is_name else None


def _list_editions(session: Session, name: str) -> tuple[list[str], str]:
    """The first edition and all later ones of a release, and the name of the following one.

    An edition of an edition counts as one of the first release.
    """
    rows = session.execute(select(Release.name, Release.settings).order_by(Release.id))
    corrects = {row.name: parse_notes(row.settings).corrects for row in rows}
    first = name
    while (before := corrects.get(first)) is not None:
        first = before
    editions = [first]
    for later, before in corrects.items():
        if before in editions:
            editions.append(later)
    names = (f"{first}.{number}" for number in count(len(editions)))
    return editions, next(name for name in names if name not in corrects)


def _is_unchanged(earlier: ReleasePlan, edition: ReleasePlan) -> bool:
    """Whether the edition would hold what the release before it holds."""
    return (
        all(image.is_taken_over for image in edition.images)
        and not edition.notes.corrections
        and edition.notes.judged == earlier.notes.judged
    )


def _say_what_corrections_wait(
    earlier: ReleasePlan, corrected: ReleasePlan, order: ReleaseOrder
) -> str:
    """Why there is no edition yet, and how one comes about."""
    text = (
        f"No annotation of {earlier.name} was corrected and checked since, and [release] in "
        "party.toml says what it said"
    )
    if order.is_stripped:
        text += ", and no picture has metadata to remove"
    if waiting := corrected.kept_back:
        text += f"; {len(waiting)} wait: {waiting[0].reason}"
    return (
        f"{text}. An organiser reopens a released image on its page; check it, then run this again."
    )
