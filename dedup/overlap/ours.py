"""Which of our images another's are compared with: a test set, a release, or all there are."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.tables import Image, Release, ReleaseImage, Signature
from dedup.decisions import COUNTED
from dedup.signature.signature import RECIPE
from vockit.format.image_sets import TESTS, Split

from .theirs import OverlapError

TEST = "test"
ALL = "all"
RELEASE = "release"


@dataclass(frozen=True)
class Scope:
    """What to compare with: `kind` is test, release or all; `release` names one release."""

    kind: str
    release: str | None = None

    def __str__(self) -> str:
        return self.kind if self.release is None else f"{self.kind}:{self.release}"


@dataclass(frozen=True)
class OurImage:
    """An image of ours and where it was released, if it was.

    `is_aside` marks one that another was kept for: only the same picture is sought of it.
    """

    image_id: int
    sha256: str
    is_hashed: bool
    phash_64: str | None
    release: str | None = None
    split: Split | None = None
    public_id: str | None = None
    is_aside: bool = False


def parse_scope(text: str) -> Scope:
    """The scope that a word such as test, test:VOC2026, release:VOC2026 or all means.

    Raises OverlapError for any other word.
    """
    kind, _, release = text.partition(":")
    is_known = kind == TEST or (kind == ALL and not release) or (kind == RELEASE and release)
    if not is_known:
        raise OverlapError(
            f"--against {text} is not known; expected test, test:NAME, release:NAME, "
            "all, or a folder of pictures."
        )
    return Scope(kind, release or None)


def refuse_unknown(session: Session, scope: Scope) -> None:
    """Raise OverlapError where the scope names a release that there is not."""
    names = list(session.scalars(select(Release.name).order_by(Release.id)))
    if scope.release is not None and scope.release not in names:
        raise OverlapError(
            f"There is no release {scope.release}; there is {', '.join(names) or 'none at all'}."
        )


def load_ours(session: Session, scope: Scope) -> list[OurImage]:
    """The images of the scope that were not taken down, ids ascending, each once.

    Raises OverlapError where there is no such release, or none of the images.
    """
    refuse_unknown(session, scope)
    images = {
        image.id: OurImage(
            image.id,
            image.sha256,
            recipe == RECIPE,
            image.phash_64,
            release,
            placed.split if placed else None,
            placed.public_id if placed else None,
            is_aside=image.state is ImageState.DUPLICATE,
        )
        for image, recipe, placed, release in session.execute(_select_images(scope))
    }
    if not images:
        first = "release some first with `vocparty export`, or use --against all."
        raise OverlapError(
            f"There is no image to compare with in {scope}; "
            + ("collect some first." if scope.kind == ALL else first)
        )
    return list(images.values())


def _select_images(scope: Scope) -> Select[tuple[Image, str, ReleaseImage, str]]:
    """Images with their signature's recipe and their place in a release, the latest one last."""
    is_outer = scope.kind == ALL
    statement = (
        select(Image, Signature.recipe, ReleaseImage, Release.name)
        .outerjoin(Signature, Signature.image_id == Image.id)
        .join(ReleaseImage, ReleaseImage.image_id == Image.id, isouter=is_outer)
        .join(Release, Release.id == ReleaseImage.release_id, isouter=is_outer)
        .where(Image.state != ImageState.TAKEN_DOWN)
        .order_by(Image.id, Release.id)
    )
    if scope.kind == ALL:
        states = (*COUNTED, ImageState.FETCHED, ImageState.DUPLICATE)
        statement = statement.where(Image.state.in_(states))
    if scope.kind == TEST:
        statement = statement.where(ReleaseImage.split.in_(TESTS))
    if scope.release is not None:
        statement = statement.where(Release.name == scope.release)
    return statement
