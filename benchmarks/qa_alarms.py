"""What each automatic check finds of planted slips, and how often it speaks where all is right.

    python -m benchmarks.qa_alarms [--images 4000] [--parties 100]

Prints tables in Markdown, with intervals of 95 %; the same seeds every time.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import click
import numpy as np

from catalog.preset import Preset, load_preset
from catalog.settings import Settings, make_settings
from catalog.states import View
from qa.check_list import CHECKS, check_names
from qa.checks import run_image_checks, run_set_checks
from qa.findings import Finding, PersonCheck
from qa.intervals import Interval, estimate_share
from qa.subjects import CheckedImage

from .qa_people import measure_people
from .qa_scenes import Hand, Scene, make_scenes
from .qa_slips import PLANTS, Planted

VOC2012, VOC2007 = load_preset("voc2012"), load_preset("voc2007")
MOVED_SHARE = 0.25  # of carried-over boxes, those that were moved by a pixel or two


@dataclass(frozen=True)
class Alarms:
    """How often a check spoke of right images: of all, and of each situation in which it did."""

    check: str
    images: Interval
    situations: tuple[tuple[str, Interval], ...]


def settings_for(*checks: str) -> Settings:
    """The settings of a party in which only these checks speak."""
    off = [name for name in check_names() if name not in checks]
    return make_settings({"name": "Hard party", "qa": {"switched_off": off}})


def measure_alarms(scenes: Sequence[Scene], preset: Preset = VOC2012) -> list[Alarms]:
    """The false alarms of every check of images, in the order of checks."""
    found = find_all([scene.image for scene in scenes], preset, settings_for(*check_names()))
    named: dict[str, set[int]] = {name: set() for name in check_names()}
    for one in found:
        named[one.check].add(one.image_id or 0)
    return [
        _count_alarms(check.name, named[check.name], scenes)
        for check in CHECKS
        if not isinstance(check, PersonCheck)
    ]


def _count_alarms(check: str, named: set[int], scenes: Sequence[Scene]) -> Alarms:
    of_situation = Counter(scene.situation for scene in scenes)
    spoke = Counter(scene.situation for scene in scenes if scene.image.image_id in named)
    shares = [(name, estimate_share(hits, of_situation[name])) for name, hits in spoke.items()]
    ordered = sorted(shares, key=lambda one: (-one[1].value, one[0]))
    return Alarms(check, estimate_share(len(named), len(scenes)), tuple(ordered))


def measure_recalls(scenes: Sequence[Scene], *, seed: int = 1) -> dict[str, Interval]:
    """The share of planted slips that the check that is for them names, by check."""
    recalls = {name: _measure_recall(name, scenes, seed) for name in PLANTS}
    recalls["unknown_view"] = _measure_words(scenes, "unknown_view", WITHOUT_REAR, view=View.REAR)
    recalls["unknown_flag"] = _measure_words(scenes, "unknown_flag", VOC2007, occluded=True)
    recalls["identical_box"] = _measure_carried(scenes, seed)
    recalls["same_hour_labels"] = _measure_mislabelled(scenes, seed)
    return {name: recalls[name] for name in check_names() if name in recalls}


WITHOUT_REAR = replace(VOC2012, views=tuple(view for view in View if view is not View.REAR))


def find_all(images: Sequence[CheckedImage], preset: Preset, settings: Settings) -> list[Finding]:
    """What the checks of images and of sets of images say."""
    alone = run_image_checks(images, preset, settings)
    return alone + run_set_checks(images, preset, settings, marks_actions=True)


def _measure_recall(name: str, scenes: Sequence[Scene], seed: int) -> Interval:
    rng = np.random.default_rng(seed)
    planted = [
        PLANTS[name](scene.image, Hand(VOC2012, _size(scene.image), rng))
        for scene in scenes
        if scene.image.objects
    ]
    return _share_named(name, planted, VOC2012)


def _measure_words(
    scenes: Sequence[Scene], name: str, preset: Preset, **values: object
) -> Interval:
    """Of images in which the first object has a word that the preset does not have."""
    planted = []
    for scene in scenes:
        first, *others = scene.image.objects
        wrong = replace(first, **values)  # type: ignore[arg-type]
        planted.append(Planted(replace(scene.image, objects=(wrong, *others)), first.key))
    return _share_named(name, planted, preset)


def _share_named(
    name: str,
    planted: Sequence[Planted],
    preset: Preset,
    beside: Sequence[CheckedImage] = (),
) -> Interval:
    """The share of images of which the check names the object that it is to name."""
    images = [*beside, *(one.image for one in planted)]
    found = find_all(images, preset, settings_for(name))
    named = {(one.image_id, one.object_key) for one in found}
    hits = sum((one.image.image_id, one.key) in named for one in planted)
    return estimate_share(hits, len(planted))


def _measure_carried(scenes: Sequence[Scene], seed: int) -> Interval:
    """Of images with a box of the image before, some of them moved a little."""
    rng = np.random.default_rng(seed)
    planted, beside = [], [scenes[0].image]
    for before, scene in itertools.pairwise(scenes):
        hand = Hand(VOC2012, _size(scene.image), rng)
        carried = replace(before.image.objects[0], key="carried", number=99)
        if not carried.box.is_inside(*hand.size):
            beside.append(scene.image)
            continue
        moved = hand.tremble(carried.box) if rng.random() < MOVED_SHARE else carried.box
        image = replace(scene.image, objects=(*scene.image.objects, replace(carried, box=moved)))
        planted.append(Planted(image, "carried"))
    return _share_named("identical_box", planted, VOC2012, beside)


def _measure_mislabelled(scenes: Sequence[Scene], seed: int) -> Interval:
    """Of hours of one subject, one image of each with all its objects of another class."""
    rng = np.random.default_rng(seed)
    hours = [scene for scene in scenes if scene.situation == "one subject, an hour of it"]
    last = {scene.image.owner: scene.image for scene in hours}
    planted = []
    for scene in hours:
        image = scene.image
        if last[image.owner] is image:
            others = sorted(set(VOC2012.class_names) - {item.class_name for item in image.objects})
            name = others[int(rng.integers(len(others)))]
            wrong = tuple(replace(item, class_name=name) for item in image.objects)
            image = replace(image, objects=wrong)
        planted.append(image)
    found = find_all(planted, VOC2012, settings_for("same_hour_labels"))
    named = {one.image_id for one in found}
    wrong_ids = {image.image_id for image in last.values()}
    return estimate_share(len(named & wrong_ids), len(wrong_ids))


def _size(image: CheckedImage) -> tuple[int, int]:
    return image.width_px, image.height_px


@click.command(help=__doc__)
@click.option("--images", default=4000, show_default=True)
@click.option("--parties", default=100, show_default=True)
def main(images: int, parties: int) -> None:
    """Print the tables."""
    scenes = make_scenes(images, VOC2012)
    recalls = measure_recalls(scenes)
    click.echo("| check | finds of planted slips | speaks of right images | most often |")
    click.echo("|---|---|---|---|")
    for alarms in measure_alarms(scenes):
        worst = "; ".join(f"{name}: {share.value:.1%}" for name, share in alarms.situations[:2])
        recall = _show(recalls[alarms.check])
        click.echo(f"| `{alarms.check}` | {recall} | {_show(alarms.images)} | {worst} |")
    click.echo("\n| person | named |\n|---|---|")
    for who, share in measure_people(parties).items():
        click.echo(f"| {who} | {_show(share)} |")


def _show(share: Interval) -> str:
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%}) of {share.count}"


if __name__ == "__main__":
    main()
