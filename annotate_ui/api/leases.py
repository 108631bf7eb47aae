"""Keeping an image by heartbeats, and giving it back."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.security import unseal
from annotate_ui.visit import Visit
from annotate_ui.work.blind import (
    FIRST_LEASE_ID,
    BlindLease,
    give_blind_back,
    keep_blind,
    renew_blind,
)
from annotate_ui.work.leases import give_back, renew_lease, renew_others
from catalog.tables import Lease

from .answers import format_lease
from .queue import format_live
from .schemas import MAX_ID

blueprint = Blueprint("leases", __name__, url_prefix=f"/leases/<int(max={MAX_ID}):lease_id>")


@blueprint.post("/heartbeat")
@allowed(*EVERYBODY)
def extend_lease(visit: Visit, lease_id: int) -> ResponseReturnValue:
    """The lease, extended."""
    lease_id = unseal(lease_id)
    lease: Lease | BlindLease
    if lease_id >= FIRST_LEASE_ID:
        lease = renew_blind(visit, lease_id)
        renew_others(visit, lease_id)
    else:
        lease = renew_lease(visit, lease_id)
        keep_blind(visit)
    return {"lease": format_lease(lease), "live": format_live(visit)}


@blueprint.post("/give-back")
@allowed(*EVERYBODY)
def give_image_back(visit: Visit, lease_id: int) -> ResponseReturnValue:
    """Nothing; the image is where it came from."""
    lease_id = unseal(lease_id)
    if lease_id >= FIRST_LEASE_ID:
        give_blind_back(visit, lease_id)
    else:
        give_back(visit, lease_id)
    return {}
