"""Versions of what a page shows, by which the server notices that a page is out of date.

A change from a page names the version that the page showed; the server refuses it if the version
is a different one by now. What a person has seen of an image is in seen.py.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.tables import Finding, GoldImage, Image, Lease, Person


def describe_version(*parts: object) -> str:
    """A digest of the parts, 16 hexadecimal digits; it changes when any part changes."""
    return digest_of(repr(parts).encode())[:16]


def version_of_image(image: Image | Row[Any]) -> str:
    """The version of an image in a list, or of a row of it: its state and its newest revision."""
    return describe_version(
        image.id, image.state.value, image.state_at.timestamp(), image.annotation_id
    )


def version_of_finding(row: Finding) -> str:
    """The version of a finding: its message, its subject and its verdict."""
    verdict = row.verdict.value if row.verdict else None
    return describe_version(row.id, row.message, row.subject_sha256, verdict)


def version_of_gold(session: Session, image: Image) -> str:
    """The version of an image on the page of gold: its newest revision, and the choice so far."""
    gold = session.get(GoldImage, image.id)
    if gold is None or gold.ended_at is not None:
        return describe_version(image.id, image.annotation_id)
    choice = (gold.annotation_id, gold.is_training, gold.note, gold.chosen_at.timestamp())
    return describe_version(image.id, image.annotation_id, *choice)


def version_of_person(person: Person) -> str:
    """The version of a person in a list: name, role, link, end of training and of access."""
    moments = (person.ended_at, person.trained_at)
    stamps = tuple(moment and moment.timestamp() for moment in moments)
    return describe_version(
        person.id, person.name, person.role.value, *stamps, person.credential_sha256
    )


def version_of_lease(lease: Lease) -> str:
    """The version of an image that a person holds: it changes with each new lease."""
    return describe_version(lease.id)
