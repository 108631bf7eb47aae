"""The stored files of images that are to be erased: their own, released copies of them, masks.

A release's row names the copies that it holds in place of stored files (`encoded`), the form of a
released image its segmentation masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import Image, Release, ReleaseImage

_SLICE = 500


def find_files(session: Session, going: Mapping[int, str]) -> dict[int, set[str]]:
    """The digests of all files of each image, without those that another image still uses.

    `going` are the images' own digests by their ids.
    """
    files = {image_id: {sha256} for image_id, sha256 in going.items()}
    id_of = {sha256: image_id for image_id, sha256 in going.items()}
    for sha256, digest in _load_copies(session):
        if sha256 in id_of:
            files[id_of[sha256]].add(digest)
    for image_id, digest in _load_masks(session):
        if image_id in files:
            files[image_id].add(digest)
    used = _find_used(session, set(going), set().union(*files.values()))
    return {image_id: digests - used for image_id, digests in files.items()}


def _find_used(session: Session, going: set[int], digests: set[str]) -> set[str]:
    """Which of the digests an image that keeps its files has."""
    of_copies: dict[str, set[str]] = {}
    for sha256, digest in _load_copies(session):
        if digest in digests:
            of_copies.setdefault(sha256, set()).add(digest)
    used = set()
    wanted = sorted(digests | set(of_copies))
    for begin in range(0, len(wanted), _SLICE):
        some = wanted[begin : begin + _SLICE]
        kept = select(Image.id, Image.sha256).where(
            Image.sha256.in_(some), Image.erased_at.is_(None)
        )
        for image_id, sha256 in session.execute(kept).tuples():
            if image_id not in going:
                used |= of_copies.get(sha256, set()) | ({sha256} & digests)
    masks = _load_masks(session, of_kept_alone=True)
    return used | {digest for image_id, digest in masks if image_id not in going} & digests


def _load_copies(session: Session) -> Iterator[tuple[str, str]]:
    """The digest of a stored file and that of the copy which a release holds, of all releases."""
    for settings in session.scalars(select(Release.settings)):
        yield from settings.get("encoded", {}).items()


def _load_masks(session: Session, *, of_kept_alone: bool = False) -> Iterator[tuple[int, str]]:
    """The images and digests of all masks; `of_kept_alone`: not of images that were erased."""
    wanted = select(ReleaseImage.image_id, ReleaseImage.form).where(ReleaseImage.form.is_not(None))
    if of_kept_alone:
        wanted = wanted.join(Image, Image.id == ReleaseImage.image_id)
        wanted = wanted.where(Image.erased_at.is_(None))
    for image_id, form in session.execute(wanted.execution_options(yield_per=_SLICE)).tuples():
        for digest in (form or {}).get("masks", {}).values():
            yield image_id, digest
