"""The plan of a release from what the catalogue and the image store hold."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.states import ImageState
from catalog.stats import FIRST_STEP
from catalog.tables import Annotation, Image, Release, ReleaseImage
from vockit.format.plural import format_count, is_or_are

from . import corrections, releases
from .drawings import add_masks, freeze_form, load_drawings
from .errors import ExportError, NothingCheckedError, ReleaseNameError
from .groups import Link
from .plan import LeftOut, PlannedImage, ReleasePlan, plan_export
from .recipe import FORMS, FileForm, Notes, find_fault, make_recipe, parse_notes
from .rows import ImageRow, load_images
from .tree_files import Put, settle_jpegs, strip_pictures

_UNCHECKED = (ImageState.ANNOTATED, ImageState.CHECKING, ImageState.RETURNED)
_NAME = re.compile(r"[^\s\x00-\x1f\x7f/\\.](?:[^/\\\r\n]{0,98}[^\s\x00-\x1f\x7f/\\])?")


@dataclass(frozen=True)
class ReleaseOrder:
    """How a new release is to be made: with a release's images, or as its next edition."""

    style: AnnotationStyle | None = None
    extends: str | None = None
    corrects: str | None = None
    classes: tuple[str, ...] = ()
    limit: int | None = None
    is_blind: bool = False
    is_forced: bool = False
    is_dry: bool = False
    is_unbound: bool = False
    is_stripped: bool = False

    @property
    def part(self) -> dict[str, Any]:
        """What chooses some images, as a release records it."""
        choices = {"classes": list(self.classes), "limit": self.limit, "unbind": self.is_unbound}
        return {key: value for key, value in choices.items() if value}


def plan_release(
    party: Party, *, year: int | None, name: str | None = None, order: ReleaseOrder | None = None
) -> ReleasePlan:
    """The release as recorded, else of all that is checked; ExportError, ReleaseNameError."""
    order = order or ReleaseOrder()
    put = digest_of if order.is_dry else party.store.put
    with party.catalogue.reading() as session:
        if order.corrects is not None:
            return _plan_edition(session, party, order, year, name, put)
        if year is None:
            raise ReleaseNameError("The year is missing; give it with --year.")
        name = _check_name(f"VOC{year}" if name is None else name)
        if (frozen := _find_release(session, name)) is not None:
            _refuse_other_order(frozen, order)
            return _refuse_unstripped(party, _plan_recorded(session, frozen, year), order)
        recipe = make_recipe(party.settings, party.preset, order.style, party.classes_number)
        empty = ReleasePlan(name, year, recipe, (), is_blind=order.is_blind)
        contents = _load_contents(session, party, empty, order, put)
    return _plan_new(party, contents, order, put)


@dataclass(frozen=True)
class Contents:
    """What the catalogue holds for a new release.

    `extended` has the images of the release that is extended, if any, and the notes; `images` are
    the others that passed checking, `forms` those of them that were imported, by image ids.
    """

    extended: ReleasePlan
    images: Sequence[ImageRow]
    links: Sequence[Link]
    given_ids: Sequence[tuple[str, int, int]]
    forms: Mapping[int, FileForm]


def _load_contents(
    session: Session, party: Party, empty: ReleasePlan, order: ReleaseOrder, put: Put
) -> Contents:
    """What the order chooses; raises NothingCheckedError, and ExportError for open points."""
    checked = _load_checked(session)
    extended = empty
    if order.extends is not None:
        extended = _extend(session, party, empty, order, checked, put)
    images = _choose_images(checked, extended, order)
    if not images and not extended.images:
        raise NothingCheckedError(_say_what_waits(_count_states(session)))
    rows = [*images, *(image.row for image in extended.images)]
    return Contents(
        extended=replace(extended, notes=_note_order(session, party, extended, rows, order)),
        images=images,
        links=releases.load_links(session, rows, party.settings.dedup),
        given_ids=releases.load_public_ids(session),
        forms=_load_forms(session, party, empty, images),
    )


def _plan_new(party: Party, contents: Contents, order: ReleaseOrder, put: Put) -> ReleasePlan:
    """The new release with masks; raises NothingCheckedError where no image can be in it."""
    plan = plan_export(
        contents.extended,
        contents.images,
        jpegs=settle_jpegs(party.store, contents.images, put),
        links=contents.links,
        given_ids=contents.given_ids,
        forms=contents.forms,
        most_off_points=party.settings.export.most_off_points,
        is_unbound=order.is_unbound,
    )
    fixed = {image.row.id for image in contents.extended.images}
    with party.catalogue.reading() as session:
        plan = add_masks(session, plan, party, put, fixed)
    if not plan.images:
        reasons = "; ".join(
            f"image {omission.image_id}: {omission.reason}" for omission in plan.left_out[:3]
        )
        raise NothingCheckedError(f"No checked image can be released: {reasons}.")
    return plan


def _load_checked(session: Session) -> list[ImageRow]:
    """Every image that passed checking, with its newest revision."""
    newest = select(Image.id, Annotation.id).where(Image.state.in_(releases.RELEASABLE))
    newest = newest.join(Annotation, Annotation.id == Image.annotation_id)
    return load_images(session, dict(session.execute(newest).tuples().all()))


def _choose_images(
    checked: Sequence[ImageRow], extended: ReleasePlan, order: ReleaseOrder
) -> list[ImageRow]:
    """The images that --class and --limit choose of those that are not in the release already."""
    known = {image.row.id for image in extended.images}
    images = [image for image in checked if image.id not in known]
    if wanted := set(order.classes):
        images = [image for image in images if wanted & {item.class_name for item in image.objects}]
    return images[: order.limit]


def _count_states(session: Session) -> Counter[ImageState]:
    counted = session.execute(select(Image.state, func.count()).group_by(Image.state))
    return Counter(dict(counted.tuples().all()))


def _note_order(
    session: Session,
    party: Party,
    extended: ReleasePlan,
    rows: Iterable[ImageRow],
    order: ReleaseOrder,
) -> Notes:
    """The notes with how the release was ordered; raises ExportError for open points."""
    states = _count_states(session)
    unchecked = sum(states[state] for state in _UNCHECKED)
    new = [row.id for row in rows if row.state is ImageState.CHECKED]
    about = asdict(party.settings.release)
    return replace(
        extended.notes,
        about={key: value for key, value in about.items() if value},
        part=order.part,
        blind_salt=secrets.token_hex(32) if order.is_blind else None,
        forced=_refuse_open(session, new, unchecked, order),
    )


def _load_forms(
    session: Session, party: Party, plan: ReleasePlan, images: Iterable[ImageRow]
) -> dict[int, FileForm]:
    """The forms of files, by image ids, that imported images keep in a new release."""
    imported = corrections.load_imported(session, party)
    forms = dict[int, FileForm]()
    for image in images:
        if image.id in imported:
            revision, form = imported[image.id]
            forms[image.id] = corrections.keep_form(revision, form, image, plan.recipe, plan.year)
    return forms


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ReleaseNameError(
            f"The name {name!r} is wrong: expected 1 to 100 characters on one line, "
            "no slash and no dot in front."
        )
    return name


def _extend(
    session: Session,
    party: Party,
    plan: ReleasePlan,
    order: ReleaseOrder,
    checked: list[ImageRow],
    put: Put,
) -> ReleasePlan:
    """The plan with a release's images as corrected; people's own where a tree held some back."""
    name = order.extends or ""
    extended = get_plan(session, name, " to extend")
    stripped, unstripped = _strip(party, extended, order, put)
    taken = corrections.take_corrections(session, extended, party, stripped=stripped)
    today = corrections.follow_changed_classes(session, extended, party)
    row_of = {row.id: row for row in checked}
    images, left_out = list[PlannedImage](), list[LeftOut]()
    for image in taken.images:
        row = row_of.get(image.row.id)
        if not image.is_blind:
            images.append(replace(image, form=freeze_form(today, image)))
        elif row is None:
            reason = f"its annotation is held back since {image.public_id} was imported"
            left_out.append(LeftOut(image.row.id, f"{reason}, and no other one passed checking"))
        elif find_fault(row, plan.recipe) is None:
            images.append(replace(image, row=row, form=None, is_taken_over=False))
    return replace(
        plan,
        images=tuple(images),
        left_out=tuple(left_out),
        kept_back=(*taken.kept_back, *unstripped),
        notes=Notes(extends=name, corrections=taken.notes.corrections),
    )


def _strip(
    party: Party, plan: ReleasePlan, order: ReleaseOrder, put: Put
) -> tuple[dict[str, str], list[LeftOut]]:
    """Pictures without metadata where the order asks for it, and the images that keep theirs."""
    if not order.is_stripped:
        return {}, []
    stripped, faults = strip_pictures(party.store, plan.images, put)
    kept = ((image.row.id, faults.get(image.jpeg_sha256)) for image in plan.images)
    return stripped, [LeftOut(image_id, reason) for image_id, reason in kept if reason]


def _refuse_unstripped(party: Party, plan: ReleasePlan, order: ReleaseOrder) -> ReleasePlan:
    """The recorded release; raises ReleaseNameError where its pictures have what should go."""
    if stripped := _strip(party, plan, order, digest_of)[0]:
        pictures = format_count(len(stripped), "picture")
        raise ReleaseNameError(
            f"The release {plan.name} is recorded with metadata in {pictures}, and stays as it is; "
            "give the one without them another name with --name."
        )
    return plan


def _say_what_waits(states: Counter[ImageState]) -> str:
    if not any(states.values()):
        return f"No images yet. {FIRST_STEP}"
    waiting = (ImageState.POOL, ImageState.ANNOTATING, ImageState.RETURNED)
    to_annotate = sum(states[state] for state in waiting)
    to_check = states[ImageState.ANNOTATED] + states[ImageState.CHECKING]
    return (
        f"No checked image yet; waiting to be annotated: {to_annotate}, to be checked: "
        f"{to_check}. Open the party with `vocparty serve`."
    )


def get_plan(session: Session, name: str, purpose: str = "") -> ReleasePlan:
    """A recorded release in full, also of a held-back test set; raises ReleaseNameError."""
    return replace(_plan_recorded(session, _get_release(session, name, purpose)), is_blind=False)


def _find_release(session: Session, name: str) -> Release | None:
    return session.scalar(select(Release).where(Release.name == name))


def _get_release(session: Session, name: str, purpose: str = "") -> Release:
    if release := _find_release(session, name):
        return release
    raise ReleaseNameError(
        f"There is no release {name}{purpose}; `vocparty release list` names those there are."
    )


def _plan_edition(
    session: Session,
    party: Party,
    order: ReleaseOrder,
    year: int | None,
    name: str | None,
    put: Put,
) -> ReleasePlan:
    """An edition of the release with what was corrected and checked since its newest one."""
    first = _get_release(session, order.corrects or "", " to correct").name
    editions, following = _list_editions(session, first)
    name = _check_name(name or following)
    if (recorded := _find_release(session, name)) is not None:
        edition = _plan_recorded(session, recorded, year)
        if edition.notes.corrects is None:
            raise ReleaseNameError(
                f"The release {name} is recorded and corrects none; give the edition another "
                "name with --name."
            )
        return _refuse_unstripped(party, edition, order)
    earlier = _plan_recorded(session, _get_release(session, editions[-1]), year)
    stripped, unstripped = _strip(party, earlier, order, put)
    corrected = corrections.take_corrections(session, earlier, party, put, stripped)
    corrected = replace(corrected, kept_back=(*corrected.kept_back, *unstripped))
    if _is_unchanged(corrected):
        if earlier.notes.corrects is not None and name == following:
            return earlier
        raise NothingCheckedError(_say_what_corrections_wait(earlier, corrected, order))
    new = [image.row.id for image in corrected.images if not image.is_taken_over]
    notes = replace(
        corrected.notes,
        corrects=earlier.name,
        facts=None,
        kept={},
        forced=_refuse_open(session, new, 0, order),
        images_without_file=0,
    )
    return replace(
        corrected, name=name, notes=notes, is_recorded=False, newer_images=0, withdrawn=()
    )


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


def _is_unchanged(edition: ReleasePlan) -> bool:
    """Whether the edition would hold what the release before it holds."""
    return all(image.is_taken_over for image in edition.images) and not edition.notes.corrections


def _say_what_corrections_wait(
    earlier: ReleasePlan, corrected: ReleasePlan, order: ReleaseOrder
) -> str:
    """Why there is no edition yet, and how one comes about."""
    text = f"No annotation of {earlier.name} was corrected and checked since"
    if order.is_stripped:
        text += ", and no picture has metadata to remove"
    if waiting := corrected.kept_back:
        text += f"; {len(waiting)} wait: {waiting[0].reason}"
    return (
        f"{text}. An organiser reopens a released image on its page; check it, then run this again."
    )


def _refuse_open(
    session: Session, image_ids: list[int], unchecked: int, order: ReleaseOrder
) -> tuple[str, ...]:
    """The open points that --force accepts; raises ExportError for them without it."""
    forced = list[str]()
    if errors := len(releases.find_open_errors(session, image_ids)):
        forced.append(
            f"{format_count(errors, 'finding')} of severity error {is_or_are(errors)} open"
        )
    if unchecked:
        images = format_count(unchecked, "annotated image")
        forced.append(f"{images} {is_or_are(unchecked)} not checked")
    if forced and not (order.is_forced or order.is_dry):
        raise ExportError(
            f"{'; '.join(forced)}. Look at `vocparty qa` and the checking page, or use --force; "
            "the release will record that it was forced."
        )
    return tuple(forced)


def _refuse_other_order(frozen: Release, order: ReleaseOrder) -> None:
    """A recorded release is never made otherwise."""
    recipe, _, notes = releases.parse_settings(frozen.settings)
    is_blind = notes.blind_salt is not None or any(
        (image.form or {}).get("is_blind") for image in frozen.images
    )
    others = "with other images than --class, --limit and --unbind choose"
    differences = {
        f"in the style {recipe.style}": order.style not in (None, recipe.style),
        others: order.part and order.part != notes.part,
        "without extending that release": order.extends not in (None, notes.extends),
        "with its test set's annotation": order.is_blind and not is_blind,
    }
    if wrong := list(filter(differences.get, differences)):
        raise ReleaseNameError(
            f"The release {frozen.name} is recorded {' and '.join(wrong)}; "
            "make another one with --name."
        )


def _plan_recorded(session: Session, frozen: Release, year: int | None = None) -> ReleasePlan:
    if year not in (None, frozen.year):
        raise ReleaseNameError(
            f"The release {frozen.name} is of {frozen.year}; write it again with "
            f"--year {frozen.year}, or make another one with --name."
        )
    recipe, encoded, notes = releases.parse_settings(frozen.settings)
    gone = set(session.scalars(select(Image.id).where(Image.state == ImageState.TAKEN_DOWN)))
    wanted = {
        image.image_id: image.annotation_id for image in frozen.images if image.image_id not in gone
    }
    rows = {row.id: row for row in load_images(session, wanted, recipe.classes_number)}
    withdrawn = tuple(image.public_id for image in frozen.images if image.image_id not in rows)
    images = [
        PlannedImage(
            public_id=image.public_id,
            split=image.split,
            row=row,
            jpeg_sha256=encoded.get(row.sha256, row.sha256),
            form=None if image.form is None else FORMS.validate_python(image.form),
        )
        for image in frozen.images
        if (row := rows.get(image.image_id)) is not None
    ]
    released = select(ReleaseImage.image_id).join(
        Annotation, Annotation.id == ReleaseImage.annotation_id
    )
    released = released.where(Annotation.is_finished)  # an imported one may have the picture alone
    is_new = Image.state == ImageState.CHECKED, Image.id.not_in(released)
    unreleased = select(func.count()).where(*is_new)
    return ReleasePlan(
        name=frozen.name,
        year=frozen.year,
        recipe=recipe,
        images=tuple(images),
        withdrawn=withdrawn,
        is_recorded=True,
        newer_images=session.scalar(unreleased) or 0,
        notes=notes.without(withdrawn),
        is_blind=notes.blind_salt is not None,
        drawings=load_drawings(session, images),
    )
