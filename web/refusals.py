"""How a page is answered what a person is refused: the status and the code of each refusal."""

from __future__ import annotations

from dataclasses import dataclass

from catalog import refusals

from .opened_for import OtherPartyError, OtherPersonError


@dataclass(frozen=True)
class Answer:
    """The status of HTTP, and the word by which scripts tell answers of one status apart."""

    status: int
    code: str


ANSWERS: dict[type[refusals.RefusedError], Answer] = {
    refusals.MalformedError: Answer(400, "malformed"),
    refusals.SignedOutError: Answer(401, "signed_out"),
    refusals.ForbiddenError: Answer(403, "forbidden"),
    refusals.NotFoundError: Answer(404, "not_found"),
    refusals.HeldError: Answer(409, "held"),
    refusals.LeaseLostError: Answer(409, "lease_lost"),
    refusals.StaleError: Answer(409, "stale"),
    refusals.StuckError: Answer(409, "stuck"),
    OtherPartyError: Answer(409, "other_party"),
    OtherPersonError: Answer(409, "other_person"),
    refusals.InvalidError: Answer(422, "invalid"),
    refusals.TooManyError: Answer(429, "too_many"),
    refusals.UnavailableError: Answer(503, "unavailable"),
}
"""Each kind of refusal; a more special one is answered like its base class."""


def get_answer(kind: type[refusals.RefusedError]) -> Answer:
    """The answer to refusals of this kind; raises KeyError where the table has none."""
    for base in kind.__mro__:
        if base in ANSWERS:
            return ANSWERS[base]
    raise KeyError(kind.__name__)
