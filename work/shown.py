"""The version of what a page shows: another word once any part of it is another one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.states import ImageState
from catalog.tables import Finding, GoldImage, Image, Lease, Person


def describe_version(*parts: object) -> str:
    """A word of 16 letters that is another one where any part is."""
    return digest_of(repr(parts).encode())[:16]


def version_of_image(
    image_id: int, state: ImageState, state_at: datetime, annotation_id: int | None
) -> str:
    """Of an image in a list: its state and its newest revision."""
    return describe_version(image_id, state.value, state_at.timestamp(), annotation_id)


def version_of_finding(row: Finding) -> str:
    """Of a finding: what it says of what, and the word on it so far."""
    verdict = row.verdict.value if row.verdict else None
    return describe_version(row.id, row.message, row.subject_sha256, verdict)


def version_of_gold(session: Session, image: Image) -> str:
    """Of a page that chooses gold: the newest revision, and the choice so far."""
    gold = session.get(GoldImage, image.id)
    if gold is None or gold.ended_at is not None:
        return describe_version(image.id, image.annotation_id)
    choice = (gold.annotation_id, gold.is_training, gold.note, gold.chosen_at.timestamp())
    return describe_version(image.id, image.annotation_id, *choice)


def version_of_person(person: Person) -> str:
    """Of a person in a list: name, role, link, and whether they may begin or were ended."""
    moments = (person.ended_at, person.trained_at)
    told = tuple(moment and moment.timestamp() for moment in moments)
    return describe_version(
        person.id, person.name, person.role.value, *told, person.credential_sha256
    )


def version_of_lease(lease: Lease) -> str:
    """Of an image in a person's hands: that lease and no later one."""
    return describe_version(lease.id)
