from collections.abc import Sequence
from typing import Any

import pytest
from click.testing import Result
from werkzeug.test import TestResponse

from catalog.party import Party
from catalog.states import ImageState, SegmentState
from catalog.tables import Annotation, Image, Object, Person, Segmentation, SegmentChoice
from tests.annotate_ui.house import API, Browser, House, Json, new_key
from work.segment.choices import choose_images

BOXES = {"a": (1, 1, 40, 40), "b": (21, 21, 80, 60)}


def square(xmin: int, ymin: int, xmax: int, ymax: int) -> list[int]:
    """The flat ring around a VOC box."""
    return [xmin - 1, ymin - 1, xmax, ymin - 1, xmax, ymax, xmin - 1, ymax]


def segments(**rings: Any) -> list[Json]:
    """The boxes of both objects as filled rings, except for those given."""
    drawn = {key: [square(*box)] for key, box in BOXES.items()} | rings
    return [
        {
            "object_key": key,
            "depth": depth,
            "rings": outline,
            "drawn_secs": 12.0 + depth,
            "inputs": 9,
        }
        for depth, (key, outline) in enumerate(drawn.items())
    ]


class SegmentHouse(House):
    """A served party with checked images of two objects, some of which are chosen."""

    def add_checked(self, state: ImageState = ImageState.CHECKED, classes: str = "dog cat") -> int:
        """The id of a new image whose boxes are checked."""
        image_id = self.add_image(state)
        self.draw_boxes(image_id, BOXES, classes)
        return image_id

    def draw_boxes(
        self, image_id: int, boxes: dict[str, tuple[int, int, int, int]], classes: str = "dog cat"
    ) -> int:
        """The id of a new box revision, which becomes the image's newest."""
        with self.party.catalogue.writing() as session:
            drawer = session.query(Person).filter_by(name="boxer").one_or_none()
            if drawer is None:
                values: Json = {"role": "annotator", "credential_sha256": "boxer"}
                drawer = Person(name="boxer", created_at=self.clock.at, **values)
                session.add(drawer)
                session.flush()
            values = {"save_key": new_key(), "is_finished": True, "saved_at": self.clock.at}
            made = Annotation(image_id=image_id, person_id=drawer.id, **values)
            for number, ((key, box), name) in enumerate(
                zip(boxes.items(), classes.split(), strict=False), start=1
            ):
                sides = dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True))
                made.objects.append(Object(number=number, object_key=key, class_id=name, **sides))
            session.add(made)
            session.flush()
            session.get_one(Image, image_id).annotation_id = made.id
            return made.id

    def choose(self, count: int = 1, *, twice_share: float = 0.0, **more: Any) -> list[int]:
        """The ids of the chosen images."""
        given: Json = {"classes": (), "seed": 1, "at": self.clock.at} | more
        with self.party.catalogue.writing() as session:
            chosen = choose_images(session, count, twice_share=twice_share, **given)
            return list(chosen.image_ids)

    def add_chosen(self) -> int:
        """The id of a new image that is chosen."""
        image_id = self.add_checked()
        self.choose()
        return image_id

    def add_drawn(self) -> tuple[int, Browser, Browser]:
        """The id of a new image that Ann has segmented, Ann and Chris."""
        image_id = self.add_chosen()
        ann = self.ann()
        save(ann, ann.take("segment"))
        return image_id, ann, self.chris()

    def choice(self, image_id: int) -> SegmentChoice:
        with self.party.catalogue.reading() as session:
            return session.get_one(SegmentChoice, image_id)

    def track(self, image_id: int) -> SegmentState:
        return self.choice(image_id).state

    def drawings(self, image_id: int) -> list[Segmentation]:
        with self.party.catalogue.reading() as session:
            query = session.query(Segmentation).filter_by(image_id=image_id)
            return query.order_by(Segmentation.id).all()


def make_save(task: Json, drawn: Sequence[Json] | None = None, **more: Any) -> Json:
    """The body of a finished drawing that breaks no rule."""
    head = task["segmentation"]
    return {
        "save_key": new_key(),
        "parent_id": head and head["id"],
        "annotation_id": task["annotation"]["id"],
        "active_secs": 40.5,
        "inputs": 24,
        "finish": True,
        "segments": segments() if drawn is None else drawn,
    } | more


def save(
    browser: Browser, task: Json, drawn: Sequence[Json] | None = None, **more: Any
) -> TestResponse:
    body = make_save(task, drawn, **more)
    return browser.post(f"{API}/images/{task['image_id']}/segmentations", body)


def review(browser: Browser, task: Json, verdict: str = "accept", **more: Any) -> TestResponse:
    body = {"save_key": new_key(), "verdict": verdict, "missing": False, **more}
    return browser.post(f"{API}/segmentations/{task['segmentation']['id']}/reviews", body)


def run(house: SegmentHouse, *words: str) -> Result:
    return house.run("segment", *words)


@pytest.fixture
def house(party: Party) -> SegmentHouse:
    """A served party on SQLite."""
    return SegmentHouse(party)


@pytest.fixture
def any_house(any_party: Party) -> SegmentHouse:
    """A served party, once on SQLite and once on PostgreSQL."""
    return SegmentHouse(any_party)
