"""Own images of a method: a file of hashes, which is compared with the test images.

A team writes it with `vocparty hashes FOLDER` and sends it in place of the pictures. The hashes of
the test images are made with the challenge, since its folder has no pictures.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.refusals import InvalidError, UnavailableError
from catalog.sentences import say
from dedup.executors import Watch, Workforce, default_workers, unwatched
from dedup.folder.against_hashes import Resemblance, compare_hashes
from dedup.folder.kept_hashes import open_hashes_in
from dedup.folder.reading import read_files
from dedup.overlap.hash_file import read_hashes
from dedup.overlap.theirs import HashFileError
from vockit.evaluate.truth import Truth, find_root, open_truth
from vockit.format import tree
from vockit.format.whole_file import digest_of, sync_path

from . import methods, upload_files
from .database import load_frozen
from .folder import OWN_IMAGES, Challenge
from .limited import LimitError, Limits, MachineError, RefusedWorkError, run_limited
from .tables import Edition, Method
from .values import OwnImages

TEST_IMAGES = "test-images.sqlite"
_FOLDERS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)
_CALLED = "The file of hashes"
_PART = ".part"
MOST_NAMED = 100
"""Pictures that are kept by name; all are counted."""


def keep_test_images(truth: Truth, folder: Path, *, watch: Watch = unwatched) -> None:
    """Keep the hashes of the test images in the folder of a challenge; none without pictures."""
    names = [f"{image_id}.jpg" for image_id in list_test_images(truth)]
    pictures = truth.root / tree.JPEG_IMAGES
    there = [name for name in names if (pictures / name).is_file()]
    if not there:
        return
    place = folder / TEST_IMAGES
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with open_hashes_in(place) as kept:
        read_files(pictures, kept, Workforce(default_workers()), names=there, watch=watch)


def list_test_images(truth: Truth) -> list[str]:
    """The images that any list of the set names."""
    return sorted({name for folder in _FOLDERS for name in truth.list_images(folder)})


def can_compare(challenge: Challenge) -> bool:
    """Whether the challenge has hashes of its test images."""
    return (challenge.folder / TEST_IMAGES).is_file()


def receive(
    challenge: Challenge, team_id: int, method_id: int, pieces: Iterable[bytes], now: datetime
) -> int:
    """Keep a method's file of hashes in place of an earlier one; how many images it has.

    Call it outside of a transaction; the worker compares it. Raises InvalidError with one sentence
    for a file that is none, UnavailableError where the machine lacks room.
    """
    path = _hash_path(challenge, method_id)
    descriptor, name = tempfile.mkstemp(_PART, f"{method_id}-", path.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file, upload_files.telling_full():
            for piece in pieces:
                upload_files.refuse_large(challenge, file.tell() + len(piece))
                file.write(piece)
        digest, images = _read_limited(challenge, part)
        sync_path(part)
        with challenge.catalogue.writing() as session:
            method = methods.get_method(session, team_id, method_id)
            # Not by its attributes: what the worker found meanwhile of an earlier file goes too.
            session.execute(
                update(Method)
                .where(Method.id == method.id)
                .values(
                    own_images=images,
                    own_images_sha256=digest,
                    overlaps=None,
                    overlap_files=[],
                    overlap_fault=None,
                    edited_at=now,
                )
            )
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return images


def _hash_path(challenge: Challenge, method_id: int) -> Path:
    return challenge.folder / OWN_IMAGES / f"{method_id}.txt"


def sweep(challenge: Challenge, now: datetime) -> None:
    """Delete what broke off on its way for longer than the settings let an upload wait."""
    oldest = now - timedelta(hours=challenge.settings.limits.upload_hours)
    for part in (challenge.folder / OWN_IMAGES).glob(f"*{_PART}"):
        if part.stat().st_mtime < oldest.timestamp():
            part.unlink(missing_ok=True)


def forget(challenge: Challenge, method_ids: Iterable[int]) -> None:
    """Delete the files of hashes of these methods, which name the pictures of an erased team."""
    for method_id in method_ids:
        _hash_path(challenge, method_id).unlink(missing_ok=True)


def _read_limited(challenge: Challenge, path: Path) -> tuple[str, int]:
    limits = challenge.settings.limits
    try:
        digest, images = run_limited(
            read_own_images,
            path,
            limits=Limits(
                secs=limits.check_secs,
                memory_bytes=limits.memory_bytes,
                file_bytes=limits.unpacked_bytes,
            ),
            temporary=challenge.temporary,
        )
    except (LimitError, RefusedWorkError) as error:
        raise InvalidError(say("{reason}", reason=str(error)), field="file") from error
    except MachineError as error:
        raise UnavailableError(say("{reason}", reason=str(error))) from error
    return str(digest), int(images)


def read_own_images(path: Path) -> tuple[str, int]:
    """The digest of a file of hashes and how many images it has; raises HashFileError."""
    with path.open("rb") as file:
        theirs = read_hashes(file, _CALLED)
    return digest_of(path.read_bytes()), len(theirs.images)


@dataclass(frozen=True)
class Waiting:
    """A method whose file of hashes was not compared yet."""

    method_id: int
    sha256: str
    lists: Path
    image_set: str


def find_waiting(session: Session, challenge: Challenge) -> Waiting | None:
    """The first file of hashes that waits to be compared."""
    waits = (
        Method.own_images.is_not(None),
        Method.overlaps.is_(None),
        Method.overlap_fault.is_(None),
    )
    method = session.scalar(select(Method).where(*waits).order_by(Method.id).limit(1))
    if method is None or not can_compare(challenge):
        return None
    newest = session.scalars(
        select(Edition.truth_folder).order_by(Edition.id.desc()).limit(1)
    ).one()
    return Waiting(
        method_id=method.id,
        sha256=method.own_images_sha256 or "",
        lists=challenge.list_folder(newest),
        image_set=load_frozen(session).image_set,
    )


def compare_next(challenge: Challenge) -> bool:
    """Compare the next file of hashes that waits; False where there is none."""
    with challenge.catalogue.reading() as session:
        waiting = find_waiting(session, challenge)
    if waiting is None:
        return False
    limits = challenge.settings.limits
    values: dict[str, object]
    try:
        alike = run_limited(
            compare,
            _hash_path(challenge, waiting.method_id),
            waiting.sha256,
            challenge.folder / TEST_IMAGES,
            waiting.lists,
            waiting.image_set,
            limits=Limits(
                secs=limits.scoring_secs,
                memory_bytes=limits.memory_bytes,
                file_bytes=limits.unpacked_bytes,
                is_patient=True,
            ),
            temporary=challenge.temporary,
        )
    except (LimitError, RefusedWorkError, MachineError) as error:
        values = {"overlap_fault": str(error)}
    else:
        names = sorted({resemblance.name for resemblance in alike})
        values = {"overlaps": len(names), "overlap_files": _describe(alike)}
    with challenge.catalogue.writing() as session:
        same = Method.id == waiting.method_id, Method.own_images_sha256 == waiting.sha256
        session.execute(update(Method).where(*same).values(**values))
    return True


def compare(
    path: Path, sha256: str, test_images: Path, lists: Path, image_set: str
) -> list[Resemblance]:
    """What of the file of hashes of this digest looks like images that the lists name.

    Raises UserError.
    """
    if not path.is_file() or digest_of(path.read_bytes()) != sha256:
        raise HashFileError(f"{_CALLED} is gone from this server; send it again.")
    with path.open("rb") as file:
        theirs = read_hashes(file, _CALLED)
    listed = frozenset(list_test_images(open_truth(find_root(lists), image_set)))
    with open_hashes_in(test_images) as kept:
        paths = {
            sha256: Path(name).stem
            for name, (_, sha256) in kept.list_files().items()
            if Path(name).stem in listed
        }
        return compare_hashes(theirs, kept, paths)


def _describe(alike: Sequence[Resemblance]) -> list[list[str]]:
    return [[resemblance.name, resemblance.ours] for resemblance in alike[:MOST_NAMED]]


def load_own_images(challenge: Challenge, method: Method) -> OwnImages | None:
    """What is known of a method's own images; None where no file was sent."""
    if method.own_images is None:
        return None
    return OwnImages(
        images=method.own_images,
        overlaps=method.overlaps,
        files=tuple((name, ours) for name, ours in method.overlap_files),
        fault=method.overlap_fault or "",
        is_compared=can_compare(challenge),
    )
