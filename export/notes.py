"""What is recorded of how a release came about, besides its recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter

from .travel.facts import Facts


@dataclass(frozen=True)
class BoundGroup:
    """Images that no split may part, by their public ids, and what binds them."""

    images: tuple[str, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Notes:
    """How a release came about.

    `extends` is the release whose images it took over, `forced` says in spite of what it was made.
    `groups` are those of several images. `blind_salt` is the secret of a release whose test set is
    held back. `facts` is what its datasheet says of the party, and `kept` gives the digests of the
    files beside the tree that the image store keeps for it, by their paths.
    """

    extends: str | None = None
    forced: tuple[str, ...] = ()
    groups: tuple[BoundGroup, ...] = ()
    blind_salt: str | None = None
    facts: Facts | None = None
    kept: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them."""
        return asdict(self)


def parse_notes(values: Mapping[str, Any]) -> Notes:
    """The notes that `to_json` gave."""
    return _ADAPTER.validate_python(dict(values))


_ADAPTER = TypeAdapter(Notes)
