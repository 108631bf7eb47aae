"""For whom, and in which party, the page was opened that a changing request comes from.

A browser has one session for all its tabs. Another person may sign in in a second tab, and another
party may be served at the same address, while a page of the first goes on. Each changing request
says for whom its page was opened; `require_same` compares in one place, before anything else. A
challenge is a party here: `party_id` names the database.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from catalog.refusals import InvalidError, RefusedError
from catalog.sentences import Sentence, say

OPENED_FOR = "X-Opened-For"
"""The header by which an upload says it."""
_WRONG = say("opened_for is wrong: expected person_id and party_id of GET /api/v1/session.")


class OtherPersonError(RefusedError):
    """The page was opened for another person than the one who is signed in."""


class OtherPartyError(RefusedError):
    """The page was opened in another party than the one that is served here."""


class OpenedFor(BaseModel):
    """The person and the party of the page, as `GET /api/v1/session` names them."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    person_id: int
    party_id: str


class _Envelope(BaseModel):
    model_config = ConfigDict(strict=True)

    opened_for: OpenedFor


def read_opened_for(data: bytes) -> OpenedFor | None:
    """For whom the page was opened; None for what is no JSON, which is refused by who reads it.

    Raises InvalidError where the body does not say.
    """
    try:
        return _Envelope.model_validate_json(data.strip() or b"{}").opened_for
    except ValidationError as error:
        if not error.errors(include_url=False)[0]["loc"]:
            return None  # no JSON, or no object: nothing of it is done, schemas.parse_body says why
        raise InvalidError(_WRONG, field="opened_for") from error


def read_opened_for_field(field: str) -> OpenedFor:
    """For whom the page of a form was opened, by its field; raises InvalidError for all else."""
    try:
        return OpenedFor.model_validate_json(field)
    except ValidationError as error:
        raise InvalidError(_WRONG, field="opened_for") from error


def require_same(
    person_id: int,
    party_id: str,
    opened_for: OpenedFor | RefusedError | None,
    *,
    other_party: Sentence,
    other_person: Sentence,
) -> None:
    """Raise OtherPersonError or OtherPartyError unless the page was opened for this visit.

    Raises what reading the body raised, where it did.
    """
    if isinstance(opened_for, RefusedError):
        raise opened_for
    if opened_for is None:
        return
    if opened_for.party_id != party_id:
        raise OtherPartyError(other_party)
    if opened_for.person_id != person_id:
        raise OtherPersonError(other_person)
