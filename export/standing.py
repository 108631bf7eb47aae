"""Whether the sets of a tree part what the catalogue binds: near-duplicates and owners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from catalog.party import Party, open_party

from .groups import OWNER, ImageGroup, bind_images
from .load import load_given_revisions, load_images
from .planning import load_all_links
from .verify.check import SET_FOLDERS, TreeReport
from .verify.image_sets import read_set
from .verify.violations import Violation, Violations
from .voc import tree
from .voc.image_sets import IMAGES_FORM, OBJECTS_FORM, SetLine

_DISJOINT_SETS = ("train", "val", "test")


class _Place(NamedTuple):
    """Where an image is listed."""

    set_name: str
    path: Path
    line: int


def check_party(party_folder: Path, reports: list[TreeReport]) -> list[TreeReport]:
    """The reports with a violation for each image that a set parts from one it is bound to.

    Images are known by their public identifiers; others are not looked at.
    """
    with open_party(party_folder) as party:
        return [_extend(party, report) for report in reports]


def _extend(party: Party, report: TreeReport) -> TreeReport:
    found = tuple(_find(party, _find_places(report.root)))
    return replace(report, violations=tuple(sorted({*report.violations, *found})))


def _find_places(root: Path) -> dict[str, _Place]:
    """The first place of each image in a set, of Main where that lists it."""
    places: dict[str, _Place] = {}
    for folder, name in product(SET_FOLDERS, _DISJOINT_SETS):
        path = root / tree.set_path(folder, name)
        if path.is_file():
            for line in _read_lines(path):
                places.setdefault(line.image_id, _Place(name, path, line.line))
    return places


def _read_lines(path: Path) -> Sequence[SetLine]:
    """Those of Layout have an object's number behind the image since 2008."""
    forms = (IMAGES_FORM, OBJECTS_FORM)
    return next(filter(None, (read_set(path, form, Violations()).lines for form in forms)), ())


def _find(party: Party, places: Mapping[str, _Place]) -> Iterator[Violation]:
    with party.catalogue.reading() as session:
        given = load_given_revisions(session)
        known = {given[it][0]: it for it in places if it in given}
        rows = load_images(session, {given[it][0]: given[it][1] for it in known.values()})
        links = load_all_links(session, rows, party.settings.dedup)
    for group in bind_images(rows, links):
        ids = sorted(known[image.id] for image in group.images)
        yield from _check_group(group, ids, places)


def _check_group(
    group: ImageGroup, ids: list[str], places: Mapping[str, _Place]
) -> Iterator[Violation]:
    first = places[ids[0]]
    for image_id in ids[1:]:
        place = places[image_id]
        if place.set_name != first.set_name:
            rule = "owner-across-sets" if OWNER in group.relations else "near-across-sets"
            message = (
                f"expected {image_id} in {first.set_name} with {ids[0]}, to which it is bound "
                f"({', '.join(group.relations)})"
            )
            yield Violation(str(place.path), place.line, rule, message)
