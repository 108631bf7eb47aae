"""How errors are answered: JSON under /api/, a page of the application elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Callable

from flask import Flask, current_app, jsonify, make_response, request
from flask.wrappers import Response
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DatabaseError, OperationalError
from werkzeug.exceptions import HTTPException

from catalog.errors import BusyError, ImageStoreError
from catalog.refusals import RefusedError, TooManyError
from catalog.sentences import Sentence, say
from catalog.session import DiskFault, find_disk_fault, is_damaged

from .language import translate
from .refusals import get_answer

log = logging.getLogger(__name__)

_CODES = {
    400: ("malformed", say("The server cannot read this request. Reload the page and try again.")),
    404: ("not_found", say("This page does not exist.")),
    405: ("not_allowed", say("This address does not allow this action.")),
    413: ("too_large", say("The request is larger than this server allows.")),
    429: ("too_many", say("Too many requests. Wait a moment and try again.")),
    503: ("unavailable", say("The catalogue is busy. Try again in a moment.")),
}
_INTERNAL = (
    "internal",
    say("The server failed and saved nothing. Try again, or tell the organiser."),
)
_DAMAGED = say(
    "The catalogue is damaged; nothing was saved. Tell the organiser to run vocparty doctor."
)
_DISKS = {
    DiskFault.FULL: say(
        "The server's disk is full; nothing was saved. Your page keeps it. Tell the organiser to "
        "make room."
    ),
    DiskFault.READ_ONLY: say(
        "The server's disk is read-only; nothing was saved. Your page keeps it. Tell the organiser."
    ),
}
_NO_STORE = say("The image store does not answer. Try again in a moment.")
ShowError = Callable[[int, str], str]
"""Makes the page of a status and a message, which is in the language of the request."""
_PAGE = "error_page"  # its name among the application's extensions
RETRY_AFTER_SECS = 5


def answer_errors(app: Flask, show_error: ShowError) -> None:
    """Make every error of the application an answer of the promised shape."""
    app.extensions[_PAGE] = show_error
    app.register_error_handler(RefusedError, _answer_refused)
    app.register_error_handler(CSRFError, _answer_forged)
    for error in (DatabaseError, BusyError, ImageStoreError):
        app.register_error_handler(error, _answer_unavailable)
    app.register_error_handler(HTTPException, _answer_http)


def format_error(status: int, code: str, sentence: Sentence, field: str | None = None) -> Response:
    """An error as JSON below /api/, and as a page elsewhere, in the language of the request."""
    message = translate(sentence)
    if request.path.startswith("/api/"):
        error = {"code": code, "message": message} | ({"field": field} if field else {})
        response = jsonify(error=error)
    else:
        show_error: ShowError = current_app.extensions[_PAGE]
        response = make_response(show_error(status, message))
    response.status_code = status
    if status in (429, 503):
        response.headers["Retry-After"] = str(RETRY_AFTER_SECS)
    return response


def _answer_refused(error: RefusedError) -> Response:
    answer = get_answer(type(error))
    response = format_error(answer.status, answer.code, error.message, error.field)
    if isinstance(error, TooManyError):
        del response.headers["Retry-After"]
        if error.again_in_secs is not None:
            response.headers["Retry-After"] = str(error.again_in_secs)
    return response


def _answer_forged(error: CSRFError) -> Response:
    log.info("refused a request without a valid CSRF token: %s", error.description)
    return format_error(400, "csrf", say("This page is out of date. Reload it and try again."))


def _answer_unavailable(error: DatabaseError | BusyError | ImageStoreError) -> Response:
    if (fault := find_disk_fault(error)) is not None:
        message = _DISKS[fault]
    elif is_damaged(error):
        message = _DAMAGED
    elif isinstance(error, OperationalError | BusyError):
        message = _CODES[503][1]
    elif isinstance(error, ImageStoreError):
        message = _NO_STORE
    else:
        raise error
    log.error("%s (%s)", message, getattr(error, "orig", error))
    return format_error(503, "unavailable", message)


def _answer_http(error: HTTPException) -> Response:
    if error.code is None or error.code < 400:
        return make_response(error.get_response())
    response = format_error(error.code, *_CODES.get(error.code, _INTERNAL))
    for name in ("Allow", "Retry-After"):
        if value := error.get_response().headers.get(name):
            response.headers[name] = value
    return response
