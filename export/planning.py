"""Plans a release: the recorded one of that name, or a new one from catalogue and image store."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.at_rest import count_at_rest, rests_in
from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState
from catalog.stats import FIRST_STEP
from catalog.tables import Annotation, Image
from vockit.format.image_sets import Split

from . import corrections, releases
from .arranging import plan_export
from .asked import Asked, leave_out_unasked, load_asked
from .drawings import add_masks, freeze_form, load_drawn_ids
from .editions import find_base, plan_edition
from .errors import NothingCheckedError, ReleaseNameError
from .forms import FileForm, find_fault
from .groups import Link
from .judged import apply_judged, judge_form, load_judged
from .labels import record_settled
from .loading import load_images
from .notes import Notes, describe_release
from .order import (
    ReleaseOrder,
    check_name,
    refuse_no_training,
    refuse_open,
    refuse_unstripped,
    strip,
)
from .plan import LeftOut, PlannedImage, ReleasePlan
from .recipe import keep_labels, keep_retired, make_recipe
from .recorded import find_release, get_plan, plan_recorded, refuse_other_order
from .rows import ImageRow
from .tree_files import Put, settle_jpegs

_UNCHECKED = (ImageState.ANNOTATED, ImageState.CHECKING, ImageState.RETURNED)
"""States at rest; CHECKING is that of an image which no lease holds, a damage that doctor names."""


def plan_release(
    party: Party, *, year: int | None, name: str | None = None, order: ReleaseOrder | None = None
) -> ReleasePlan:
    """The recorded release of that name, or a new one of all checked images.

    Raises ReleaseNameError for a missing year or a bad name, ExportError for a release that cannot
    be made.
    """
    order = order or ReleaseOrder()
    put = digest_of if order.is_dry else party.store.put
    with party.catalogue.reading() as session:
        if order.corrects is not None:
            return plan_edition(session, party, order, year, name, put)
        if year is None:
            raise ReleaseNameError("The year is missing; give it with --year.")
        name = check_name(f"VOC{year}" if name is None else name)
        if (frozen := find_release(session, name)) is not None:
            refuse_other_order(frozen, order)
            return refuse_unstripped(party, plan_recorded(session, frozen, year), order)
        if (base := find_base(session, name)) is not None:
            there = find_release(session, base) is not None
            advice = (
                f"make one with --corrects {base}, or give another name"
                if there
                else f"there is no release {base}, so give another name"
            )
            raise ReleaseNameError(f"{name} is the name of an edition of {base}; {advice}.")
        recipe = make_recipe(party.settings, party.preset, order.style, party.classes_number)
        recipe = replace(recipe, test2=order.test2 or "")
        empty = ReleasePlan(name, year, recipe, (), is_blind=order.is_blind)
        contents = _load_contents(session, party, empty, order, put)
    return _plan_new(party, contents, order, put)


@dataclass(frozen=True)
class Contents:
    """What the catalogue holds for a new release.

    `extended` holds the notes, and the images of the release to extend if there is one. `images`
    are the other checked images. `forms` has the file form of each imported one, by image id;
    `masked` are the ids of all those of which there are masks, `asked` the classes that those of
    `images` were asked about which were not asked about all.
    """

    extended: ReleasePlan
    images: Sequence[ImageRow]
    links: Sequence[Link]
    given_ids: Sequence[tuple[str, int, int]]
    forms: Mapping[int, FileForm]
    masked: Set[int]
    asked: Asked


def _load_contents(
    session: Session, party: Party, empty: ReleasePlan, order: ReleaseOrder, put: Put
) -> Contents:
    """What the order chooses; raises NothingCheckedError, and ExportError for open points."""
    checked = _load_checked(session)
    judged = load_judged(session, checked)
    checked = [apply_judged(row, judged) for row in checked]
    extended = empty
    if order.extends is not None:
        extended = _extend(session, party, empty, order, checked, put)
    images = _choose_images(checked, extended, order)
    of_images = {row.id: judged[row.id] for row in images if row.id in judged}
    if of_images:
        notes = replace(extended.notes, judged={**extended.notes.judged, **of_images})
        extended = replace(extended, notes=notes)
    if not images and not extended.images:
        raise NothingCheckedError(_say_what_waits(_count_states(session)))
    rows = [*images, *(image.row for image in extended.images)]
    extended = replace(extended, recipe=keep_retired(extended.recipe, rows, party))
    forms = _load_forms(session, party, extended, images)
    old_forms = {image.row.id: image.form for image in extended.images if image.form}
    has_masks = {image_id for image_id, form in (old_forms | forms).items() if form.masks}
    return Contents(
        extended=replace(extended, notes=_note_order(session, party, extended, rows, order)),
        images=images,
        links=releases.load_links(session, rows, party.settings.dedup),
        given_ids=releases.load_public_ids(session),
        forms=forms,
        masked=load_drawn_ids(session, (row.id for row in rows)) | has_masks,
        asked=_load_asked(session, party, extended, images, forms),
    )


def _load_asked(
    session: Session,
    party: Party,
    extended: ReleasePlan,
    images: Iterable[ImageRow],
    forms: Mapping[int, FileForm],
) -> Asked:
    """What the setting says that images were asked; the form of an imported one says it itself."""
    asked = {key: form.asked for key, form in forms.items() if form.asked is not None}
    if party.settings.export.exhaustive == "all":
        return asked
    drawn_here = [image for image in images if image.id not in forms and image.taster is None]
    return {**load_asked(session, drawn_here, extended.recipe.classes), **asked}


def _plan_new(party: Party, contents: Contents, order: ReleaseOrder, put: Put) -> ReleasePlan:
    """The new release with masks; raises NothingCheckedError where no image can be in it."""
    plan = plan_export(
        contents.extended,
        contents.images,
        jpegs=settle_jpegs(party.store, contents.images, put),
        links=contents.links,
        given_ids=contents.given_ids,
        forms=contents.forms,
        masked=contents.masked,
        asked=contents.asked,
        most_off_points=party.settings.export.most_off_points,
        is_unbound=order.is_unbound,
    )
    fixed = {image.row.id for image in contents.extended.images}
    with party.catalogue.reading() as session:
        plan = add_masks(session, plan, party, put, fixed)
        plan = record_settled(session, leave_out_unasked(session, plan, party))
    if not plan.images:
        reasons = "; ".join(
            f"image {omission.image_id}: {omission.reason}" for omission in plan.left_out[:3]
        )
        raise NothingCheckedError(f"No checked image can be released: {reasons}.")
    if order.test2 and all(image.split is not Split.TEST2 for image in plan.images):
        raise NothingCheckedError(
            f"No image that can be in test2 is of {order.test2} alone; {_name_sources(plan)}. "
            "Check some of them first, or give --test2 another source."
        )
    forced = (*plan.notes.forced, *refuse_no_training(plan, order))
    return replace(plan, notes=replace(plan.notes, forced=forced))


def _name_sources(plan: ReleasePlan) -> str:
    """How many images of a plan are of which source, in words."""
    counts = Counter(photo.source for image in plan.images for photo in image.row.photos[:1])
    names = ", ".join(f"{count:,} of {source}" for source, count in sorted(counts.items()))
    return f"the release would have {names or 'images of unknown source'}"


def _load_checked(session: Session) -> list[ImageRow]:
    """Every image that passed checking, with its newest revision."""
    newest = select(Image.id, Annotation.id).where(rests_in(releases.RELEASABLE))
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
    return Counter(count_at_rest(session))


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
    return replace(
        extended.notes,
        about=describe_release(party.settings.release),
        part=order.part,
        blind_salt=secrets.token_hex(32) if order.is_blind else None,
        forced=refuse_open(session, new, unchecked, order),
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
            kept = corrections.keep_form(revision, form, image, plan.recipe, plan.year)
            forms[image.id] = judge_form(kept, image)
    return forms


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
    plan = _keep_negatives(_keep_test2(plan, extended), extended)
    stripped, unstripped = strip(party, extended, order, put)
    taken = corrections.take_corrections(session, extended, party, stripped=stripped)
    today = corrections.follow_changed_classes(session, extended, party)
    row_of = {row.id: row for row in checked}
    images = list[PlannedImage]()
    left_out = list[LeftOut]()
    for image in taken.images:
        row = row_of.get(image.row.id)
        if not image.is_blind:
            images.append(replace(image, form=freeze_form(today, image)))
        elif row is None:
            reason = f"its annotation is held back since {image.public_id} was imported"
            left_out.append(LeftOut(image.row.id, f"{reason}, and no other one passed checking"))
        elif find_fault(row, keep_retired(plan.recipe, [row], party)) is None:
            images.append(replace(image, row=row, form=None, is_taken_over=False))
    if any(image.form and image.form.masks for image in images):
        plan = replace(plan, recipe=keep_labels(plan.recipe, taken.recipe, party))
    return replace(
        plan,
        images=tuple(images),
        left_out=tuple(left_out),
        kept_back=(*taken.kept_back, *unstripped),
        notes=Notes(extends=name, corrections=taken.notes.corrections, judged=taken.notes.judged),
    )


def _keep_test2(plan: ReleasePlan, extended: ReleasePlan) -> ReleasePlan:
    """The plan with the source of test2 as in the extended release; ReleaseNameError."""
    before = extended.recipe.test2
    if plan.recipe.test2 and before not in ("", plan.recipe.test2):
        raise ReleaseNameError(
            f"The release {extended.name} has images of {before} in test2, and an extension keeps "
            "them; leave --test2 away."
        )
    return replace(plan, recipe=replace(plan.recipe, test2=plan.recipe.test2 or before))


def _keep_negatives(plan: ReleasePlan, extended: ReleasePlan) -> ReleasePlan:
    """The plan with images without objects, if the extended release may have some."""
    negatives = plan.recipe.negatives or extended.recipe.negatives
    return replace(plan, recipe=replace(plan.recipe, negatives=negatives))


def _say_what_waits(states: Counter[ImageState]) -> str:
    if not any(states.values()):
        return f"No images yet. {FIRST_STEP}"
    to_annotate = states[ImageState.POOL] + states[ImageState.RETURNED]
    to_check = states[ImageState.ANNOTATED]
    return (
        f"No checked image yet; waiting to be annotated: {to_annotate}, to be checked: "
        f"{to_check}. Open the party with `vocparty serve`."
    )
