"""A release that takes over an earlier one leaves its images as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.states import ImageState, Split
from export.errors import ReleaseNameError
from export.planning import ReleaseOrder, plan_release
from tests.export.exporting import export_release, verify_tree

from .outcome import contents, states, take_down
from .rows import CAT, DOG, NOW, add_image, link

EXTEND = ReleaseOrder(extends="VOC2026")


def files_of(folder: Path, year: int) -> dict[str, bytes]:
    """Annotations and pictures by name."""
    root = f"VOCdevkit/VOC{year}/"
    return {
        name.removeprefix(root): data
        for name, data in contents(folder).items()
        if name.endswith((".xml", ".jpg"))
    }


def test_earlier_images_keep_identifier_set_and_bytes(any_stocked: Party, tmp_path: Path) -> None:
    first = export_release(any_stocked, tmp_path / "one", year=2026, at=NOW)
    with any_stocked.catalogue.writing() as session:
        for number in range(20, 36):
            add_image(session, any_stocked, number, [CAT, DOG])
    settings = replace(any_stocked.settings, name="Another name")
    changed = replace(any_stocked, settings=settings)
    order = replace(EXTEND, style=AnnotationStyle.VOC2008)
    later = export_release(changed, tmp_path / "two", year=2027, at=NOW, order=order)
    assert verify_tree(tmp_path / "two") == []
    assert len(later.images) == 24
    assert files_of(tmp_path / "one", 2026).items() <= files_of(tmp_path / "two", 2027).items()
    sets = {image.public_id: image.split for image in later.images}
    assert {image.public_id: image.split for image in first.images}.items() <= sets.items()
    assert sorted(sets.values()).count(Split.TEST) == 12
    export_release(any_stocked, tmp_path / "again", year=2027, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "two")
    assert states(any_stocked) == {ImageState.RELEASED: 24}


def test_new_images_follow_those_they_are_bound_to(any_stocked: Party, tmp_path: Path) -> None:
    first = export_release(any_stocked, tmp_path / "one", year=2026, at=NOW)
    with any_stocked.catalogue.writing() as session:
        by_owner = [
            add_image(session, any_stocked, number, [CAT], owner_id=f"owner-{number - 20}").id
            for number in range(21, 29)
        ]
        alike = add_image(session, any_stocked, 50, [CAT]).id
        session.add(link(alike, first.images[0].row.id))
    later = plan_release(any_stocked, year=2027, order=EXTEND)
    set_of = {image.row.id: image.split for image in later.images}
    owner_of = {image.row.photos[0].owner_id: image.split for image in first.images}
    for place, image_id in enumerate(by_owner, start=1):
        assert set_of[image_id] is owner_of[f"owner-{place}"]
    assert set_of[alike] is first.images[0].split
    relations = {group.relations for group in later.notes.groups}
    assert relations == {("owner",), ("owner", "same event")}


def test_a_new_image_that_is_bound_to_two_sets_is_left_out_and_named(
    stocked: Party, tmp_path: Path
) -> None:
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    train = next(it for it in first.images if it.split is Split.TRAIN)
    test = next(it for it in first.images if it.split is Split.TEST)
    with stocked.catalogue.writing() as session:
        owner = test.row.photos[0].owner_id
        torn = add_image(session, stocked, 20, [CAT], owner_id=owner).id
        session.add(link(torn, train.row.id))
    later = export_release(stocked, tmp_path / "two", year=2027, at=NOW, order=EXTEND)
    (left_out,) = later.left_out
    assert left_out.image_id == torn
    assert f"{test.public_id} in test and {train.public_id} in train" in left_out.reason
    assert len(later.images) == 8
    assert verify_tree(tmp_path / "two") == []


def test_what_was_taken_down_is_not_taken_over(stocked: Party, tmp_path: Path) -> None:
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    take_down(stocked, first.images[0].row.id)
    later = plan_release(stocked, year=2027, order=EXTEND)
    kept = [image.public_id for image in first.images[1:]]
    assert [image.public_id for image in later.images] == kept


def test_a_release_that_is_not_there_cannot_be_extended(stocked: Party) -> None:
    with pytest.raises(ReleaseNameError, match="no release VOC2026 to extend"):
        plan_release(stocked, year=2027, order=EXTEND)


def test_an_extension_may_be_extended(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    export_release(stocked, tmp_path / "two", year=2027, at=NOW, order=EXTEND)
    order = ReleaseOrder(extends="VOC2027")
    export_release(stocked, tmp_path / "three", year=2028, at=NOW, order=order)
    assert files_of(tmp_path / "three", 2028) == files_of(tmp_path / "one", 2026)
    assert verify_tree(tmp_path / "three") == []
