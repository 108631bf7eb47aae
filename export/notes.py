"""What a release records of how it came about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pydantic import TypeAdapter

from catalog.settings import ReleaseSettings

Facts = dict[str, Any]
"""What the datasheet tells of a party's queries, people, checks and agreement, as JSON has it."""


@dataclass(frozen=True)
class BoundGroup:
    """Images that no split may part, by their public ids, and what binds them.

    `near_pairs` are those that are near-duplicates of one another, not only over images that are
    in no release.
    """

    images: tuple[str, ...]
    relations: tuple[str, ...]
    near_pairs: tuple[tuple[str, str], ...] = ()

    def without(self, withdrawn: Collection[str]) -> BoundGroup:
        """The group without these identifiers."""
        return BoundGroup(
            images=tuple(public_id for public_id in self.images if public_id not in withdrawn),
            relations=self.relations,
            near_pairs=tuple(pair for pair in self.near_pairs if not {*pair} & {*withdrawn}),
        )


@dataclass(frozen=True)
class Notes:
    """How a release came about."""

    extends: str | None = None
    corrects: str | None = None
    corrections: tuple[dict[str, Any], ...] = ()  # since that one
    forced: tuple[str, ...] = ()  # what it was made in spite of
    groups: tuple[BoundGroup, ...] = ()
    parted: tuple[BoundGroup, ...] = ()  # groups of the extended release that lie in two sets
    renamed: dict[str, str] = field(default_factory=dict)  # old names of an imported tree
    about: dict[str, Any] = field(default_factory=dict)
    part: dict[str, Any] = field(default_factory=dict)
    unbound: tuple[dict[str, Any], ...] = ()  # what bound owners
    torn: tuple[dict[str, Any], ...] = ()  # left out, since it is bound to two sets
    images_without_file: int = 0  # left out, since theirs was missing or damaged
    blind_salt: str | None = None
    facts: Facts | None = None
    judged: dict[int, dict[str, bool]] = field(default_factory=dict)  # difficult, by image and key
    kept: dict[str, str] = field(default_factory=dict)  # digests of files by path
    digest: str = ""  # of the lists of images, before any was withdrawn
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The classes that an image annotated here was asked about, by its public id, if not all."""
    settled: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """The nodes that answers settle as "yes" and "no", by the public id of the image."""

    def without(self, withdrawn: Collection[str]) -> Notes:
        """The notes without these identifiers; a single image is no group."""
        return replace(
            self,
            groups=_without(self.groups, withdrawn),
            parted=_without(self.parted, withdrawn),
            asked={key: names for key, names in self.asked.items() if key not in withdrawn},
            settled={key: nodes for key, nodes in self.settled.items() if key not in withdrawn},
            renamed={new: old for new, old in self.renamed.items() if new not in withdrawn},
            unbound=_keep_others(self.unbound, withdrawn),
            torn=_keep_others(self.torn, withdrawn),
        )


def _without(groups: Iterable[BoundGroup], withdrawn: Collection[str]) -> tuple[BoundGroup, ...]:
    left = [group.without(withdrawn) for group in groups]
    return tuple(group for group in left if len(group.images) > 1)


def _keep_others(
    left_out: Iterable[dict[str, Any]], withdrawn: Collection[str]
) -> tuple[dict[str, Any], ...]:
    """What was left out, with those of its relatives that are not withdrawn."""
    return tuple(
        image | {"kept": [kept for kept in image["kept"] if kept not in withdrawn]}
        for image in left_out
    )


def describe_release(settings: ReleaseSettings) -> dict[str, Any]:
    """What [release] of party.toml says, without the empty keys."""
    return {key: value for key, value in asdict(settings).items() if value}


def list_changed_facts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of [release], as words, of which two releases say something else."""
    return tuple(
        key.name.replace("_", " ")
        for key in fields(ReleaseSettings)
        if _as_text(before.get(key.name, "")) != _as_text(after.get(key.name, ""))
    )


def _as_text(value: str | Sequence[str]) -> str:
    """A text, or the texts of a list on one line."""
    return value if isinstance(value, str) else ", ".join(value)


def parse_notes(settings: Mapping[str, Any]) -> Notes:
    """The notes in a release's row; an older one has none."""
    return TypeAdapter(Notes).validate_python(settings.get("notes", {}))
