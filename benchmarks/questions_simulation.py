"""Questions in a hierarchy: answers an image, recall and precision of its labels, by redundancy.

Made images show about three of 200 classes, each drawn by lot with frequencies that fall as 1/rank,
in an order drawn by lot too; nothing in them was made for the hierarchies. People answer wrongly
with a set chance, each time anew. The plan begins without frequencies and counts them again as the
party does. Beside it is the flat pass: each class asked of each image, by the same rules.

    python -m benchmarks.questions_simulation --images 300 --of nouns --confidence 0.985 0.99
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog.hierarchy import Hierarchy, Node, make_hierarchy, read_hierarchy
from catalog.states import NodeKind
from work.presence.forecast import answer_image
from work.presence.plans import CLASSES_AN_IMAGE, PRIOR_IMAGES, RENEWED_AT
from work.presence.rules import Outline, Rules
from work.presence.sections import add_sections
from work.presence.settling import list_classes

CLASSES = 200
CHILDREN = 5
"""Of a group of the made hierarchy, at most."""


@dataclass(frozen=True)
class Measured:
    """What one setting took and gave."""

    answers: float
    recall: float
    precision: float
    classes: float


def make_regular(classes: int, children: int) -> Hierarchy:
    """Groups of groups, each with so many children, without a meaning."""
    groups = dict[str, list[str]]()
    of_class = dict[str, list[str]]()

    def divide(keys: Sequence[str], parents: list[str]) -> None:
        if len(keys) <= children:
            of_class.update(dict.fromkeys(keys, parents))
            return
        size = -(-len(keys) // children)
        for start in range(0, len(keys), size):
            group = f"group {len(groups)}"
            groups[group] = parents
            divide(keys[start : start + size], [group])

    divide([f"class {number}" for number in range(classes)], [])
    return make_hierarchy(of_class, groups)


def read_nouns(*, is_divided: bool) -> Hierarchy:
    """The hierarchy of nouns, some of which have several parents; with sections as a plan has."""
    listed = tomllib.loads(Path(__file__).with_name("nouns.toml").read_text("utf-8"))
    questions = {
        listing: [
            {"key": key, "words": key, "parents": parents}
            for key, parents in listed[listing].items()
        ]
        for listing in ("classes", "groups")
    }
    return read_hierarchy(add_sections(questions) if is_divided else questions)


def make_flat(hierarchy: Hierarchy) -> Hierarchy:
    """The same classes without groups."""
    keys = [node.key for node in hierarchy.parents if node.kind is NodeKind.CLASS]
    return make_hierarchy({key: [] for key in keys}, {})


def draw_frequencies(hierarchy: Hierarchy, lot: random.Random) -> dict[Node, float]:
    """How often an image shows each class: as 1/rank, three an image, the ranks by lot."""
    classes = [node for node in hierarchy.parents if node.kind is NodeKind.CLASS]
    lot.shuffle(classes)
    weights = [1 / (rank + 5) for rank in range(len(classes))]
    factor = CLASSES_AN_IMAGE / sum(weights)
    return {node: factor * weight for node, weight in zip(classes, weights, strict=True)}


def draw_images(
    frequencies: Mapping[Node, float], images: int, lot: random.Random
) -> Iterator[set[Node]]:
    """The classes that each image shows."""
    for _ in range(images):
        yield {node for node, share in frequencies.items() if lot.random() < share}


def measure(
    hierarchy: Hierarchy, rules: Rules, *, images: int, wrong_share: float, seed: int
) -> Measured:
    """Answer the images one after the other, counting frequencies again as a party does."""
    lot = random.Random(seed)
    frequencies = draw_frequencies(hierarchy, lot)
    shown = Counter[Node]()
    outline = Outline(hierarchy, count_frequencies(frequencies, shown, 0))
    counted_at = answers = 0
    right = labels = classes = 0
    for number, truth in enumerate(draw_images(frequencies, images, lot), start=1):
        bits = sum(outline.bits[node] for node in truth)
        said, present = answer_image(outline, rules, bits, lot, wrong_share=wrong_share)
        answers += len(said)
        settled = list_classes(outline, present)
        shown.update(settled)
        right += len(truth.intersection(settled))
        labels += len(settled)
        classes += len(truth)
        if number >= max(RENEWED_AT, 2 * counted_at):
            counted_at = number
            outline = Outline(hierarchy, count_frequencies(frequencies, shown, number))
    return Measured(answers / images, right / classes, right / labels, classes / images)


def count_frequencies(
    classes: Mapping[Node, float], shown: Mapping[Node, int], images: int
) -> dict[Node, float]:
    """The frequencies that a party knows after so many images."""
    first = CLASSES_AN_IMAGE / len(classes) * PRIOR_IMAGES
    return {node: (shown.get(node, 0) + first) / (images + PRIOR_IMAGES) for node in classes}


RULES = (
    Rules(agree=1),
    Rules(agree=2),
    Rules(agree=3),
    Rules(confidence=0.95),
    Rules(confidence=0.98),
    Rules(confidence=0.985),
    Rules(confidence=0.99),
    Rules(confidence=0.995),
)


def name_rules(rules: Rules) -> str:
    """The setting of party.toml."""
    return f"confidence = {rules.confidence:g}" if rules.confidence else f"agree = {rules.agree}"


def main() -> None:
    """Print a line for each hierarchy and setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--wrong", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flat", action="store_true", help="the flat pass alone")
    parser.add_argument(
        "--of", choices=["made", "nouns", "nouns, no sections"], help="one hierarchy alone"
    )
    parser.add_argument("--confidence", type=float, nargs="*", help="in place of all settings")
    options = parser.parse_args()
    hierarchies = {
        "made": make_regular(CLASSES, CHILDREN),
        "nouns": read_nouns(is_divided=True),
        "nouns, no sections": read_nouns(is_divided=False),
    }
    if options.flat:
        hierarchies = {"flat": make_flat(hierarchies["made"])}
    elif options.of:
        hierarchies = {options.of: hierarchies[options.of]}
    settings: Sequence[Rules] = RULES[:3] if options.flat else RULES
    if options.confidence:
        settings = [Rules(confidence=confidence) for confidence in options.confidence]
    for name, hierarchy in hierarchies.items():
        for rules in settings:
            result = measure(
                hierarchy,
                rules,
                images=options.images,
                wrong_share=options.wrong,
                seed=options.seed,
            )
            print(
                f"{name:18} {name_rules(rules):20} {result.answers:6.1f} answers an image, "
                f"recall {result.recall:.4f}, precision {result.precision:.4f} "
                f"({result.classes:.2f} classes an image)",
                flush=True,
            )


if __name__ == "__main__":
    main()
