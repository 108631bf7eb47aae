"""How evenly export splits data of VOC2007's shape, against VOC2007's own split and random ones.

The classes have the numbers of images and objects that VOC2007's development kit publishes; owners
have numbers of photographs by Zipf's law, and no owner's photographs may be torn apart. A deviation
is the difference, in points, between the share of a class in a set and the wanted share.

    python -m benchmarks.splits [--seed N]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from catalog.image_store import digest_of
from catalog.states import ImageState, Source
from export.groups import Link, bind_images, find_bridges
from export.rows import ImageRow, PhotoRow
from export.splits import SplitGroup, assign_splits
from vockit.format.image_sets import Split

IMAGES = 9_963
SHARES = {Split.TRAIN: 0.25, Split.VAL: 0.25, Split.TEST: 0.5}
MOST_OF_ONE_OWNER = 100
PUBLISHED = """
aeroplane 112 151 126 155 204 285
bicycle 116 176 127 177 239 337
bird 180 243 150 243 282 459
boat 81 140 100 150 172 263
bottle 139 253 105 252 212 469
bus 97 115 89 114 174 213
car 376 625 337 625 721 1201
cat 163 186 174 190 322 358
chair 224 400 221 398 417 756
cow 69 136 72 123 127 244
diningtable 97 103 103 112 190 206
dog 203 253 218 257 418 489
horse 139 182 148 180 274 348
motorbike 120 167 125 172 222 325
person 1025 2358 983 2332 2007 4528
pottedplant 133 248 112 266 224 480
sheep 48 130 48 127 97 242
sofa 111 124 118 124 223 239
train 127 145 134 152 259 282
tvmonitor 128 166 128 158 229 308
"""
"""Images and objects in train, val and test (VOC2007 development kit, section 2.3)."""

Tables = dict[Split, Counter[str]]


def main() -> None:
    """Print the deviations of each way to split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    published = read_published()
    groups = make_groups(published, seed)
    _show("VOC2007's own, no groups kept", published)
    _show("random, by owner", _held(groups, _split_at_random(groups, seed)))
    started = time.perf_counter()
    placed = assign_splits(groups, SHARES, seed)
    _show(f"export, by owner, {time.perf_counter() - started:.1f} s", _held(groups, placed))
    for is_unbound in (False, True):
        images, largest, share = split_bridged(seed, is_unbound=is_unbound)
        print(f"24 pairs between owners, {is_unbound=}: {images=} {largest=} {share=:.3f} in test")


def split_bridged(seed: int, *, is_unbound: bool) -> tuple[int, int, float]:
    """Images, those of the largest group, and the share of test, with 24 pairs between owners.

    724 images; an owner shares a photograph with each of 24 others, and they have 447 in all.
    """
    sizes = [27, *range(29, 5, -1), *[1] * 277]
    owners = [number for number, size in enumerate(sizes) for _ in range(size)]
    images = [
        ImageRow(
            key,
            digest_of(f"{seed} {key}".encode()),
            500,
            375,
            ImageState.CHECKED,
            (PhotoRow(Source.FLICKR, str(key), str(owner)),),
            (),
            (),
        )
        for key, owner in enumerate(owners)
    ]
    links = [Link(number, owners.index(number + 1)) for number in range(24)]
    groups = bind_images(images, links)
    if is_unbound:
        freed = {image for bridge in find_bridges(groups, links, 0.02) for image in bridge.left_out}
        images = [image for image in images if image not in freed]
        groups = bind_images(images, links)
    held = [SplitGroup(group.images[0].sha256, {"images": len(group.images)}) for group in groups]
    placed = assign_splits(held, SHARES, seed)
    in_test = sum(group.counts["images"] for group in held if placed[group.key] is Split.TEST)
    return len(images), max(len(group.images) for group in groups), in_test / len(images)


def make_groups(published: Tables, seed: int) -> list[SplitGroup]:
    """Owners with photographs that together hold each class as often as VOC2007 does."""
    rng = np.random.default_rng(seed)
    counts: list[Counter[str]] = [Counter() for _ in range(IMAGES)]
    order = rng.permutation(IMAGES)
    at = 0
    for name in sorted({key.split()[-1] for key in published[Split.TEST]}):
        images = sum(published[split][f"images with {name}"] for split in published)
        objects = sum(published[split][f"objects of {name}"] for split in published)
        chosen = [order[(at + offset) % IMAGES] for offset in range(images)]
        at += images
        crowd = np.minimum(rng.pareto(2.0, images), 10) + 0.2  # some photographs are of many
        extra = rng.multinomial(objects - images, crowd / crowd.sum())
        for image, more in zip(chosen, extra, strict=True):
            counts[image][f"images with {name}"] = 1
            counts[image][f"objects of {name}"] = 1 + int(more)
    owners: list[Counter[str]] = []
    left = list(rng.permutation(IMAGES))
    while left:
        size = min(int(rng.zipf(1.9)), MOST_OF_ONE_OWNER)
        of_owner, left = left[:size], left[size:]
        held = sum((counts[image] for image in of_owner), Counter[str]())
        owners.append(held + Counter({"images": len(of_owner)}))
    return [SplitGroup(f"{number:05d}", held) for number, held in enumerate(owners)]


def find_deviations(held: Tables) -> dict[str, tuple[float, float]]:
    """Mean and largest deviation in points, of images, of objects, and of both."""
    kinds = sorted(set().union(*held.values()) - {"images"})
    points: dict[str, list[float]] = {"images": [], "objects": []}
    for kind in kinds:
        total = sum(table[kind] for table in held.values())
        points[kind.split()[0]] += [
            100 * abs(held[split][kind] / total - share) for split, share in SHARES.items()
        ]
    points["both"] = points["images"] + points["objects"]
    return {what: (sum(them) / len(them), max(them)) for what, them in points.items()}


def _show(label: str, held: Tables) -> None:
    shown = "; ".join(
        f"{what} mean {mean:.3f} max {largest:.3f}"
        for what, (mean, largest) in find_deviations(held).items()
    )
    print(f"{label}: {shown}")


def read_published() -> Tables:
    """What the sets of VOC2007 hold."""
    held: Tables = {split: Counter() for split in SHARES}
    for line in PUBLISHED.strip().splitlines():
        name, *numbers = line.split()
        for place, split in enumerate(SHARES):
            held[split][f"images with {name}"] = int(numbers[2 * place])
            held[split][f"objects of {name}"] = int(numbers[2 * place + 1])
    return held


def _held(groups: Sequence[SplitGroup], placed: Mapping[str, Split]) -> Tables:
    held: Tables = {split: Counter() for split in SHARES}
    for group in groups:
        held[placed[group.key]].update(group.counts)
    return held


def _split_at_random(groups: Sequence[SplitGroup], seed: int) -> dict[str, Split]:
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(SHARES), len(groups), p=list(SHARES.values()))
    return {group.key: list(SHARES)[place] for group, place in zip(groups, drawn, strict=True)}


if __name__ == "__main__":
    main()
