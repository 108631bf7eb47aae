"""Making a release, in an order that a kill cannot harm.

All files are written into a hidden folder next to the target and read back by every rule. Then its
rows are written in one transaction, which fails where an image changed meanwhile; then the folder
gets its name. Killed in between, the same command clears up, or writes what is recorded.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import digest_of
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
from vockit.report.progress import Advance
from vockit.verify.check import CONTENT_RULES, check_tree

from .accompanying_files.pack import iterate_files, settle_files
from .blind import MOMENT_SECS
from .errors import ExportError
from .manifest import SPLITS, format_manifest, format_splits
from .plan import ReleasePlan
from .releases import freeze_release
from .tree_files import format_label_map, format_set_files, tree_path, write_pictures


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
    with part_folder(target) as folder:
        # a recorded release may lie there already; whether it does is seen when it is published
        is_release = plan.is_recorded and (target / MANIFEST).is_file()
        if has_content(target) and not is_release:
            raise FolderTakenError(f"{target} is not empty; name a new folder for the release.")
        plan, metadata = write_plan(party, plan, folder, advance)
        with ThreadPoolExecutor(1) as pool:  # the disk works while the processor checks
            synced = pool.submit(sync_folder, folder)
            report = check_tree(Tree(folder / tree_path(plan), plan.year))
            # an imported tree is written again as it was, with names that only some kits read
            accepted = CONTENT_RULES | ({"id"} if plan.is_recorded else set())
            if errors := [it for it in report.errors if it.rule not in accepted]:
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


def write_plan(
    party: Party, plan: ReleasePlan, folder: Path, advance: Advance
) -> tuple[ReleasePlan, dict[str, tuple[str, ...]]]:
    """Write every file of the release; the plan with all that it keeps, and what names people."""
    root, digests = tree_path(plan), dict[str, str]()

    def write(path: str, data: bytes) -> None:
        write_file(folder, path, data)
        digests[path] = digest_of(data)

    with ThreadPoolExecutor(1) as pool:  # pictures are written while the texts are made
        written = pool.submit(write_pictures, plan, party.store, folder, advance)
        try:
            if not plan.is_recorded:  # what its texts say of the pictures is read from them
                plan = settle_files(party, plan, written.result())
            for image in plan.annotated:
                annotation = plan.annotation(image).encode()
                write(f"{root}/{tree.annotation_path(image.public_id)}", annotation)
                for name, sha256 in image.form.masks.items() if image.form else ():
                    data = party.store.get(sha256)
                    write(f"{root}/{tree.mask_path(name, image.public_id)}", data)
            for path, text in format_set_files(plan):
                write(f"{root}/{path}", text.encode())
            if plan.recipe.has_label_map:
                write(f"{root}/{tree.LABEL_MAP}", format_label_map(plan.recipe).encode())
            if not plan.is_blind:
                write(SPLITS, format_splits(plan).encode())
            write(MANIFEST, format_manifest(plan).encode())
            for path, data in iterate_files(plan, party.store):
                write(path, data)
            pictures = written.result()
            digests |= {it.path: it.sha256 for it in pictures.values()}
        except (ImageMissingError, ImageDamagedError) as error:
            raise ExportError(
                "A file of the release is not in the image store, or is not what was stored; bring "
                f"it back from a copy, nothing was released: {error}"
            ) from error
    if plan.notes.facts is not None:
        write_sums(folder, digests)
    if plan.is_blind:  # one moment for all, so that theirs tell nothing
        for place in [*folder.rglob("*"), folder]:
            os.utime(place, (MOMENT_SECS, MOMENT_SECS))
    hidden = {image.public_id for image in plan.images if plan.hides(image)}
    found = {it: list_naming(picture.metadata) for it, picture in pictures.items()}
    return plan, {it: kinds for it, kinds in found.items() if kinds and it not in hidden}
