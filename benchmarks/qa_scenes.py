"""Annotations that are right, of scenes on which automatic checks may stumble.

Every box is where it should be, give or take the pixels by which a hand trembles; every word is
right. What a check says of such an image is a false alarm. The situations and their shares are our
own: rates by situation do not depend on the shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from catalog.box import Box, clamp
from catalog.preset import Preset
from catalog.settings import CONFUSABLE
from catalog.states import View
from qa.subjects import CheckedImage, CheckedObject, CheckedPart

SIZES_WH = ((500, 375), (375, 500), (500, 333), (333, 500), (500, 500))
TREMBLE_PX = 2  # extreme clicking and expert boxes differ by as much (Papadopoulos et al. 2017)
TYPICAL_SECS = 7.0  # a box by staff annotators, Open Images V4
NAMED_VIEWS = (View.FRONTAL, View.REAR, View.LEFT, View.RIGHT)
SERIES_SHARE, WALK_SHARE = 0.3, 0.3
MOST_OF_A_SERIES = 4

Size = tuple[int, int]
Objects = list[CheckedObject]


@dataclass(frozen=True)
class Scene:
    """A right image, and what is hard about it."""

    situation: str
    image: CheckedImage


@dataclass(frozen=True)
class Hand:
    """What draws: the party's words, an image's size and chance."""

    preset: Preset
    size: Size
    rng: np.random.Generator

    def thing(self, name: str, box: Box, **values: Any) -> CheckedObject:
        """An object with a view and an action, as its class asks for."""
        spec = self.preset.find_class(name)
        has_views, has_actions = spec is None or spec.has_views, bool(spec and spec.has_actions)
        item = CheckedObject(
            0,
            "",
            name,
            box,
            self.pick(NAMED_VIEWS) if has_views else View.UNSPECIFIED,
            actions=(self.pick(self.preset.actions).name,) if has_actions else (),
        )
        return replace(item, **values)

    def pick(self, of: Sequence[Any]) -> Any:
        """One of them."""
        return of[int(self.rng.integers(len(of)))]

    def pick_class(self) -> str:
        """A class, a person as often as in VOC2012: three objects in ten."""
        others = [name for name in self.preset.class_names if name != "person"]
        return "person" if self.rng.random() < 0.3 else str(self.pick(others))

    def place(self, least_px: int = 40, most_px: int = 160) -> Box:
        """A box well inside the image."""
        width, height = (int(self.rng.integers(least_px, most_px)) for _ in range(2))
        left = int(self.rng.integers(10, self.size[0] - width - 10))
        top = int(self.rng.integers(10, self.size[1] - height - 10))
        return Box(left, top, left + width, top + height)

    def beside(self, box: Box, least: float, most: float) -> Box:
        """A box of that size moved sideways, so that the two overlap by between these shares.

        By more, where there is no room.
        """
        shared = self.rng.uniform(least, most)
        moved = round(box.width_px * (1 - shared) / (1 + shared))
        left_px, right_px = box.xmin - 10, self.size[0] - 10 - box.xmax
        by = min(moved, right_px) if right_px >= left_px else -min(moved, left_px)
        return Box(box.xmin + by, box.ymin, box.xmax + by, box.ymax)

    def fit(self, xyxy: tuple[float, float, float, float]) -> Box:
        """The whole pixels nearest to these edges, in the image."""
        left, top, right, bottom = (round(edge) for edge in xyxy)
        return clamp((left, top, right, bottom), *self.size)

    def tremble(self, box: Box) -> Box:
        """The box as a hand draws it; an edge on the border stays there."""
        borders = (1, 1, *self.size)
        edges = [
            edge if edge == border else edge + int(self.rng.integers(-TREMBLE_PX, TREMBLE_PX + 1))
            for edge, border in zip(box.xyxy, borders, strict=True)
        ]
        return self.fit((edges[0], edges[1], max(edges[0], edges[2]), max(edges[1], edges[3])))


def draw_apart(hand: Hand) -> Objects:
    """One to four objects anywhere; of each quarter one is cut by the border and says so."""
    return [_draw_one(hand) for _ in range(int(hand.rng.integers(1, 5)))]


def draw_behind(hand: Hand) -> Objects:
    """Two of one class, one before the other: a couple that embraces, sheep in a row."""
    name, box = hand.pick_class(), hand.place(60, 150)
    return [hand.thing(name, box), hand.thing(name, hand.beside(box, 0.2, 0.65), occluded=True)]


def draw_crowd(hand: Hand) -> Objects:
    """Up to fifteen people before and behind each other."""
    return [
        hand.thing("person", hand.place(30, 90), occluded=True)
        for _ in range(int(hand.rng.integers(6, 16)))
    ]


def draw_rider(hand: Hand) -> Objects:
    """A person on a horse, a bicycle or a motorbike."""
    box = hand.place(90, 200)
    name = hand.pick(("horse", "bicycle", "motorbike"))
    return [hand.thing(name, box), hand.thing("person", hand.beside(box, 0.3, 0.75))]


def draw_seated(hand: Hand) -> Objects:
    """A person who fills a chair or a sofa."""
    box = hand.place(90, 200)
    seat = hand.thing(hand.pick(("chair", "sofa")), box, occluded=True)
    return [seat, hand.thing("person", hand.beside(box, 0.5, 0.9))]


def draw_alike(hand: Hand) -> Objects:
    """Two objects of classes that look alike, close together: a cat on a dog, a car by a bus."""
    names, box = hand.pick(CONFUSABLE), hand.place(60, 180)
    return [
        hand.thing(names[0], box),
        hand.thing(names[1], hand.beside(box, 0.1, 0.65), occluded=True),
    ]


def draw_to_border(hand: Hand) -> Objects:
    """A whole object that ends within four pixels of the border."""
    box = hand.place()
    return [hand.thing(hand.pick_class(), box_at_border(box, hand, int(hand.rng.integers(0, 5))))]


def draw_cut(hand: Hand) -> Objects:
    """A person whose legs are behind a table of no class, or an object that a frame cuts."""
    return [hand.thing(hand.pick_class(), hand.place(), truncated=True), _draw_one(hand)]


def draw_without_view(hand: Hand) -> Objects:
    """An animal that is curled up, or a thing seen from above: no view fits."""
    name = hand.pick(("cat", "dog", "bird", "boat", "aeroplane"))
    return [hand.thing(name, hand.place(), view=View.UNSPECIFIED)]


def draw_close_up(hand: Hand) -> Objects:
    """A face that is all there is of a person: the head's box is the person's, drawn twice."""
    box = hand.place(100, 250)
    head = CheckedPart("head", hand.tremble(box))
    return [hand.thing("person", box, truncated=True, occluded=True, parts=(head,))]


def draw_with_parts(hand: Hand) -> Objects:
    """A person with a head on top and hands that reach to the edges of the box, or just over."""
    box = hand.place(60, 180)
    side = max(box.width_px // 5, 8)
    head = Box(box.xmin + side, box.ymin, box.xmin + 3 * side, box.ymin + 2 * side)
    hands = (
        Box(box.xmin, box.ymax - 2 * side, box.xmin + side, box.ymax - side),
        Box(box.xmax - side, box.ymax - 2 * side, box.xmax, box.ymax - side),
    )
    parts = [CheckedPart("head", hand.tremble(head))]
    parts += [CheckedPart("hand", hand.tremble(one)) for one in hands]
    return [hand.thing("person", box, parts=tuple(parts))]


def draw_far_away(hand: Hand) -> Objects:
    """Objects of a few pixels, people among them whose action nobody can tell."""
    sides = [hand.place(4, 14) for _ in range(int(hand.rng.integers(1, 5)))]
    objects = [hand.thing(hand.pick_class(), box) for box in sides]
    return [replace(item, actions=()) if hand.rng.random() < 0.5 else item for item in objects]


SITUATIONS: dict[str, tuple[float, Callable[[Hand], Objects]]] = {
    "objects apart": (0.36, draw_apart),
    "one class, one behind the other": (0.1, draw_behind),
    "a crowd": (0.05, draw_crowd),
    "riders": (0.07, draw_rider),
    "people who fill a seat": (0.06, draw_seated),
    "classes that look alike, together": (0.06, draw_alike),
    "whole, and near the border": (0.06, draw_to_border),
    "cut by nothing of a class": (0.05, draw_cut),
    "no view fits": (0.05, draw_without_view),
    "a face for a person": (0.04, draw_close_up),
    "hands at the edge": (0.06, draw_with_parts),
    "far away": (0.04, draw_far_away),
}
"""The share of images of each situation, and what draws it."""


def make_scenes(count: int, preset: Preset, *, seed: int = 0) -> list[Scene]:
    """So many right images, some in series that their owner took within an hour."""
    rng = np.random.default_rng(seed)
    scenes: list[Scene] = []
    while len(scenes) < count:
        series = _make_series(preset, rng, f"owner {len(scenes)}")
        scenes += [_number(scene, len(scenes) + place) for place, scene in enumerate(series, 1)]
    return scenes[:count]


def box_at_border(box: Box, hand: Hand, away_px: int) -> Box:
    """The box moved to the left or the lower border, up to so many pixels from it."""
    if hand.rng.random() < 0.5:
        return Box(1 + away_px, box.ymin, box.width_px + away_px, box.ymax)
    bottom = hand.size[1] - away_px
    return Box(box.xmin, bottom - box.height_px + 1, box.xmax, bottom)


def _draw_one(hand: Hand) -> CheckedObject:
    box = hand.place()
    if hand.rng.random() >= 0.25:
        return hand.thing(hand.pick_class(), box)
    short_px = int(hand.rng.integers(1, 5)) if hand.rng.random() < 0.2 else 0
    return hand.thing(hand.pick_class(), box_at_border(box, hand, short_px), truncated=True)


def _make_series(preset: Preset, rng: np.random.Generator, owner: str) -> list[Scene]:
    """One image, or a few of one hour: mostly of one subject, else of whatever was on a walk."""
    if rng.random() >= SERIES_SHARE:
        return [_make_scene(preset, rng)]
    scenes = [_make_scene(preset, rng) for _ in range(int(rng.integers(2, MOST_OF_A_SERIES + 1)))]
    if rng.random() < WALK_SHARE:
        scenes = [replace(scene, situation="a walk, an hour of it") for scene in scenes]
    else:
        first = scenes[0].image.objects
        same = [
            _see_again(first, scene.image, Hand(preset, _size_of(scene), rng)) for scene in scenes
        ]
        scenes = [Scene("one subject, an hour of it", image) for image in same]
    return [
        replace(scene, image=replace(scene.image, owner=owner, taken_hour="2026-01-31 12"))
        for scene in scenes
    ]


def _see_again(objects: Sequence[CheckedObject], image: CheckedImage, hand: Hand) -> CheckedImage:
    """The subject elsewhere in another image; in a tenth of them the camera stood still."""
    stood_still = hand.rng.random() < 0.1
    seen = [
        replace(item, box=hand.tremble(hand.fit(item.box.xyxy) if stood_still else hand.place()))
        for item in objects
    ]
    flagged = [replace(item, truncated=False, occluded=False, parts=()) for item in seen]
    return replace(image, objects=tuple(flagged))


def _make_scene(preset: Preset, rng: np.random.Generator) -> Scene:
    names = list(SITUATIONS)
    shares = np.array([SITUATIONS[name][0] for name in names])
    name = names[int(rng.choice(len(names), p=shares / shares.sum()))]
    hand = Hand(preset, SIZES_WH[int(rng.integers(len(SIZES_WH)))], rng)
    objects = [replace(item, box=hand.tremble(item.box)) for item in SITUATIONS[name][1](hand)]
    secs = 3 + float(rng.lognormal(0, 0.4, size=len(objects)).sum()) * TYPICAL_SECS
    return Scene(name, CheckedImage(0, *hand.size, tuple(objects), active_secs=secs))


def _size_of(scene: Scene) -> Size:
    return scene.image.width_px, scene.image.height_px


def _number(scene: Scene, image_id: int) -> Scene:
    objects = tuple(
        replace(item, number=number, key=f"{image_id}-{number}")
        for number, item in enumerate(scene.image.objects, start=1)
    )
    return replace(scene, image=replace(scene.image, image_id=image_id, objects=objects))
