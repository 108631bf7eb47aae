"""A served party for the tests: people, images, a clock that stands still, browsers."""

import io
import itertools
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result
from flask import Response, current_app, request, session
from flask.testing import FlaskClient
from flask_wtf.csrf import generate_csrf
from PIL import Image as Picture
from pydantic import BaseModel
from werkzeug.test import TestResponse

from annotate_ui.app import create_app
from catalog import tables
from catalog.decisions import decide
from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import DecisionKind, ImageState, Role, Source
from tests.rows import make_image
from vockit.format.image_sets import Split
from vocparty import main
from work.people import add_person

Json = dict[str, Any]
API = "/api/v1"
PATIENCE_SECS = 60.0
"""For locks of others: on a busy machine the two seconds of a served party pass by themselves."""


@dataclass
class Clock:
    """A clock that moves only when it is told to."""

    at: datetime = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def advance(self, secs: float) -> None:
        self.at += timedelta(seconds=secs)


@dataclass
class Browser:
    """One person's browser: cookies, and the CSRF token where one was fetched.

    Each change says for whom the page was opened, unless its body says so itself.
    """

    http: FlaskClient
    csrf_token: str = ""
    opened_for: Json = field(default_factory=dict)

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.http.get(path, buffered=True, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        headers = {"X-CSRFToken": self.csrf_token}
        sent = self.address(self.look(path, body))
        return self.http.post(path, json=sent, headers=headers, **more)

    def put(self, path: str, body: Any) -> TestResponse:
        headers = {"X-CSRFToken": self.csrf_token}
        return self.http.put(path, json=self.address(self.look(path, body)), headers=headers)

    def look(self, path: str, body: Any) -> Any:
        """The body with the version that a page would show now, where it has none."""
        for pattern, find in SHOWN.items():
            match = re.fullmatch(API + pattern, path)
            if (
                match
                and isinstance(body, dict | None)
                and not {"version", "state"} & {*(body or {})}
            ):
                return {**find(self, *map(int, match.groups())), **(body or {})}
        return body

    def address(self, body: Any) -> Any:
        """The body as a page sends it."""
        sent = {} if body is None else body
        return {"opened_for": self.opened_for} | sent if isinstance(sent, dict) else sent

    def fetch_token(self) -> None:
        session = self.get(f"{API}/session").get_json()
        self.csrf_token = session["csrf_token"]
        self.opened_for = {
            "person_id": session["person"]["id"],
            "party_id": session["party_id"],
        }

    def take(self, kind: str = "annotate", **body: Any) -> Json:
        answer = self.post(f"{API}/tasks/{kind}", body)
        assert answer.status_code == 200, answer.text
        task: Json = answer.get_json()["task"]
        return task

    def save(self, task: Json, objects: list[Json] | None = None, **more: Any) -> TestResponse:
        head = task["annotation"]
        body = revision(head["id"] if head else None, objects, **more)
        return self.post(f"{API}/images/{task['image_id']}/revisions", body)

    def undo(self, person_id: int, **since: str) -> TestResponse:
        """The answer to the undo of a person's work, confirmed as the page shows it."""
        path = f"{API}/people/{person_id}/undo"
        shown = self.post(path, {"dry_run": True} | since)
        assert shown.status_code == 200, shown.text
        version = shown.get_json()["version"]
        return self.post(path, {"dry_run": False, "version": version} | since)

    def act(self, action: str, words: str = "", **chosen: Any) -> TestResponse:
        """The answer to an action on the images of these numbers, or that the filters find now."""
        if ids := chosen.get("ids"):
            chosen["filters"] = {"id": ",".join(map(str, ids))}
        shown = self.get(f"{API}/images/versions", query_string=chosen["filters"])
        assert shown.status_code == 200, shown.text
        body = {"action": action, "words": words, "images": shown.get_json()["images"]}
        return self.post(f"{API}/images/actions", body)

    def campaign(self, name: str, **more: Any) -> TestResponse:
        """The answer to a campaign of the images of these ids, or that the filters find now."""
        if ids := more.pop("ids", None):
            more["filters"] = {"id": ",".join(map(str, ids))}
        filters = more.pop("filters", {})
        shown = self.get(f"{API}/images/versions", query_string=filters)
        images = shown.get_json().get("images", ())
        body = {"name": name, "images": images, "filters": filters} | more
        return self.post(f"{API}/images/campaigns", body) if images else shown

    def review(self, task: Json, verdict: str = "accept", **more: Any) -> TestResponse:
        body = verdict_on(task["annotation"]["id"], verdict) | more
        return self.post(f"{API}/images/{task['image_id']}/reviews", body)


def _see_gold(browser: Browser, image_id: int) -> Json:
    return _version(browser.get(f"{API}/gold/{image_id}").get_json())


def _see_person(browser: Browser, person_id: int) -> Json:
    members = browser.get(f"{API}/people").get_json().get("people", ())
    return _version(next((item for item in members if item["id"] == person_id), {}))


def _see_finding(browser: Browser, finding_id: int) -> Json:
    page = browser.get(f"{API}/findings").get_json()
    return _version(
        next((item for item in page.get("findings", ()) if item["id"] == finding_id), {})
    )


def _see_pair(browser: Browser, finding_id: int) -> Json:
    pairs = browser.get(f"{API}/pairs").get_json().get("pairs", ())
    return _version(next((item for item in pairs if item["id"] == finding_id), {}))


def _see_hold(browser: Browser, person_id: int, lease_id: int) -> Json:
    holds = browser.get(f"{API}/board").get_json().get("holds", ())
    theirs = [item for item in holds if item["person_id"] == person_id]
    return _version(next((item for item in theirs if item["lease_id"] == lease_id), {}))


def _see_stuck(browser: Browser, image_id: int) -> Json:
    stuck = browser.get(f"{API}/board").get_json().get("stuck", ())
    states = {item["image_id"]: item["state"] for item in stuck}
    return {"state": states.get(image_id, "pool")}


def _version(shown: Json) -> Json:
    return {"version": shown.get("version", "never shown")}


SHOWN: dict[str, Callable[..., Json]] = {
    r"/gold/(\d+)(?:/end)?": _see_gold,
    r"/people/(\d+)/(?:link|end|role|let-begin)": _see_person,
    r"/findings/(\d+)/verdict": _see_finding,
    r"/pairs/(\d+)": _see_pair,
    r"/board/people/(\d+)/leases/(\d+)/take-back": _see_hold,
    r"/board/stuck/(\d+)/settle": _see_stuck,
}
"""What a page shows before each of these changes."""


def hold_to_document(response: Response) -> Response:
    """The response; raises ValidationError where the OpenAPI document does not describe it."""
    view = current_app.view_functions.get(request.endpoint or "")
    model = getattr(view, "answer_model", None)
    if response.status_code in (200, 201) and isinstance(model, type(BaseModel)):
        model.model_validate_json(response.get_data())
    return response


class House:
    """A party with its application; ann annotates, chris checks, olga organises.

    More arguments are settings of [annotate].
    """

    def __init__(
        self, party: Party, *, patience_secs: float = PATIENCE_SECS, **annotate: Any
    ) -> None:
        if annotate:
            changed = replace(party.settings.annotate, **annotate)
            party = replace(party, settings=replace(party.settings, annotate=changed))
        self.party = party
        self.clock = Clock()
        self.numbers = itertools.count()
        with patch("annotate_ui.app.SAVE_WITHIN_SECS", patience_secs):
            self.app = create_app(party, now=self.clock.now, tokens=self.make_token)
        self.app.testing = True
        self.app.after_request(hold_to_document)

    def make_token(self) -> str:
        return f"token-{next(self.numbers)}"

    def add_person(self, name: str, role: Role = Role.ANNOTATOR, **more: Any) -> str:
        """The token of the new person's link."""
        token = f"secret-{self.make_token()}"
        with self.party.catalogue.writing() as session:
            add_person(session, name, role, token=token, at=self.clock.at, **more)
        return token

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(main, [*words, "--party", str(self.party.folder)])

    def stranger(self) -> Browser:
        return Browser(self.app.test_client())

    def enter(self, token: str) -> Browser:
        """The browser of the person whose link carries the token."""
        browser = self.stranger()
        form = {"csrf_token": self.open_form(browser)}
        answer = browser.http.post(f"/enter/{token}", data=form)
        assert answer.status_code == 303, answer.text
        browser.fetch_token()
        return browser

    def open_form(self, browser: Browser) -> str:
        """The token of a form, as if the browser had loaded the page with it."""
        with self.app.test_request_context():
            signed: str = generate_csrf()
            made_of = session["csrf_token"]
        with browser.http.session_transaction() as stored:
            stored["csrf_token"] = made_of
        return signed

    def window_of(self, browser: Browser) -> Browser:
        """Another window of the same person."""
        cookie = browser.http.get_cookie("vocparty")
        assert cookie is not None
        window = Browser(self.app.test_client(), browser.csrf_token, browser.opened_for)
        window.http.set_cookie("vocparty", cookie.value)
        return window

    def ann(self) -> Browser:
        return self.enter(self.add_person("ann", Role.ANNOTATOR))

    def chris(self) -> Browser:
        return self.enter(self.add_person("chris", Role.CHECKER))

    def olga(self) -> Browser:
        return self.enter(self.add_person("olga", Role.ORGANISER))

    def add_image(self, state: ImageState = ImageState.POOL, **photo: Any) -> int:
        """The id of a new image of 500 x 375 pixels without a file, and of its photo."""
        number = next(self.numbers)
        with self.party.catalogue.writing() as session:
            image = make_image(digest_of(str(number).encode()), self.clock.at, state=state)
            if photo:
                values = {"source": Source.FLICKR, "source_id": str(number), **photo}
                image.photos.append(tables.Photo(found_at=self.clock.at, **values))
            session.add(image)
            session.flush()
            return image.id

    def add_images(self, count: int) -> list[int]:
        return [self.add_image() for _ in range(count)]

    def begin(self) -> tuple[Browser, Json]:
        """Ann's browser, and the task of a new image that she holds."""
        self.add_image()
        ann = self.ann()
        return ann, ann.take()

    def draw_one(self) -> tuple[int, Browser, Browser]:
        """The id of a new image that ann finished, and the browsers of ann and chris."""
        ann, task = self.begin()
        assert ann.save(task).status_code == 201
        return task["image_id"], ann, self.chris()

    def add_file(self) -> tuple[int, bytes]:
        """The id and the bytes of a new image that is in the store."""
        image_id = self.add_image()
        data = make_jpeg()
        sha256 = self.party.store.put(data)
        with self.party.catalogue.writing() as session:
            session.get_one(tables.Image, image_id).sha256 = sha256
        return image_id, data

    def state(self, image_id: int) -> ImageState:
        return self.image(image_id).state

    def image(self, image_id: int) -> tables.Image:
        with self.party.catalogue.reading() as session:
            return session.get_one(tables.Image, image_id)

    def person(self, name: str) -> tables.Person:
        with self.party.catalogue.reading() as session:
            return session.query(tables.Person).filter_by(name=name).one()

    def leases(self) -> list[tables.Lease]:
        with self.party.catalogue.reading() as session:
            return session.query(tables.Lease).order_by(tables.Lease.id).all()

    def revisions(self, image_id: int) -> list[tables.Annotation]:
        with self.party.catalogue.reading() as session:
            query = session.query(tables.Annotation).filter_by(image_id=image_id)
            return query.order_by(tables.Annotation.id).all()

    def reviews(self) -> list[tables.Review]:
        with self.party.catalogue.reading() as session:
            return session.query(tables.Review).order_by(tables.Review.id).all()

    def set_state(self, image_id: int, state: ImageState) -> None:
        with self.party.catalogue.writing() as session:
            session.get_one(tables.Image, image_id).state = state

    def release(self, *image_ids: int, name: str = "VOC2026") -> None:
        """Freeze the images as they are in a release of this name."""
        with self.party.catalogue.writing() as session:
            release = tables.Release(name=name, year=2026, created_at=self.clock.at)
            for number, image_id in enumerate(image_ids):
                image = session.get_one(tables.Image, image_id)
                image.state = ImageState.RELEASED
                decide(
                    session,
                    image_id,
                    DecisionKind.RELEASED,
                    at=self.clock.at,
                    annotation_id=image.annotation_id,
                )
                frozen = {"image": image, "annotation_id": image.annotation_id}
                public_id = f"2026_{number:06}"
                release.images.append(
                    tables.ReleaseImage(**frozen, split=Split.TRAIN, public_id=public_id)
                )
            session.add(release)

    def set_qa(self, **values: Any) -> None:
        """Set live settings of [qa], as an organiser does on the board."""
        with self.party.catalogue.writing() as session:
            number = session.query(tables.LiveSetting).count() + 1
            setter = session.query(tables.Person).order_by(tables.Person.id).first()
            assert setter is not None
            version = {"number": number, "person_id": setter.id, "set_at": self.clock.at}
            session.add(tables.LiveSetting(name="qa", value=values, **version))


def make_jpeg(colour: str = "navy") -> bytes:
    file = io.BytesIO()
    Picture.new("RGB", (500, 375), colour).save(file, "JPEG")
    return file.getvalue()


def new_key() -> str:
    return str(uuid.uuid4())


def thing(key: str = "a", **more: Any) -> Json:
    """An object that breaks no rule."""
    return {
        "key": key,
        "class": "person",
        "box": [48, 240, 195, 371],
        "view": "Left",
        "truncated": False,
        "occluded": True,
        "unsure": False,
        "actions": ["walking"],
        "point": None,
        "parts": [{"part": "head", "box": [87, 240, 120, 280]}],
        "drawn_secs": 4.2,
    } | more


def revision(parent_id: int | None, objects: list[Json] | None = None, **more: Any) -> Json:
    """The body of a save that breaks no rule."""
    return {
        "save_key": new_key(),
        "parent_id": parent_id,
        "finish": True,
        "discard_reason": None,
        "comment": "",
        "active_secs": 31.4,
        "objects": [thing()] if objects is None else objects,
    } | more


def verdict_on(annotation_id: int, verdict: str = "accept") -> Json:
    """The body of a review that breaks no rule, for a revision of one object `a`."""
    fixed = {"objects": [thing(box=[50, 240, 195, 371])], "active_secs": 8.0}
    return {
        "save_key": new_key(),
        "annotation_id": annotation_id,
        "verdict": verdict,
        "complete": verdict != "returned",
        "comment": "The cat is missing." if verdict == "returned" else "",
        "active_secs": 12.0,
        "objects": [{"key": "a", "verdict": "accept", "comment": ""}],
        "fixed": fixed if verdict == "fixed" else None,
    }


def find_csrf_token(html: str) -> str:
    return html.partition('name="csrf_token" value="')[2].partition('"')[0]


def error_of(answer: TestResponse) -> tuple[int, str, str | None]:
    """Status, code and field of an error."""
    error = answer.get_json()["error"]
    assert error["message"].endswith("."), error
    return answer.status_code, error["code"], error.get("field")
