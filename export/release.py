"""Making a release, in an order that a kill cannot harm.

All files are written into a hidden folder next to the target and read back by every rule. Then its
rows are written in one transaction, which fails where an image changed meanwhile; then the folder
gets its name. Killed in between, the same command clears up, or writes what is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, digest_of
from catalog.party import Party
from vockit.errors import FolderTakenError
from vockit.foreign.folder import (
    has_content,
    part_folder,
    publish_folder,
    sync_folder,
    write_file,
    write_sums,
)
from vockit.foreign.manifest import MANIFEST
from vockit.foreign.tree_files import Tree
from vockit.format import tree
from vockit.format.metadata import list_naming
from vockit.format.threads import ThreadPool
from vockit.report.progress import Advance
from vockit.verify.check import CONTENT_RULES, check_tree

from .accompanying_files.pack import iterate_files, settle_files
from .blind import MOMENT_SECS
from .errors import ExportError
from .manifest import format_manifest
from .plan import ReleasePlan
from .releases import freeze_release
from .split_report import SPLITS, format_splits
from .tree_files import (
    WrittenPicture,
    digest_release,
    format_label_map,
    format_set_files,
    tree_path,
    write_pictures,
)


def write_release(
    party: Party,
    plan: ReleasePlan,
    target: Path,
    *,
    at: datetime,
    advance: Advance = lambda count: None,
) -> dict[str, tuple[str, ...]]:
    """Write the release to `target`, and record it where it is new.

    Returns what its pictures have that may name people or places, by public id.
    """
    target = target.resolve()
    party.store.refuse_inside(target)
    with part_folder(target) as folder:
        # a recorded release may lie there already; whether it does is seen when it is published
        is_release = plan.is_recorded and (target / MANIFEST).is_file()
        if has_content(target) and not is_release:
            raise FolderTakenError(f"{target} is not empty; name a new folder for the release.")
        plan, metadata = write_plan(party, plan, folder, advance)
        with ThreadPool(1) as pool:  # the disk works while the processor checks
            synced = pool.submit(sync_folder, folder)
            report = check_tree(Tree(folder / tree_path(plan), plan.year))
            # an imported tree is written again as it was, with names that only some kits read
            accepted = CONTENT_RULES | ({"id"} if plan.is_recorded else set())
            if errors := [error for error in report.errors if error.rule not in accepted]:
                first = errors[0]
                raise ExportError(
                    f"The written files break {len(errors)} rules of the format, first "
                    f"{Path(first.file).name}:{first.line}: {first.rule}: {first.message}; "
                    "nothing was released."
                )
            synced.result()
        if not plan.is_recorded:
            freeze_release(party.catalogue, plan, at=at)
        try:
            publish_folder(folder, target)
        except OSError as error:
            raise ExportError(
                f"The release {plan.name} is recorded, but {target} cannot be put in its place: "
                f"{error.strerror}; fix that and run the same command again."
            ) from error
    return metadata


@dataclass
class _Folder:
    """The folder that is written, and the digest of each file in it by its path."""

    path: Path
    digests: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, data: bytes) -> None:
        """Write a file and note its digest."""
        write_file(self.path, path, data)
        self.digests[path] = digest_of(data)


def write_plan(
    party: Party, plan: ReleasePlan, folder: Path, advance: Advance
) -> tuple[ReleasePlan, dict[str, tuple[str, ...]]]:
    """Write every file of the release; the plan with all that it keeps, and what names people."""
    written = _Folder(folder)
    if not plan.is_recorded:
        plan = replace(plan, notes=replace(plan.notes, digest=digest_release(plan)))
    with ThreadPool(1) as pool:  # pictures are written while the texts are made
        job = pool.submit(write_pictures, plan, party.store, folder, advance)
        try:
            if not plan.is_recorded:  # what its texts say of the pictures is read from them
                plan = settle_files(party, plan, job.result())
            written.digests |= write_tree(plan, party.store, folder)
            _write_beside_tree(written, plan, party.store)
            pictures = job.result()
        except (ImageMissingError, ImageDamagedError) as error:
            raise ExportError(
                "A file of the release is not in the image store, or is not what was stored; bring "
                f"it back from a copy, nothing was released: {error}"
            ) from error
    written.digests |= {picture.path: picture.sha256 for picture in pictures.values()}
    if plan.notes.facts is not None:
        write_sums(folder, written.digests)
    if plan.is_blind:
        _level_times(folder)
    return plan, _list_naming(plan, pictures)


def write_tree(plan: ReleasePlan, store: ImageStore, target: Path) -> dict[str, str]:
    """Write annotations, masks, sets and label map: all of the VOC tree but the pictures.

    Returns the digests of the written files by their paths.
    """
    folder = _Folder(target)
    root = tree_path(plan)
    for image in plan.annotated:
        annotation = plan.annotation(image).encode()
        folder.write(f"{root}/{tree.annotation_path(image.public_id)}", annotation)
        masks = image.form.masks if image.form else {}
        for name, sha256 in masks.items():
            folder.write(f"{root}/{tree.mask_path(name, image.public_id)}", store.get(sha256))
    for path, text in format_set_files(plan):
        folder.write(f"{root}/{path}", text.encode())
    if plan.recipe.has_label_map:
        folder.write(f"{root}/{tree.LABEL_MAP}", format_label_map(plan.recipe).encode())
    return folder.digests


def _write_beside_tree(folder: _Folder, plan: ReleasePlan, store: ImageStore) -> None:
    """Write the files that accompany the tree."""
    if not plan.is_blind:
        folder.write(SPLITS, format_splits(plan).encode())
    folder.write(MANIFEST, format_manifest(plan).encode())
    for path, data in iterate_files(plan, store):
        folder.write(path, data)


def _level_times(folder: Path) -> None:
    """Give all files of a blind release one moment, so that theirs tell nothing."""
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (MOMENT_SECS, MOMENT_SECS))


def _list_naming(
    plan: ReleasePlan, pictures: Mapping[str, WrittenPicture]
) -> dict[str, tuple[str, ...]]:
    """What may name people or places in the pictures that are not hidden, by public id."""
    hidden = {image.public_id for image in plan.images if plan.hides(image)}
    kinds_of = {
        public_id: list_naming(picture.metadata)
        for public_id, picture in pictures.items()
        if public_id not in hidden
    }
    return {public_id: kinds for public_id, kinds in kinds_of.items() if kinds}
