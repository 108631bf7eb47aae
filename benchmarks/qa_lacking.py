"""How often the interval of the labels that an image lacks holds the truth, in made worlds.

    python -m benchmarks.qa_lacking --runs 500 --seed 0

In each world one person annotates every image, a twentieth is annotated by a second person too,
blind, and a checker goes through all. Sizes are log-normal and say nothing of the class; the larger
an object, the more often it is found. The worlds differ in what else finding depends on. Prints of
each world and number of images how often the interval holds the labels that all images lack, before
checking and after it, and the mean estimate next to the mean truth. Last it prints which share of
the objects images annotated twice have, if a checker fixes what the second person found and the
image lacks (the findings `seen_by_another`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click
import numpy as np
from numpy.typing import NDArray

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from qa.agreement_report import find_added
from qa.corrections import CheckedWork, measure_errors
from qa.findings import SeenTwice
from qa.lacking import MissingLabels, estimate_lacking, subtract_added
from qa.matching import match_pairs

from .qa_party import START

CLASSES = ("car", "cat", "dog", "person")
PEOPLE = 8
PARTIES = ((300, 15), (1000, 50))
SMALLEST_PX = 6
LARGEST_PX = 400
BEFORE = "before checking"
AFTER = "after checking"

Scene = tuple[AnnotatedObject, ...]
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """How finding depends on things other than size, each in logits (standard deviations).

    `hardness` is of an object, and the same for all people: what the estimate cannot know.
    """

    name: str
    people: float = 0.0
    classes: float = 0.0
    images: float = 0.0
    hardness: float = 0.0


WORLDS = (
    World("size alone"),
    World("size, class and person", people=0.7, classes=0.7),
    World("size, and crowded or dark images", images=0.5),
    World("size, and classes that differ much", classes=1.2),
    World("size, and objects hard for all", hardness=1.0),
)


@dataclass(frozen=True)
class Outcome:
    """An estimate for one made party, and the labels that its images really lack, per image."""

    estimate: MissingLabels
    truth: float

    @property
    def holds(self) -> bool:
        """Whether the interval holds the truth."""
        return self.estimate.low <= self.truth <= self.estimate.high


@dataclass(frozen=True)
class MadeParty:
    """The objects of all images, what was drawn and checked, and what two people drew blind."""

    scenes: Sequence[Scene]
    work: Sequence[CheckedWork]
    pairs: Sequence[SeenTwice]

    @property
    def lacking(self) -> int:
        """The labels that the images lack before checking."""
        drawn = sum(len(checked.drawn) for checked in self.work)
        return sum(map(len, self.scenes)) - drawn

    @property
    def left(self) -> int:
        """The labels that the images lack after checking."""
        return sum(map(len, self.scenes)) - sum(len(checked.corrected) for checked in self.work)


class People:
    """People with skills, and classes that are easy or hard to see, in one made party."""

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self._world = world
        self._rng = rng
        self._skills = rng.normal(0, world.people, PEOPLE).tolist()
        self._ease = dict(zip(CLASSES, rng.normal(0, world.classes, len(CLASSES)), strict=True))

    def choose_two(self) -> tuple[int, int]:
        """The author of an image, and who would annotate it a second time."""
        first, second = self._rng.choice(PEOPLE, 2, replace=False).tolist()
        return first, second

    def find_logits(self, scene: Scene) -> Shares:
        """How easily each object is found: one of 20 px by 70 %, one of 100 px by 97 %."""
        sides = np.array([item.box.width_px for item in scene], float)
        ease = np.array([self._ease[item.class_name] for item in scene])
        of_image = self._rng.normal(0, self._world.images)
        hardness = self._rng.normal(0, self._world.hardness, len(scene))
        return np.asarray(0.85 + 1.6 * np.log(sides / 20) + ease + of_image + hardness)

    def draw(self, scene: Scene, logits: Shares, person: int | None) -> Scene:
        """What the person finds; None is the checker, who is like the average of all."""
        skill = 0.0 if person is None else self._skills[person]
        is_seen = self._rng.random(len(scene)) < 1 / (1 + np.exp(-logits - skill))
        return tuple(item for item, is_there in zip(scene, is_seen, strict=True) if is_there)


def make_party(world: World, images: int, doubled: int, seed: int) -> MadeParty:
    """All images annotated and checked, the first of them annotated twice."""
    rng = np.random.default_rng([images, seed])
    people = People(world, rng)
    scenes = [_make_scene(rng) for _ in range(images)]
    work = list[CheckedWork]()
    pairs = list[SeenTwice]()
    for number, scene in enumerate(scenes, start=1):
        logits = people.find_logits(scene)
        author, second = people.choose_two()
        drawn = people.draw(scene, logits, author)
        seen = people.draw(scene, logits, None)
        work.append(CheckedWork(author, START, drawn, _unite(drawn, seen)))
        if number <= doubled:
            again = people.draw(scene, logits, second)
            pairs.append(SeenTwice(number, author, second, drawn, again))
    return MadeParty(scenes, work, pairs)


def estimate(made: MadeParty) -> dict[str, Outcome]:
    """The estimates before and after checking, next to the truth."""
    images = len(made.scenes)
    matched = match_pairs(made.pairs, CLASSES, least_overlap=0.5)
    lacking = estimate_lacking(matched.images)
    left = subtract_added(lacking, find_added(measure_errors(made.work)))
    return {
        BEFORE: Outcome(lacking, made.lacking / images),
        AFTER: Outcome(left, made.left / images),
    }


def measure_recall(made: MadeParty) -> dict[str, float]:
    """The share of objects that images annotated twice have, by what people did to them."""
    scenes = made.scenes[: len(made.pairs)]
    work = made.work[: len(made.pairs)]
    second = [pair.second for pair in made.pairs]
    drawn = [checked.drawn for checked in work]
    checked = [checked.corrected for checked in work]
    stages = {
        "drawn once": drawn,
        "and checked": checked,
        "drawn once, findings fixed": list(map(_unite, drawn, second)),
        "and checked, findings fixed": list(map(_unite, checked, second)),
    }
    objects = sum(map(len, scenes))
    return {stage: sum(map(len, images)) / objects for stage, images in stages.items()}


def _unite(first: Scene, second: Scene) -> Scene:
    keys = {item.key for item in first}
    return (*first, *(item for item in second if item.key not in keys))


def _make_scene(rng: np.random.Generator) -> Scene:
    """Objects side by side, with sizes and classes drawn apart from each other."""
    number = 1 + rng.poisson(2)
    sides = np.clip(rng.lognormal(4.0, 0.9, number), SMALLEST_PX, LARGEST_PX).astype(int).tolist()
    classes = rng.integers(len(CLASSES), size=number).tolist()
    return tuple(
        AnnotatedObject(
            place,
            f"o{place}",
            CLASSES[class_],
            Box(1000 * place, 1, 1000 * place + side - 1, side),
        )
        for place, (side, class_) in enumerate(zip(sides, classes, strict=True), start=1)
    )


@click.command(help=__doc__)
@click.option("--runs", default=500, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(runs: int, seed: int) -> None:
    """Simulate, and print a line for each world, number of images and stage."""
    click.echo("world; images, doubled; stage: held; estimate, truth (labels in 100 images)")
    for world in WORLDS:
        for party in PARTIES:
            made = [estimate(make_party(world, *party, seed + run)) for run in range(runs)]
            for stage in (BEFORE, AFTER):
                estimates = _describe([by_stage[stage] for by_stage in made])
                click.echo(f"{world.name}; {party}; {stage}: {estimates}")
    click.echo("recall of 1,000 images that all were annotated twice")
    for world in WORLDS:
        recalls = measure_recall(make_party(world, 1000, 1000, seed))
        said = ", ".join(f"{stage} {recall:.3f}" for stage, recall in recalls.items())
        click.echo(f"{world.name}: {said}")


def _describe(outcomes: Sequence[Outcome]) -> str:
    held = np.mean([outcome.holds for outcome in outcomes])
    value = 100 * np.mean([outcome.estimate.value for outcome in outcomes])
    truth = 100 * np.mean([outcome.truth for outcome in outcomes])
    return f"{held:.1%}; {value:.0f}, {truth:.0f}"


if __name__ == "__main__":
    main()
