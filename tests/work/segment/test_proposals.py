import io

import numpy as np
import pytest
from PIL import Image as Picture
from PIL import ImageDraw

from catalog.box import Box
from catalog.refusals import UnavailableError
from catalog.tables import Image
from tests.annotate_ui.house import API, error_of
from vockit.format.rings import fill, unpack_rings
from work.segment import proposals
from work.segment.proposals import find_outline, one_at_a_time, propose

from .conftest import BOXES, SegmentHouse

ELLIPSE = (120, 80, 380, 300)
BOX = Box(121, 81, 381, 301)


@pytest.fixture
def scene() -> bytes:
    """An orange ellipse on a noisy blue ground."""
    levels = np.random.default_rng(1).normal(128, 60, (375, 500))
    noise = Picture.fromarray(levels.clip(0, 255).astype(np.uint8))
    picture = Picture.merge("RGB", (noise.point(lambda v: v // 4), noise, noise))
    ImageDraw.Draw(picture).ellipse(ELLIPSE, fill=(240, 120, 10))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=90)
    return file.getvalue()


def measure(data: bytes, box: Box) -> float:
    """The IoU of the outline with the ellipse."""
    picture = Picture.new("L", (500, 375))
    ImageDraw.Draw(picture).ellipse(ELLIPSE, fill=1)
    truth = np.asarray(picture) == 1
    drawn = fill(find_outline(data, box), 500, 375)
    return float((truth & drawn).sum() / (truth | drawn).sum())


def test_an_outline_is_proposed_from_the_box(scene: bytes) -> None:
    assert measure(scene, BOX) > 0.95
    assert sum(map(len, find_outline(scene, BOX))) < 80


def test_the_same_request_gives_the_same_outline(scene: bytes) -> None:
    half = Box(200, 20, 480, 200)
    outlines = [find_outline(scene, half) for _ in range(6)]
    assert outlines == outlines[:1] * 6


def test_strokes_remove_from_and_add_to_the_outline(scene: bytes) -> None:
    stroke = [(250, 90), (250, 290)]
    column = slice(240, 246)
    taken = fill(find_outline(scene, BOX, remove=(stroke,)), 500, 375)
    assert not taken[100:280, 249:252].any()
    added = fill(find_outline(scene, BOX, add=([(110, 200), (60, 200)],)), 500, 375)
    assert added[199:202, 62:108].all()
    assert added[100:280, column].all()


@pytest.mark.parametrize("box", [Box(1, 1, 500, 375), Box(5, 5, 5, 5), Box(500, 375, 500, 375)])
def test_without_contrast_the_proposed_outline_is_the_box(scene: bytes, box: Box) -> None:
    rings = find_outline(scene, box)
    assert fill(rings, 500, 375).sum() == box.area_px


def test_only_the_lease_holder_gets_an_unstored_proposal(house: SegmentHouse, scene: bytes) -> None:
    image_id = house.add_checked()
    sha256 = house.party.store.put(scene)
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = sha256
    house.choose()
    ann = house.ann()
    chris = house.chris()
    ann.take("segment")
    path = f"{API}/images/{image_id}/proposals"
    answer = ann.post(path, {"object_key": "a", "add": [[20, 20, 25, 25]]})
    assert answer.status_code == 200, answer.text
    filled = fill(unpack_rings(answer.get_json()["rings"]), 500, 375)
    assert filled[: BOXES["a"][3] + 10, : BOXES["a"][2] + 10].any()
    assert house.drawings(image_id) == []
    assert error_of(chris.post(path, {"object_key": "a"}))[:2] == (409, "lease_lost")
    assert error_of(ann.post(path, {"object_key": "z"})) == (422, "invalid", "object_key")
    strokes: list[list[list[int]]] = [[[1, 2, 3]], [[1, 900]], [[]]]
    for wrong in strokes:
        assert error_of(ann.post(path, {"object_key": "a", "add": wrong}))[:2] == (422, "invalid")


def test_a_person_has_one_outline_computed_at_a_time(house: SegmentHouse, scene: bytes) -> None:
    image_id = house.add_checked()
    sha256 = house.party.store.put(scene)
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = sha256
    house.choose()
    ann = house.ann()
    ann.take("segment")
    path = f"{API}/images/{image_id}/proposals"
    asked = {"object_key": "a"}
    with one_at_a_time((house.party.folder, house.person("ann").id)):
        assert error_of(ann.post(path, asked))[:2] == (429, "too_many")
        with one_at_a_time((house.party.folder, "another person")):
            pass
    assert ann.post(path, asked).status_code == 200


def test_an_outline_waits_a_limited_time_for_others(
    scene: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_PATIENCE_SECS", 0.01)
    with proposals._TURN, pytest.raises(UnavailableError, match="in time; try again"):
        propose(scene, BOX)
    assert propose(scene, BOX)
