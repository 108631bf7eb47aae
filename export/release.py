"""Making a release: its files, its record and its place, in an order that a kill cannot harm.

1. The plan is made from the catalogue; a release that was recorded is planned from its record.
2. All files are written into a folder with a temporary name beside the target, and read back
   against every rule of the format. Killed here: nothing is released, the next run clears up.
3. The files are on the disk; then the rows of the release are written in one transaction, which
   fails where an image changed since the plan. Killed after it: the release is recorded but not in
   its place; the same command writes the recorded release, byte for byte the same.
4. The folder is renamed. It has its name only when it is whole and recorded.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of
from catalog.party import Party

from .blind import MOMENT_SECS
from .cycles import no_cycles
from .errors import BrokenReleaseError, DamagedImageError, ExportError, FolderTakenError
from .files import MANIFEST, iterate_text_files, tree_path
from .folder import has_content, part_folder, publish_folder, write_file, write_parts
from .forked import FEWEST_IMAGES
from .freeze import freeze_release
from .manifest import iterate_manifest
from .masks import iterate_masks
from .pictures import write_pictures
from .plan import ReleasePlan
from .planning import ReleaseOrder, plan_release
from .syncing import syncing, syncing_ahead
from .tally import Advance
from .travel.pack import iterate_travel_files, settling_travel
from .travel.sums import NAME as SUMS
from .travel.sums import format_digests
from .verify.check import check_tree
from .verify.trees import Tree

log = logging.getLogger(__name__)

LINES_AT_ONCE = 200


def export_release(
    party: Party,
    target: Path,
    *,
    year: int,
    name: str | None = None,
    at: datetime,
    order: ReleaseOrder | None = None,
) -> ReleasePlan:
    """The release that lies in `target` when this returns, new or as it was recorded."""
    plan = plan_release(party, year=year, name=name, order=order)
    write_release(party, plan, target, at=at)
    return plan


@no_cycles()
def write_release(
    party: Party,
    plan: ReleasePlan,
    target: Path,
    *,
    at: datetime,
    advance: Advance = lambda count: None,
) -> None:
    """Write the release to `target`, and record it where it is new; see above for the order.

    `advance` is called with how many more images are written. Raises FolderTakenError before
    anything is written where something else is in the target's place.
    """
    target = target.resolve()
    _refuse_taken(target, plan)
    is_large = len(plan.images) >= FEWEST_IMAGES
    with part_folder(target) as folder:
        try:
            pictures = write_pictures(plan, party.store, folder, advance)
            with syncing_ahead(folder, pays=is_large):
                plan = write_plan(party, plan, folder, pictures)
                _check_and_sync(plan, folder, is_large=is_large)
        except OSError as error:
            raise ExportError(
                f"{target} cannot be written: {error.strerror}; nothing of it was kept, "
                "mend that and run the same command again."
            ) from error
        if not plan.is_recorded:
            freeze_release(party.catalogue, plan, at=at)
            log.info("recorded the release %s of %d images", plan.name, len(plan.images))
        _publish(plan, folder, target)


def write_plan(
    party: Party, plan: ReleasePlan, folder: Path, pictures: dict[str, str]
) -> ReleasePlan:
    """Write every file of the release but its pictures; the plan with all it keeps.

    `pictures` are the digests of those by their paths.
    """
    plan, digests = write_texts(party, plan, folder)
    for path, data in _read_kept_files(plan, party.store):
        write_file(folder, path, data)
        digests[path] = digest_of(data)
    digests |= pictures
    if plan.notes.facts is not None:
        write_file(folder, SUMS, format_digests(digests).encode())
    if plan.is_blind:
        _set_times(folder)
    return plan


def write_texts(
    party: Party, plan: ReleasePlan, folder: Path
) -> tuple[ReleasePlan, dict[str, str]]:
    """Write the manifest and the tree's texts, and settle what travels with them meanwhile.

    The plan with all it keeps, and the digests of what was written by path.
    """
    with settling_travel(party, plan) as settle:
        digests = write_tree(plan, folder)
        digests[MANIFEST] = _write_manifest(plan, folder)
        return settle(), digests


def write_tree(plan: ReleasePlan, folder: Path) -> dict[str, str]:
    """Write the annotation files, the sets and what else is text; the digests by path."""
    digests: dict[str, str] = {}
    for file in iterate_text_files(plan):
        data = file.text.encode()
        write_file(folder, file.path, data)
        digests[file.path] = digest_of(data)
    return digests


def _write_manifest(plan: ReleasePlan, folder: Path) -> str:
    """Write the manifest a piece at a time, since it is long; its digest."""
    digest = hashlib.sha256()

    def iterate_pieces() -> Iterator[bytes]:
        lines = iterate_manifest(plan)
        while some_lines := list(islice(lines, LINES_AT_ONCE)):
            piece = "".join(some_lines).encode()
            digest.update(piece)
            yield piece

    write_parts(folder, MANIFEST, iterate_pieces())
    return digest.hexdigest()


def _read_kept_files(plan: ReleasePlan, store: ImageStore) -> Iterator[tuple[str, bytes]]:
    try:
        yield from iterate_masks(plan, store)
        yield from iterate_travel_files(plan, store)
    except ImageMissingError as error:
        raise DamagedImageError(
            "A file that was kept for the release is not in the image store; bring it back from a "
            f"copy, nothing was released: {error}"
        ) from error


def _set_times(folder: Path) -> None:
    """All files and folders get one moment, so that theirs tell nothing."""
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (MOMENT_SECS, MOMENT_SECS))


def _refuse_taken(target: Path, plan: ReleasePlan) -> None:
    """A recorded release may lie there already; whether it does is seen when it is published."""
    try:
        is_release = plan.is_recorded and (target / MANIFEST).is_file()
        is_taken = has_content(target) and not is_release
    except OSError as error:
        raise ExportError(f"{target} cannot be read: {error.strerror}.") from error
    if is_taken:
        raise FolderTakenError(f"{target} is not empty; name a new folder for the release.")


def _check_and_sync(plan: ReleasePlan, folder: Path, *, is_large: bool) -> None:
    """Read the files back while the disk takes them; return when both are done."""
    with syncing(folder, pays=is_large):
        _check_written(plan, folder)


def _check_written(plan: ReleasePlan, folder: Path) -> None:
    report = check_tree(Tree(folder / tree_path(plan), plan.year))
    if report.violations:
        first = report.violations[0]
        raise BrokenReleaseError(
            f"The written files break {len(report.violations)} rules of the format, first "
            f"{Path(first.file).name}:{first.line}: {first.rule}: {first.message}; "
            "nothing was released."
        )


def _publish(plan: ReleasePlan, folder: Path, target: Path) -> None:
    try:
        publish_folder(folder, target)
    except OSError as error:
        raise ExportError(
            f"The release {plan.name} is recorded, but {target} cannot be put in its place: "
            f"{error.strerror}; mend that and run the same command again."
        ) from error
