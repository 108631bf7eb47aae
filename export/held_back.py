"""What is no secret of a blind test set, and what a release would give away of another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.plural import format_count
from catalog.states import Split
from catalog.tables import Release, ReleaseImage

from .form import is_blind_form
from .load import load_public_ids
from .plan import ReleasePlan


def iterate_warnings(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """A sentence for each thing that the organiser of a new release should know; mostly none."""
    if plan.is_recorded:
        return
    with party.catalogue.reading() as session:
        if plan.is_blind:
            yield from _warn_of_known(session, plan)
        yield from _warn_of_revealed(session, plan)


def _warn_of_known(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Images that an open release had keep their names, so that their annotation is known."""
    secret = _load_held_back(session)
    given = {image_id for _, image_id in load_public_ids(session)} - secret.keys()
    held_back = [image.row.id for image in plan.images if image.split is Split.TEST]
    known = sum(image_id in given for image_id in held_back)
    if known:
        yield (
            f"{known} of {format_count(len(held_back), 'image')} of test were in an earlier "
            "release and keep their names; who has that one knows their annotation."
        )


def _warn_of_revealed(session: Session, plan: ReleasePlan) -> Iterator[str]:
    """Images that a blind release holds back would be shown by a later one."""
    secret = _load_held_back(session)
    shown = Counter(secret[it.row.id] for it in plan.annotated if it.row.id in secret)
    for name, count in sorted(shown.items()):
        yield (
            f"The annotation of {format_count(count, 'image')} that the blind release {name} holds "
            "back is shown by this one; do not give it away before that one is opened."
        )


def _load_held_back(session: Session) -> dict[int, str]:
    """For each image in the test set of a blind release that release's name; the last one's.

    Blind is also what an imported tree had without its annotation.
    """
    releases = list(session.scalars(select(Release).order_by(Release.id)))
    names = {release.id: release.name for release in releases}
    sealed = {it.id for it in releases if (it.settings.get("notes") or {}).get("blind_salt")}
    rows = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.release_id, ReleaseImage.form)
        .where(ReleaseImage.split == Split.TEST)
        .order_by(ReleaseImage.release_id)
    )
    return {
        image_id: names[release_id]
        for image_id, release_id, form in rows
        if release_id in sealed or is_blind_form(form)
    }
