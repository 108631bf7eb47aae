"""Sending results: in pieces by the page, or as one file by a program with the team's link.

Bytes are received outside of any transaction. A page goes on after a broken connection from the
byte that the server has; a program sends the file again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from flask import Blueprint, jsonify, request, url_for
from flask.typing import ResponseReturnValue

from catalog.refusals import InvalidError, MalformedError
from catalog.sentences import say
from catalog.tables.base import MAX_ID
from challenge import methods, own_images, phases, submissions, upload_files
from challenge.folder import Challenge
from challenge.tables import Submission
from challenge.values import Progress, State, Verdict
from web.guard import Outside, allowed
from web.language import translate
from web.operation import note_tick
from web.service import make_link

from .layout import SCORING, STATES
from .service import ChallengeVisit, Role

uploads = Blueprint("uploads", __name__, url_prefix="/api/v1")

READ_BYTES = 1 << 18
_EXPECTED = say("This is not what the page sends. Reload it and try again.")
Json = dict[str, Any]


def read_json() -> Mapping[str, Any]:
    """The object that the request brings; raises MalformedError for anything else."""
    body = request.get_json(force=True, silent=True) if request.content_length else {}
    if not isinstance(body, dict):
        raise MalformedError(_EXPECTED)
    return body


@uploads.post("/submissions")
@allowed(Role.TEAM, read=read_json)
def begin(visit: ChallengeVisit, sent: Mapping[str, Any]) -> ResponseReturnValue:
    """A new upload of no byte yet: its number, to which pieces are sent."""
    method_id = sent.get("method_id")
    name = sent.get("file_name")
    if not isinstance(method_id, int) or not isinstance(name, str):
        raise MalformedError(_EXPECTED)
    if not 0 < method_id <= MAX_ID:
        raise MalformedError(_EXPECTED)
    submission = submissions.begin(
        visit.session, visit.challenge, visit.team_id, method_id, name, visit.at
    )
    return jsonify(id=submission.id, bytes=submission.bytes), 201


@uploads.post("/submissions/<int:number>/pieces")
@allowed(Role.TEAM, streams=True, only_reads=True)
def append(visit: ChallengeVisit, number: int) -> Outside:
    """How many bytes of the upload there are, with this piece at the offset of the query."""
    submissions.get(visit.session, visit.team_id, number)
    offset = request.args.get("offset", type=int)
    if offset is None or offset < 0:
        raise MalformedError(_EXPECTED)
    challenge = visit.challenge
    team_id = visit.team_id
    return Outside(
        lambda: jsonify(bytes=submissions.append(challenge, team_id, number, offset, read_pieces()))
    )


@uploads.post("/submissions/<int:number>/check")
@allowed(Role.TEAM, only_reads=True, takes_link=True, read=read_json)
def check(visit: ChallengeVisit, number: int, sent: Mapping[str, Any]) -> Outside:
    """The verdict on a whole upload."""
    del sent
    submissions.get(visit.session, visit.team_id, number)
    challenge = visit.challenge
    team_id = visit.team_id
    at = visit.at

    def check_and_answer() -> ResponseReturnValue:
        verdict = submissions.check(challenge, team_id, number, at)
        return _answer(number, verdict, challenge, team_id, at_once=False)

    return Outside(check_and_answer)


@uploads.route("/upload", methods=["POST", "PUT"])
@allowed(Role.TEAM, streams=True, only_reads=True, takes_link=True)
def receive(visit: ChallengeVisit) -> Outside:
    """The verdict on the file that is the body, and how to confirm it; `method` names its method.

    422 where the file cannot be scored, which costs nothing.
    """
    _refuse_form()
    method = _find_method(visit, request.args.get("method", ""))
    phases.require_submitting(visit.session, visit.at)
    limit = visit.challenge.settings.limits.upload_bytes
    if (request.content_length or 0) > limit:
        raise InvalidError(
            say(
                "The file has {size:,} bytes; this challenge takes at most {most:,}.",
                size=request.content_length or 0,
                most=limit,
            ),
            field="file",
        )
    request.max_content_length = limit
    challenge = visit.challenge
    team_id = visit.team_id
    method_id = method
    at = visit.at
    name = request.args.get("name", "results.tar.gz")
    return Outside(
        lambda: _answer(
            *submissions.receive(challenge, team_id, method_id, name, read_pieces(), at),
            challenge,
            team_id,
        )
    )


@uploads.route("/hashes", methods=["POST", "PUT"])
@allowed(Role.TEAM, streams=True, only_reads=True, takes_link=True)
def receive_hashes(visit: ChallengeVisit) -> Outside:
    """How many images the file of hashes has that is the body, of the method that `method` names.

    It is compared with the test images then; the page of the method says what was found.
    """
    _refuse_form()
    number = _find_method(visit, request.args.get("method", ""))
    challenge = visit.challenge
    team_id = visit.team_id
    at = visit.at
    request.max_content_length = challenge.settings.limits.upload_bytes

    def receive_and_answer() -> ResponseReturnValue:
        images = own_images.receive(challenge, team_id, number, read_pieces(), at)
        return jsonify(images=images, page=make_link("methods.show_method", number=number))

    return Outside(receive_and_answer)


@uploads.get("/submissions/<int:number>")
@allowed(Role.TEAM, takes_link=True)
def show_progress(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The state of a submission and its place in the queue, for a page that asks again."""
    note_tick()
    submission = submissions.get(visit.session, visit.team_id, number)
    return jsonify(
        _describe(visit, submission, submissions.load_progress(visit.session, submission))
    )


@uploads.post("/submissions/<int:number>/confirm")
@allowed(Role.TEAM, takes_link=True, read=read_json)
def confirm(visit: ChallengeVisit, number: int, sent: Mapping[str, Any]) -> ResponseReturnValue:
    """Queue a checked upload to be scored."""
    del sent
    progress = submissions.confirm(visit.session, visit.team_id, number, visit.at)
    submission = submissions.get(visit.session, visit.team_id, number)
    return jsonify(_describe(visit, submission, progress))


@uploads.post("/submissions/<int:number>/cancel")
@allowed(Role.TEAM, takes_link=True, read=read_json)
def cancel(visit: ChallengeVisit, number: int, sent: Mapping[str, Any]) -> ResponseReturnValue:
    """Let an upload or a queued submission go."""
    del sent
    submissions.cancel(visit.session, visit.challenge, visit.team_id, number, visit.at)
    submission = submissions.get(visit.session, visit.team_id, number)
    return jsonify(
        _describe(visit, submission, submissions.load_progress(visit.session, submission))
    )


def read_pieces() -> Iterator[bytes]:
    """The body of the request, in parts."""
    while piece := request.stream.read(READ_BYTES):
        yield piece


def describe_verdict(verdict: Verdict) -> Json:
    """A verdict as JSON has it: the lines of `vockit check-results`, and each problem."""
    return {
        "can_be_scored": verdict.is_good,
        "reason": translate(verdict.reason),
        "problems": [asdict(problem) for problem in verdict.problems],
        "competitions": list(verdict.competitions or ()),
        "lines": list(verdict.lines),
        "notes": list(verdict.notes),
    }


def _answer(
    number: int, verdict: Verdict, challenge: Challenge, team_id: int, *, at_once: bool = True
) -> ResponseReturnValue:
    """The verdict, what its method has to say before, and how to confirm it when nothing is."""
    with challenge.catalogue.reading() as session:
        method = submissions.get(session, team_id, number).method
        mismatch = methods.find_mismatch(method, verdict.competitions or ())
    document = {"id": number, "page": make_link("team.show_submission", number=number)}
    document |= describe_verdict(verdict)
    document["mismatch"] = translate(mismatch) if mismatch else ""
    if verdict.is_good and at_once and mismatch is None:
        document["confirm"] = make_link("uploads.confirm", number=number)
    status = 200 if verdict.is_good or not at_once else 422
    return jsonify(document), status


def _describe(visit: ChallengeVisit, submission: Submission, progress: Progress) -> Json:
    size = submission.bytes
    if progress.state is State.UPLOADING:
        size = upload_files.count_bytes(visit.challenge, submission.id)
    return {
        "id": submission.id,
        "state": progress.state.value,
        "words": translate(SCORING if progress.is_running else STATES[progress.state]),
        "place": progress.place,
        "is_running": progress.is_running,
        "reason": translate(progress.reason),
        "bytes": size,
        "page": url_for("team.show_submission", number=submission.id),
    }


def _refuse_form() -> None:
    """Raise InvalidError for a form, which `curl -F` sends, in place of the file itself."""
    if request.mimetype == "multipart/form-data":
        raise InvalidError(
            say("Send the file itself as the body: curl --data-binary @FILE, not curl -F."),
            field="file",
        )


def _find_method(visit: ChallengeVisit, word: str) -> int:
    """The number of the team's method of this name or number; raises InvalidError.

    Without a word it is the only one.
    """
    known = methods.list_methods(visit.session, visit.team_id)
    if not word and len(known) == 1:
        return known[0].id
    for method in known:
        if word in (method.name, str(method.id)):
            return method.id
    names = [method.name for method in known]
    if not names:
        raise InvalidError(say("Your team has no method yet. Add one on its page."), field="method")
    raise InvalidError(
        say(
            "Name one of your methods as ?method=NAME, got {word}. Yours: {names}.",
            word=repr(word[:100]),
            names=names,
        ),
        field="method",
    )
