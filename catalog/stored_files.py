"""Which files of the image store the rows name, and what is said of those that are not there.

Backup, move, doctor and the sweep of orphans all ask here: a file that is missed when it is not
there is the same as a file that is kept when orphans are deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from .session import Catalogue
from .tables import Image, Release, ReleaseImage

_SHOWN = 3
LASTING_FILES = frozenset({"CHANGELOG.md", "GUIDELINES.md"})
"""What accompanies a release and names no photograph: it stays as it is when one is withdrawn."""
PEOPLE_RESULTS = "VOCdevkit/results/people"
"""Below the folder of a release: second annotations of test images as results of a method."""


def load_named_digests(session: Session) -> set[str]:
    """The digests of all files that are to be in the store, and that no sweep may delete.

    These are the files of images, the copies and masks that releases hold of them, and the files
    that accompany a release; of an image that was erased, none, and of a release that held one only
    what names no photograph.
    """
    named = load_image_digests(session)
    erased = set(session.scalars(select(Image.sha256).where(Image.erased_at.is_not(None))))
    names = select(ReleaseImage.release_id, ReleaseImage.public_id)
    names = names.join(Image, Image.id == ReleaseImage.image_id).where(Image.erased_at.is_not(None))
    erased_of = defaultdict[int, set[str]](set)
    for release_id, public_id in session.execute(names).tuples():
        erased_of[release_id].add(public_id)
    for release_id, settings in session.execute(select(Release.id, Release.settings)).tuples():
        kept = load_kept(settings)
        named.update(kept[path] for path in kept if outlasts(path, erased_of[release_id]))
        copies = settings.get("encoded", {}).items()
        named.update(copy for sha256, copy in copies if sha256 not in erased)
    forms = select(ReleaseImage.form).join(Image, Image.id == ReleaseImage.image_id)
    forms = forms.where(Image.erased_at.is_(None), ReleaseImage.form.is_not(None))
    for form in session.scalars(forms.execution_options(yield_per=500)):
        named.update((form or {}).get("masks", {}).values())
    return named


def outlasts(path: str, withdrawn: Collection[str]) -> bool:
    """Whether a file that accompanies a release stays as it is when these images are withdrawn.

    Files that name no photograph do, and masks of other images.
    """
    name = path.rpartition("/")[2]
    if f"{PEOPLE_RESULTS}/Segmentation/" in path:
        return name.removesuffix(".png") not in withdrawn
    return not withdrawn or name in LASTING_FILES


def load_kept(settings: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the files that accompany a release by their paths, from its settings."""
    return dict((settings.get("notes") or {}).get("kept", {}))


def load_image_digests(session: Session) -> set[str]:
    """The digests of the images themselves, without those that were erased."""
    return set(session.scalars(select(Image.sha256).where(Image.erased_at.is_(None))))


def load_image_sizes(session: Session) -> dict[str, tuple[int, int]]:
    """Width and height of each image that was not erased, by its digest."""
    there = select(Image.sha256, Image.width, Image.height).where(Image.erased_at.is_(None))
    return {sha256: (width, height) for sha256, width, height in session.execute(there)}


def find_missing(catalogue: Catalogue, wanted: Set[str], there: Set[str]) -> tuple[str, ...]:
    """The wanted files that are not there, ascending, but for those erased meanwhile."""
    missing = wanted - there
    if missing:
        with catalogue.reading() as session:
            missing &= load_named_digests(session)
    return tuple(sorted(missing))


def name_digests(digests: Collection[str]) -> str:
    """The first few digests, as sentences name them."""
    return ", ".join(sorted(digests)[:_SHOWN]) + (", ..." if len(digests) > _SHOWN else "")
