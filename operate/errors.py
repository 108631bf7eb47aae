"""What organisers are refused, in one sentence each."""

from __future__ import annotations

from catalog.errors import VocpartyError


class OrganiserError(VocpartyError):
    """What was asked for is wrong; `field` names the first wrong word. `status` is HTTP's."""

    status = 422
    code = "invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UnknownCampaignError(OrganiserError):
    """No campaign has this name."""

    status, code = 404, "not_found"
