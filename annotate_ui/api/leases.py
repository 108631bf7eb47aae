"""A lease as answers hold it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import model_validator

from catalog.states import LeaseKind
from catalog.tables import Lease
from work.leases import number_lease

from .schemas import Answer


class LeaseAnswer(Answer):
    """A lease; it ends by itself unless the page sends heartbeats.

    Made of a row or of these fields.
    """

    id: int
    expires_at: datetime

    @model_validator(mode="before")
    @classmethod
    def _read_row(cls, row: Any) -> Any:
        if not isinstance(row, Lease):
            return row
        return {"id": number_lease(name_kind(row), row.image_id), "expires_at": row.expires_at}


def name_kind(lease: Lease) -> LeaseKind:
    """What an image is held for; a blind task looks like any other to its annotator."""
    return LeaseKind.ANNOTATE if lease.kind is LeaseKind.BLIND else lease.kind
