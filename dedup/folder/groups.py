"""Which pictures of a folder show the same, which of each group to keep, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog.settings import DedupSettings
from dedup.candidates import Census
from dedup.clusters import (
    UNKNOWN_RANK,
    Candidate,
    Removal,
    Size,
    cluster_pairs,
    count_flaws,
    list_flaws,
    plan_removals,
)
from dedup.comparison import open_matcher
from dedup.completion import complete_pairs
from dedup.executors import Watch, Workforce, unwatched
from dedup.matching import Task
from dedup.overlap.theirs import Unreadable
from dedup.pairs import Pair, Relation
from vockit.format.plural import format_count

from .kept_hashes import FolderImage, KeptHashes
from .reading import FolderFiles

MEMORY_MB = 512
SAME_FILE = "the same file"
NO_BETTER = "no worse, as far as can be told"
_FLAWS = {
    "cropped": "shows less",
    "margin": "has a margin",
    "drawn": "has writing or a sticker",
    "small": "has fewer real pixels",
    "enlarged": "was enlarged",
}


@dataclass(frozen=True)
class Copy:
    """A file that need not be kept, and why another is; `similarity` is 1 for the same file.

    `doubt` is 0 where that both show the same is certain, and 1 on the threshold.
    """

    path: str
    why: str
    similarity: float | None
    doubt: float


@dataclass(frozen=True)
class Group:
    """The file to keep of some that show the same photograph, and the others, by path."""

    kept: str
    copies: Sequence[Copy]


@dataclass(frozen=True)
class Related:
    """Two files of which both stay: views that overlap, or one that contains the other."""

    path: str
    other: str
    relation: Relation


@dataclass(frozen=True)
class FolderReport:
    """What a folder holds: its files, groups of copies, pairs that are related, unreadable files.

    `plain` counts pictures that show so little that of two such ones only the same file is told.
    """

    folder: str
    files: int
    plain: int
    groups: Sequence[Group]
    related: Sequence[Related]
    unreadable: Sequence[Unreadable]

    @property
    def copies(self) -> list[Copy]:
        """All files that need not be kept, group by group."""
        return [copy for group in self.groups for copy in group.copies]

    @property
    def summary(self) -> str:
        """All of it in one sentence."""
        pictures = format_count(self.files, "picture")
        if self.files < 2:
            sentence = f"{pictures}, too few to compare"
        elif not self.copies:
            sentence = f"{pictures}, no two of which show the same photograph"
        else:
            sentence = (
                f"{pictures}: {len(self.copies):,} need not be kept, since "
                f"{len(self.groups):,} others show the same"
            )
        more = [
            (len(self.related), "pair is related", "pairs are related"),
            (len(self.unreadable), "file cannot be read", "files cannot be read"),
            (
                self.plain,
                "picture is so plain that only the same file is told",
                "pictures are so plain that only the same file is told",
            ),
        ]
        rest = "".join(
            f"; {format_count(count, noun, many)}" for count, noun, many in more if count
        )
        return f"{sentence}{rest}."

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {
            "folder": self.folder,
            "files": self.files,
            "plain": self.plain,
            "groups": [
                {
                    "kept": group.kept,
                    "copies": [
                        {
                            "file": copy.path,
                            "why": copy.why,
                            "similarity": _round(copy.similarity),
                            "doubt": _round(copy.doubt),
                        }
                        for copy in group.copies
                    ],
                }
                for group in self.groups
            ],
            "related": [
                {"file": pair.path, "other": pair.other, "relation": pair.relation.value}
                for pair in self.related
            ],
            "unreadable": [{"file": file.name, "reason": file.reason} for file in self.unreadable],
        }


def group_files(
    files: FolderFiles, kept: KeptHashes, force: Workforce, *, watch: Watch = unwatched
) -> FolderReport:
    """The groups of pictures that show the same, by the path of what is kept.

    The rules are those of a party (`vocparty dedup`), with its settings where nobody changed them;
    of files nothing is known of owners, times of upload and licences.
    """
    digests = files.digests
    images = kept.load_images(digests)
    settings = DedupSettings(memory_mb=MEMORY_MB)
    pairs = _find_pairs(kept, digests, images, force, settings, watch)
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    removals = {
        removal.image_id: removal
        for cluster in cluster_pairs(copies)
        for removal in plan_removals(
            make_candidates(_list_ids(cluster), cluster, images, settings.min_quality), cluster
        )
    }
    paths = [files.paths[sha256] for sha256 in digests]
    return FolderReport(
        str(files.folder),
        files.count,
        sum(image.quality < settings.min_quality for image in images),
        _make_groups(paths, images, removals),
        list(_relate(paths, pairs, removals)),
        files.unreadable,
    )


def make_candidates(
    ids: Iterable[int],
    cluster: Iterable[Pair],
    images: Sequence[FolderImage],
    min_quality: float,
) -> list[Candidate]:
    """What decides about each of the images of a cluster, whose ids are places from 1 on."""
    sizes = {
        image_id: Size(image.width * image.height, image.real_px)
        for image_id in ids
        for image in (images[image_id - 1],)
    }
    flaws = count_flaws(cluster, sizes)
    return [
        Candidate(
            image_id,
            uploaded_at=None,
            licence_rank=UNKNOWN_RANK,
            is_fixed=False,
            jpeg_quality=images[image_id - 1].jpeg_quality,
            flaws=flaws.get(image_id, 0),
            real_px=size.real_px,
            is_plain=images[image_id - 1].quality < min_quality,
        )
        for image_id, size in sizes.items()
    ]


def _find_pairs(
    kept: KeptHashes,
    digests: Sequence[str],
    images: Sequence[FolderImage],
    force: Workforce,
    settings: DedupSettings,
    watch: Watch,
) -> list[Pair]:
    ids = np.arange(1, len(digests) + 1)
    source = kept.make_source(digests)
    with open_matcher(source, settings, force, len(digests), watch=watch) as matcher:

        def verify(wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Pair]:
            tasks = [Task(pair_ids, []) for pair_ids in sorted(wanted)]
            return {pair.ids: pair for pair in matcher.verify(tasks)}

        def load_members(members: set[int], cluster: Sequence[Pair]) -> list[Candidate]:
            return make_candidates(members, cluster, images, settings.min_quality)

        pairs = matcher.match(Census(ids, np.ones(len(ids), np.bool_)))
        pairs = complete_pairs(pairs, verify, load_members)
    plain = {place for place, image in enumerate(images, 1) if image.quality < settings.min_quality}
    return [pair for pair in pairs if not plain.issuperset(pair.ids)]


def _make_groups(
    paths: Sequence[list[str]], images: Sequence[FolderImage], removals: dict[int, Removal]
) -> list[Group]:
    copies: defaultdict[str, list[Copy]] = defaultdict(list)
    for place, same in enumerate(paths, 1):
        removal = removals.get(place)
        kept_path = same[0] if removal is None else paths[removal.kept_image_id - 1][0]
        copies[kept_path] += [Copy(path, SAME_FILE, 1.0, 0.0) for path in same[1:]]
        if removal is not None:
            pair = removal.pair
            why = _say_why(removal, images)
            copies[kept_path].append(Copy(same[0], why, pair.similarity, pair.doubt))
    return [
        Group(kept_path, sorted(copies[kept_path], key=lambda copy: copy.path))
        for kept_path in sorted(copies)
        if copies[kept_path]
    ]


def _say_why(removal: Removal, images: Sequence[FolderImage]) -> str:
    """Why the other one is kept, as the pair of both tells."""
    pair = removal.pair
    if pair.evidence is None:
        return NO_BETTER
    first, second = (images[image_id - 1] for image_id in pair.ids)
    sizes = [Size(image.width * image.height, image.real_px) for image in (first, second)]
    side = pair.ids.index(removal.image_id)
    flaws = [
        _FLAWS[kind]
        for flawed_side, kind in list_flaws(pair.evidence, *sizes)
        if flawed_side == side
    ]
    copy, kept = (images[number - 1] for number in (removal.image_id, removal.kept_image_id))
    if not flaws and round(copy.jpeg_quality) < round(kept.jpeg_quality):
        flaws = [f"JPEG quality {copy.jpeg_quality:.0f} against {kept.jpeg_quality:.0f}"]
    return ", ".join(flaws) or NO_BETTER


def _relate(
    paths: Sequence[list[str]], pairs: Iterable[Pair], removals: dict[int, Removal]
) -> Iterator[Related]:
    """The pairs of which both stay, each once; a copy stands for what is kept of it."""
    related: dict[tuple[int, int], Relation] = {}
    for pair in pairs:
        kept_ids = [
            removals[image_id].kept_image_id if image_id in removals else image_id
            for image_id in pair.ids
        ]
        if kept_ids[0] != kept_ids[1]:
            relation = pair.relation
            if relation is Relation.DUPLICATE:
                relation = Relation.SAME_EVENT  # a third one joins both
            related.setdefault((min(kept_ids), max(kept_ids)), relation)
    for (first_id, second_id), relation in sorted(related.items()):
        yield Related(paths[first_id - 1][0], paths[second_id - 1][0], relation)


def _list_ids(cluster: Iterable[Pair]) -> set[int]:
    return {image_id for pair in cluster for image_id in pair.ids}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
