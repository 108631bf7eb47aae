"""All records of the stand-in, in arrays sorted by upload time, so that a search stays fast.

A record is either a photograph of the folder or a copy of one under another id, owner, licence
and date; copies exist only as numbers until somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .invent import (
    DAY_SECS,
    FIRST_COPY_ID,
    FIRST_UPLOAD_SECS,
    LAST_UPLOAD_SECS,
    LICENCE_WEIGHTS,
    USERNAMES,
    make_owner,
)
from .photos import Owner, Photo, Taken
from .times import format_mysql, order_secs
from .words import WordIndex

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Traits:
    """What a search asks of pictures, one array element a picture."""

    is_safe: Mask
    has_place: Mask
    content_type: Ints


class Library:
    """The records by position: 0 is the one that was uploaded first."""

    def __init__(
        self,
        photos: Sequence[Photo],
        *,
        copies: int = 0,
        seed: int = 0,
        copy_owners: Sequence[str] = USERNAMES,
    ) -> None:
        self.pictures: tuple[Photo, ...] = tuple(photos)
        self.index = WordIndex(self.pictures)
        self.traits = _find_traits(self.pictures)
        self._owners: list[Owner] = []
        self._owner_numbers: dict[str, int] = {}
        self._fill(_own_columns(self), _copy_columns(self, copies, seed, copy_owners))

    def _fill(self, own: dict[str, Ints], copied: dict[str, Ints]) -> None:
        columns = {name: np.concatenate((own[name], copied[name])) for name in own}
        order = np.lexsort((columns["id"], columns["uploaded"]))
        self.ids: Ints = columns["id"][order]
        self.uploaded: Ints = columns["uploaded"][order]
        self.taken: Ints = columns["taken"][order]
        self.licence: Ints = columns["licence"][order]
        self.views: Ints = columns["views"][order]
        self.owner: Ints = columns["owner"][order]
        self.picture: Ints = columns["picture"][order]
        self._by_id: Ints = np.argsort(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def photo_at(self, position: int) -> Photo:
        """The record at a position."""
        original: Photo = self.pictures[int(self.picture[position])]
        photo_id = int(self.ids[position])
        if photo_id == original.id:
            return original
        return replace(
            original,
            id=photo_id,
            owner=self._owners[int(self.owner[position])],
            licence_id=int(self.licence[position]),
            uploaded_secs=int(self.uploaded[position]),
            updated_secs=int(self.uploaded[position]),
            taken=Taken(format_mysql(int(self.taken[position]))),
            views=int(self.views[position]),
            is_copy=True,
        )

    def find(self, photo_id: int) -> Photo | None:
        """The record of this id."""
        slot = int(np.searchsorted(self.ids, photo_id, sorter=self._by_id))
        if slot == len(self.ids) or self.ids[self._by_id[slot]] != photo_id:
            return None
        return self.photo_at(int(self._by_id[slot]))

    def find_owner_number(self, nsid: str) -> int | None:
        """The number under which an owner stands in the column `owner`."""
        return self._owner_numbers.get(nsid)

    def number_owner(self, owner: Owner) -> int:
        """The number of an owner, who is entered where new."""
        if owner.nsid not in self._owner_numbers:
            self._owner_numbers[owner.nsid] = len(self._owners)
            self._owners.append(owner)
        return self._owner_numbers[owner.nsid]


def _find_traits(pictures: Sequence[Photo]) -> Traits:
    return Traits(
        np.array([photo.safety_level == 1 for photo in pictures], dtype=np.bool_),
        np.array([photo.place is not None for photo in pictures], dtype=np.bool_),
        _ints([int(photo.content_type) for photo in pictures]),
    )


def _own_columns(library: Library) -> dict[str, Ints]:
    photos = library.pictures
    return {
        "id": _ints([photo.id for photo in photos]),
        "uploaded": _ints([photo.uploaded_secs for photo in photos]),
        "taken": _ints([order_secs(photo.taken.at) for photo in photos]),
        "licence": _ints([photo.licence_id for photo in photos]),
        "views": _ints([photo.views for photo in photos]),
        "owner": _ints([library.number_owner(photo.owner) for photo in photos]),
        "picture": np.arange(len(photos), dtype=np.int64),
    }


def _copy_columns(
    library: Library, copies: int, seed: int, usernames: Sequence[str]
) -> dict[str, Ints]:
    count = copies * len(library.pictures)
    random = np.random.default_rng(seed)
    owners = _ints([library.number_owner(make_owner(name)) for name in usernames])
    weights = 1 / np.arange(1, len(owners) + 1)
    licences, shares = (np.array(column) for column in zip(*LICENCE_WEIGHTS, strict=True))
    uploaded = random.integers(FIRST_UPLOAD_SECS, LAST_UPLOAD_SECS + 1, count)
    return {
        "id": FIRST_COPY_ID + np.arange(count, dtype=np.int64),
        "uploaded": uploaded,
        "taken": uploaded - random.integers(60, 400 * DAY_SECS, count),
        "licence": random.choice(licences, count, p=shares / shares.sum()),
        "views": (20 / (1.0001 - random.random(count))).astype(np.int64),
        "owner": random.choice(owners, count, p=weights / weights.sum()),
        "picture": np.tile(np.arange(len(library.pictures), dtype=np.int64), copies),
    }


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
