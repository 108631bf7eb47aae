"""Which detections are stored: those whose words, boxes, masks and parts fit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools import mask as coco_mask
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Suggestion

from .loads import add_image, boxed, entry, load, read_rows, read_sets, write_coco, write_voc


def test_what_is_left_out_is_counted_and_named(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    gone = add_image(party, 2, ImageState.TAKEN_DOWN)
    entries: list[Any] = [
        entry(image),
        entry(image, image_id="nowhere.jpg"),
        entry(image, image_id=f"image-{image.id:06}-00000000.jpg"),  # another party's
        entry(gone),
        entry(image, category_id="zebra"),
        entry(image, category_id="zebra"),
        entry(image, category_id="okapi"),
        entry(image, (600, 10, 50, 50)),
        entry(image, (10, 10, -5, 5)),
        entry(image, (1e308, 0, 1e308, 9)),
        entry(image, (math.nan, 0, 10, 10)),
        entry(image, (1, 2, 3)),
        entry(image, score=None),
        entry(image, score=0.1),
        {"image_id": 1},
        "nonsense",
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries), "--min-confidence", "0.3")
    assert result.exit_code == 0, result.output
    assert len(read_rows(party)) == 1
    [group] = read_sets(party)
    assert group.left_out == {
        "a photograph that the party does not have": 2,
        "a photograph that was taken down": 1,
        "a class that the party does not have": 3,
        "a box mostly outside its photograph": 1,
        "a box that is inverted or empty": 1,
        "a value that is no number": 4,
        "a confidence below 0.3": 1,
        "a line or an entry that cannot be read": 2,
    }
    assert "Left out 3: a class that the party does not have (zebra 2, okapi 1)." in result.output
    assert "(the first: nowhere.jpg, person 0.9, edges 47, 239, 195, 371)" in result.output


def test_a_map_leads_other_class_names_to_the_partys(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    entries = [entry(image, category_id="human"), entry(image, category_id="cat")]
    path = write_coco(tmp_path / "r.json", entries)
    assert load(party, path, "--map", "human=person", "--map", "cat=").exit_code == 0
    assert [row[1] for row in read_rows(party)] == ["person"]
    refused = load(party, path, "--map", "human=yeti")
    assert refused.exit_code == 2
    assert "has no class yeti" in refused.output


@pytest.mark.parametrize("is_compressed", [True, False])
def test_masks_of_coco_are_kept_and_give_the_box(
    party: Party, tmp_path: Path, is_compressed: bool
) -> None:
    image = add_image(party)
    mask = np.zeros((375, 500), np.uint8, order="F")
    mask[10:40, 20:70] = 1
    mask[15, 30:35] = 0
    packed = coco_mask.encode(mask)
    counts = packed["counts"].decode()
    runs = np.diff(np.flatnonzero(np.diff(mask.ravel(order="F"), prepend=2, append=2)))
    given = {"size": [375, 500], "counts": counts if is_compressed else runs.tolist()}
    small = {"size": [10, 10], "counts": [50, 50]}
    entries = [
        entry(image, segmentation=given, bbox=None),
        entry(image, segmentation=small),
        entry(image, segmentation={"size": [375, 500], "counts": [1]}),
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert result.exit_code == 0, result.output
    assert read_rows(party) == [(image.id, "person", (21, 11, 70, 40), 0.9)]
    with party.catalogue.reading() as session:
        assert session.scalar(select(Suggestion.mask)) == counts
    assert read_sets(party)[0].left_out == {
        "a mask of another size than its photograph": 1,
        "a mask that cannot be read": 1,
    }


def test_polygons_of_coco_become_masks_and_give_the_box(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    left = [20, 10, 45.2, 10, 45.2, 40, 20, 40]
    right = [40, 10, 69.8, 9.9, 70.1, 40.2, 40, 40]  # over part of the left one
    entries = [
        entry(image, segmentation=[left, right], bbox=None),
        entry(image, segmentation=[[480, 360, 520, 360, 520, 390, 480, 390]]),
        entry(image, segmentation=[]),
        entry(image, segmentation=[[1, 2, 3, 4]]),
        entry(image, segmentation=[[1, 2, 3, 4, 5, "6"]]),
        entry(image, segmentation=[[1, 2, 3, 4, 5, 1e300]]),
        entry(image, segmentation=7),
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert result.exit_code == 0, result.output
    assert read_rows(party)[0] == (image.id, "person", (21, 11, 70, 40), 0.9)
    assert read_sets(party)[0].left_out == {"a mask that cannot be read": 4}
    with party.catalogue.reading() as session:
        stored = list(session.scalars(select(Suggestion.mask).order_by(Suggestion.id)))
    assert stored[2] is None
    for counts, (top, bottom, first, last) in zip(
        stored[:2], [(10, 40, 20, 70), (360, 375, 480, 500)], strict=True
    ):
        whole = np.zeros((375, 500), np.uint8, order="F")
        whole[top:bottom, first:last] = 1
        assert counts == coco_mask.encode(whole)["counts"].decode()


def test_parts_of_voc_come_with_their_object(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    parts = [
        boxed("part", "head", (60, 240, 99, 280)),
        boxed("part", "head", (60, 240, 90, 280)),  # a person has one
        boxed("part", "hand", (48, 300, 60, 310)),
        boxed("part", "tail", (48, 300, 60, 310)),
        boxed("part", "foot", (900, 300, 960, 310)),
    ]
    cat = boxed("object", "cat", (1, 1, 50, 60), boxed("part", "head", (1, 1, 20, 20)))
    person = boxed("object", "person", (48, 240, 195, 371), "".join(parts))
    plain = boxed("object", "person", (1, 1, 50, 60))
    done = load(any_party, write_voc(tmp_path / "tree", image, [person, cat, plain]))
    assert done.exit_code == 0, done.output
    assert "Changed 3: without a part that the party's class does not have." in done.output
    assert "Changed 1: without a part that has no box in the photograph." in done.output
    with any_party.catalogue.reading() as session:
        stored = list(session.scalars(select(Suggestion.parts).order_by(Suggestion.id)))
    head = {"part": "head", "box": [60, 240, 99, 280]}
    assert stored == [[head, {"part": "hand", "box": [48, 300, 60, 310]}], None, None]
