"""The guidelines: read by everybody, written by organisers, every version kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from annotate_ui.errors import NotFoundError
from annotate_ui.organise import guidelines
from annotate_ui.organise.live_settings import list_versions
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit

from .answers import Json, format_person, pick, save_or_head
from .schemas import Body, Reply, Routes, VersionBody, without_nul

blueprint = Routes("guidelines", __name__, url_prefix="/guidelines")
Markdown = Annotated[str, Field(max_length=200_000), AfterValidator(without_nul)]


class GuidelinesBody(VersionBody):
    """PUT /guidelines."""

    markdown: Markdown


class PreviewBody(Body):
    """POST /guidelines/preview."""

    markdown: Markdown


@blueprint.on_get("", *EVERYBODY)
def show_guidelines(visit: Visit) -> Reply:
    """The version that holds."""
    return _format(guidelines.load_guidelines(visit.session, visit.party))


@blueprint.on_put("")
def put_guidelines(visit: Visit, body: GuidelinesBody) -> Reply:
    """The new version; of two that started from the same one, the second gets a conflict."""
    return save_or_head(
        lambda: _format(guidelines.save_guidelines(visit, body.markdown, base=body.base)),
        lambda: _format(guidelines.load_guidelines(visit.session, visit.party)),
    )


@blueprint.on_post("/preview")
def preview_guidelines(visit: Visit, body: PreviewBody) -> Reply:
    """How a text would look; nothing is saved."""
    return {"html": guidelines.render_guidelines(body.markdown)}


@blueprint.on_get("/versions")
def show_versions(visit: Visit) -> Reply:
    """Who saved which version and when, newest first."""
    return {
        "versions": [
            pick(version, "number", "set_at") | {"person": format_person(version.person)}
            for version in list_versions(visit.session, guidelines.NAME)
        ]
    }


@blueprint.on_get("/versions/<int:number>")
def show_version(visit: Visit, number: int) -> Reply:
    """One version; 0 is what the party came with."""
    found = guidelines.find_guidelines(visit.session, visit.party, number)
    if found is None:
        raise NotFoundError(f"There is no version {number} of the guidelines.")
    return _format(found)


def _format(version: guidelines.Guidelines) -> Json:
    return pick(version, "number", "markdown", "html")
