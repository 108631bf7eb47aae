"""Outlines from the masks of suggestions: who gets them, of which objects, and what they hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sqlalchemy import update

from catalog.states import Suggested
from catalog.tables import Object, Segment, Suggestion, SuggestionSet
from tests.annotate_ui.house import API, Browser, Json, error_of
from tests.suggesting import NOON, suggest
from vockit.foreign.datasets.run_lengths import pack_run_lengths
from vockit.format.rings import fill, unpack_rings

from .conftest import BOXES, SegmentHouse, save, segments

SIZE = (500, 375)


def make_mask(box: tuple[int, int, int, int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """An ellipse that fills a box."""
    xmin, ymin, xmax, ymax = box
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]] + 0.5
    across = (columns - (xmin - 1 + xmax) / 2) / ((xmax - xmin + 1) / 2)
    down = (rows - (ymin - 1 + ymax) / 2) / ((ymax - ymin + 1) / 2)
    inside: np.ndarray[Any, np.dtype[np.bool_]] = across**2 + down**2 <= 1
    return inside


def pack(mask: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    """COCO's compressed run lengths."""
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *changes.tolist(), flat.size]).tolist()
    return pack_run_lengths([0, *lengths] if flat[0] else lengths)


def make_of_suggestions(
    house: SegmentHouse, image_id: int, masks: Mapping[str, str | None], **boxes: Any
) -> list[int]:
    """The objects of an image are made of suggestions with these masks."""
    places = [boxes.get(key, BOXES[key]) for key in masks]
    ids = suggest(house.party, image_id, places)
    with house.party.catalogue.writing() as session:
        for number, (key, counts) in zip(ids, masks.items(), strict=True):
            session.get_one(Suggestion, number).mask = counts
            row = update(Object).where(Object.object_key == key)
            session.execute(row.values(suggestion_id=number, suggested=Suggested.ACCEPTED))
    return ids


def ask(browser: Browser, image_id: int) -> dict[str, list[list[int]]]:
    answer = browser.get(f"{API}/images/{image_id}/suggested-outlines")
    assert answer.status_code == 200, answer.text
    outlines: list[Json] = answer.get_json()["outlines"]
    return {item["object_key"]: item["rings"] for item in outlines}


def test_an_object_gets_the_outline_of_its_suggestion_with_few_corners(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    mask = make_mask(BOXES["a"])
    make_of_suggestions(house, image_id, {"a": pack(mask), "b": None})
    ann = house.ann()
    assert error_of(ann.get(f"{API}/images/{image_id}/suggested-outlines"))[0] == 409
    task = ann.take("segment")
    rings = ask(ann, image_id)
    assert set(rings) == {"a"}
    drawn = fill(unpack_rings(rings["a"]), *SIZE)
    assert (drawn & mask).sum() / (drawn | mask).sum() > 0.9
    assert sum(map(len, rings["a"])) < 60
    with house.party.catalogue.reading() as session:
        assert session.query(Segment).count() == 0  # nothing is stored before a person says so
    drawn_by_ann = [
        item | ({"rings": rings["a"]} if item["object_key"] == "a" else {}) for item in segments()
    ]
    assert save(ann, task, drawn_by_ann).status_code == 201
    with house.party.catalogue.reading() as session:
        assert session.query(Segment).filter_by(object_key="a").one().rings == rings["a"]


def test_a_mask_that_does_not_fit_or_is_switched_off_gives_nothing(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    far = (41, 1, 80, 40)
    masks = {"a": pack(make_mask(far)), "b": "no run lengths"}
    ids = make_of_suggestions(house, image_id, masks, a=far)
    ann = house.ann()
    ann.take("segment")
    assert ask(ann, image_id) == {}
    with house.party.catalogue.writing() as session:
        row = session.get_one(Suggestion, ids[0])
        row.xmin, row.ymin, row.xmax, row.ymax = BOXES["a"]
        row.mask = pack(make_mask(BOXES["a"]))
    assert set(ask(ann, image_id)) == {"a"}
    with house.party.catalogue.writing() as session:
        session.execute(update(SuggestionSet).values(switched_off_at=NOON))
    assert ask(ann, image_id) == {}


def test_who_draws_an_image_a_second_time_gets_no_outline(house: SegmentHouse) -> None:
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    make_of_suggestions(house, image_id, {"a": pack(make_mask(BOXES["a"]))})
    ann = house.ann()
    task = ann.take("segment")
    assert set(ask(ann, image_id)) == {"a"}
    save(ann, task)
    bob = house.enter(house.add_person("bob"))
    assert bob.take("segment")["image_id"] == image_id
    assert ask(bob, image_id) == {}
