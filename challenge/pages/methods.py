"""The form of a method: a new one, or one of the team's."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from catalog.refusals import InvalidError
from catalog.sentences import Sentence, say
from challenge import methods, own_images
from challenge.tables import Method
from challenge.values import MaskSource, MethodFields, Training
from web.guard import allowed
from web.service import make_link

from .layout import MASKS_FROM, TRAINED_ON, show
from .service import ChallengeVisit, Role

methods_pages = Blueprint("methods", __name__)

TEXTS = (
    "name",
    "description",
    "contributors",
    "institutions",
    "reference",
    "training_data",
    "detectors",
)


@methods_pages.get("/methods/new")
@allowed(Role.TEAM)
def show_new(visit: ChallengeVisit) -> ResponseReturnValue:
    """An empty form."""
    return _show(visit, MethodFields(name=""))


@methods_pages.post("/methods/new")
@allowed(Role.TEAM)
def add(visit: ChallengeVisit) -> ResponseReturnValue:
    """The way back to the team's page, with a new method; or the form and what is wrong."""
    try:
        fields = read_fields()
        methods.add(visit.session, visit.team_id, fields, visit.at)
    except InvalidError as error:
        return _show(visit, _keep_typed(), problem=error.message), 422
    return redirect(url_for("team.show_team"), code=303)


@methods_pages.get("/methods/<int:number>")
@allowed(Role.TEAM)
def show_method(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The form with what the team said of the method."""
    method = methods.get_method(visit.session, visit.team_id, number)
    return _show(visit, describe(method), number=number)


@methods_pages.post("/methods/<int:number>")
@allowed(Role.TEAM)
def edit(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The way back to the team's page, with the method changed; or the form and what is wrong."""
    methods.get_method(visit.session, visit.team_id, number)
    try:
        fields = read_fields()
        methods.edit(visit.session, visit.team_id, number, fields, visit.at)
    except InvalidError as error:
        return _show(visit, _keep_typed(), number=number, problem=error.message), 422
    return redirect(url_for("team.show_team"), code=303)


def describe(method: Method) -> MethodFields:
    """What the team said of a method."""
    return MethodFields(**{name: getattr(method, name) for name in asdict(MethodFields(""))})


def read_fields() -> MethodFields:
    """The fields of the form; raises InvalidError for a choice that the form has not."""
    training = request.form.get("training", "")
    source = request.form.get("mask_source", "")
    if training not in {*Training} or (source and source not in {*MaskSource}):
        raise InvalidError(say("This page is out of date. Reload it and try again."))
    return MethodFields(
        **{name: request.form.get(name, "") for name in TEXTS},
        training=Training(training),
        mask_source=MaskSource(source) if source else None,
    )


def _keep_typed() -> MethodFields:
    """What was typed, so that nothing has to be typed again."""
    try:
        return read_fields()
    except InvalidError:
        typed: dict[str, Any] = {name: request.form.get(name, "") for name in TEXTS}
        return MethodFields(**typed)


def _show(
    visit: ChallengeVisit, fields: MethodFields, *, number: int = 0, problem: Sentence | None = None
) -> str:
    known = methods.get_method(visit.session, visit.team_id, number) if number else None
    return show(
        "method.html",
        visit.session,
        own=own_images.load_own_images(visit.challenge, known) if known else None,
        can_compare=own_images.can_compare(visit.challenge),
        most_bytes=visit.challenge.settings.limits.upload_bytes,
        hashes_url=make_link("uploads.receive_hashes"),
        person=visit.owner,
        fields=fields,
        number=number,
        problem=problem,
        trainings=TRAINED_ON,
        sources=MASKS_FROM,
    )
