"""How many answers an image is going to take by a plan: images are made up and answered; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from catalog.hierarchy import Node
from catalog.states import NodeKind
from catalog.translating import Heard

from .beliefs import Beliefs
from .planning import find_next
from .rules import Outline, Rules
from .settling import settle

SECS_AN_ANSWER = 1.0
"""For one of 24 thumbnails on a page, until answers were timed here."""
IMAGES = 60
MOST_ANSWERS = 5_000
"""Of one image; an end for rules that never settle."""


@dataclass(frozen=True)
class Forecast:
    """What images with the plan's frequencies take, answers of the redundancy included.

    `asked` has how often an image is asked each question, `wrong` and `missed` how many labels an
    image gets that it should not have, and lacks.
    """

    answers: float
    classes: float
    wrong: float
    missed: float
    asked: Mapping[Node, float]


def forecast(outline: Outline, rules: Rules, *, images: int = IMAGES, seed: int = 1) -> Forecast:
    """The mean of images made by lot, each class independent of the others."""
    random = Random(seed)  # noqa: S311  made images, no secret
    asked = Counter[Node]()
    classes = wrong = missed = 0
    for _ in range(images):
        truth = draw_classes(outline, random)
        answers, present = answer_image(outline, rules, truth, random)
        asked.update(heard.node for heard in answers)
        classes += truth.bit_count()
        wrong += (present & ~truth).bit_count()
        missed += (truth & ~present).bit_count()
    return Forecast(
        answers=sum(asked.values()) / images,
        classes=classes / images,
        wrong=wrong / images,
        missed=missed / images,
        asked={node: count / images for node, count in asked.most_common()},
    )


def draw_classes(outline: Outline, random: Random) -> int:
    """The classes of a made image, as a set of the outline."""
    return sum(
        outline.bits[node]
        for node in outline.hierarchy.parents
        if node.kind is NodeKind.CLASS and random.random() < outline.frequencies[node]
    )


def answer_image(
    outline: Outline, rules: Rules, truth: int, random: Random, *, wrong_share: float | None = None
) -> tuple[list[Heard], int]:
    """The answers of people about an image that shows these classes, and the classes found.

    They are wrong with the chance `wrong_share`, or with that of the rules.
    """
    share = rules.wrong_share if wrong_share is None else wrong_share
    answers = list[Heard]()
    while True:
        beliefs = Beliefs(outline, answers, rules.wrong_share, {})
        settled = settle(outline, rules, answers, beliefs)
        node = find_next(outline, rules, answers, beliefs, settled, {})
        if node is None or len(answers) >= MOST_ANSWERS:
            return answers, settled.present
        is_shown = bool(outline.bits[node] & truth)
        answers.append(Heard(node, is_shown is (random.random() >= share)))
