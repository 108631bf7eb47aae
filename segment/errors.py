"""What a page asks for in vain, in one sentence each."""

from __future__ import annotations

from catalog.errors import VocpartyError


class SegmentError(VocpartyError):
    """A drawing or a verdict is wrong; `field` names the first wrong one. `status` is HTTP's."""

    status = 422
    code = "invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotChosenError(SegmentError):
    """The image is not chosen, or there is no such drawing."""

    status, code = 404, "not_found"


class NotHeldError(SegmentError):
    """The person does not hold the image."""

    status, code = 409, "lease_lost"


class OwnDrawingError(SegmentError):
    """Who drew on an image does not check it."""

    status, code = 403, "forbidden"


class ProposalError(SegmentError):
    """No outline can be proposed now."""

    status, code = 503, "unavailable"
