"""One's own images."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from annotate_ui.answers import format_moment, image_url
from annotate_ui.mine import list_own_images
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit

blueprint = Blueprint("mine", __name__)


@blueprint.get("/mine")
@allowed(*EVERYBODY)
def show_mine(visit: Visit) -> ResponseReturnValue:
    """The images whose newest revision is one's own, newest first."""
    return {
        "images": [
            {
                "image_id": own.image_id,
                "state": own.state,
                "saved_at": format_moment(own.saved_at),
                "image_url": image_url(own.sha256),
                "objects": own.objects,
            }
            for own in list_own_images(visit.session, visit.person.id)
        ]
    }
