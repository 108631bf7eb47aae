"""Which pictures of one folder show what pictures of another one show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog.settings import DedupSettings
from dedup.candidates import Census
from dedup.comparison import open_matcher
from dedup.executors import Watch, Workforce, unwatched
from dedup.matching import join_sources
from dedup.overlap.comparison import THEIRS_FROM
from dedup.overlap.report import NEAR
from dedup.overlap.theirs import Unreadable
from dedup.pairs import Relation
from vockit.format.plural import format_count
from vockit.report.comparison import Compared

from .groups import MEMORY_MB
from .kept_hashes import KeptHashes
from .reading import FolderFiles


@dataclass(frozen=True)
class Shared:
    """A file and one of the other folder that belong together; `similarity` is 1 for one file."""

    path: str
    other: str
    relation: Relation
    similarity: float | None


@dataclass(frozen=True)
class AgainstReport:
    """What of a folder is in another one, and what of both could not be compared.

    `plain` counts pictures that show so little that of two such ones only the same file is told.
    """

    folder: str
    other: str
    files: int
    other_files: int
    plain: int
    shared: Sequence[Shared]
    unreadable: Sequence[Unreadable]
    other_unreadable: Sequence[Unreadable]

    @property
    def near(self) -> list[str]:
        """The files of the folder that are near-duplicates of some of the other one."""
        return sorted({shared.path for shared in self.shared if shared.relation in NEAR})

    @property
    def compared(self) -> Compared:
        """The files: those that are not in the other folder, those that are, the unreadable."""
        broken = [
            f"{file.name}: {file.reason}" for file in (*self.unreadable, *self.other_unreadable)
        ]
        return Compared(
            what="picture",
            equal=self.files - len(self.near),
            different=(*self.near, *broken),
            is_right=f"no near-duplicates of {self.other_files} pictures ({self.other})",
            is_wrong="near-duplicates or unreadable",
        )

    @property
    def summary(self) -> str:
        """All of it in one sentence."""
        near = len(self.near)
        unreadable = len(self.unreadable) + len(self.other_unreadable)
        alike = len({shared.path for shared in self.shared} - set(self.near))
        more = [(alike, "only alike"), (unreadable, "unreadable"), (self.plain, "too plain")]
        rest = "".join(f", {count} {words}" for count, words in more if count)
        return (
            f"{near} of {format_count(self.files, 'picture')} {'is a' if near == 1 else 'are'} "
            f"near-duplicate{'s' * (near != 1)} of {format_count(self.other_files, 'picture')} in "
            f"{self.other}{rest}."
        )

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {
            "source": self.folder,
            "against": self.other,
            "files": self.files,
            "against_files": self.other_files,
            "too_plain": self.plain,
            "compared": self.compared.as_json(),
            "overlaps": [
                {
                    "file": shared.path,
                    "relation": shared.relation.value,
                    "similarity": None
                    if shared.similarity is None
                    else round(shared.similarity, 4),
                    "against": shared.other,
                }
                for shared in self.shared
            ],
            "broken": _list_unreadable(self.unreadable),
            "against_broken": _list_unreadable(self.other_unreadable),
        }


def compare_folders(
    files: FolderFiles,
    kept: KeptHashes,
    others: FolderFiles,
    other_kept: KeptHashes,
    force: Workforce,
    *,
    watch: Watch = unwatched,
) -> AgainstReport:
    """What of the first folder's pictures is in the second, by the rules of `vocparty overlap`."""
    settings = DedupSettings(memory_mb=MEMORY_MB)
    digests = files.digests
    other_digests = others.digests
    other_ids = np.arange(1, len(other_digests) + 1)
    ids = np.concatenate([other_ids, THEIRS_FROM + np.arange(1, len(digests) + 1)])
    source = join_sources(
        other_kept.make_source(other_digests), kept.make_source(digests), THEIRS_FROM
    )
    with open_matcher(source, settings, force, len(ids), watch=watch) as matcher:
        pairs = matcher.match(Census(ids, ids > THEIRS_FROM), other_ids)
    plain = _find_plain(kept, digests, settings.min_quality)
    other_plain = _find_plain(other_kept, other_digests, settings.min_quality)
    shared = list[Shared]()
    for pair in pairs:
        other_sha256 = other_digests[pair.first_id - 1]
        sha256 = digests[pair.second_id - THEIRS_FROM - 1]
        are_plain = sha256 in plain and other_sha256 in other_plain
        if sha256 != other_sha256 and not are_plain:
            other = others.paths[other_sha256][0]
            shared += _share(files.paths[sha256], other, pair.relation, pair.similarity)
    for sha256 in set(digests) & set(other_digests):
        other = others.paths[sha256][0]
        shared += _share(files.paths[sha256], other, Relation.DUPLICATE, 1.0)
    return AgainstReport(
        folder=str(files.folder),
        other=str(others.folder),
        files=files.count,
        other_files=others.count,
        plain=len(plain),
        shared=sorted(shared, key=lambda pair: (pair.path, pair.other)),
        unreadable=files.unreadable,
        other_unreadable=others.unreadable,
    )


def _share(
    names: Iterable[str], other: str, relation: Relation, similarity: float | None
) -> Iterator[Shared]:
    """Each of the names that a picture has, shared with a file of the other folder."""
    return (Shared(name, other, relation, similarity) for name in names)


def _find_plain(kept: KeptHashes, digests: Sequence[str], min_quality: float) -> set[str]:
    images = zip(digests, kept.load_images(digests), strict=True)
    return {sha256 for sha256, image in images if image.quality < min_quality}


def _list_unreadable(files: Sequence[Unreadable]) -> list[dict[str, str]]:
    return [{"file": file.name, "reason": file.reason} for file in files]
