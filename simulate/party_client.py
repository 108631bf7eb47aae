"""A person's browser as far as the server can tell: a link, a cookie, a CSRF token and JSON."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests

Json = dict[str, Any]

TIMEOUT_SECS = 30.0


class RefusedError(Exception):
    """The server answered something else than was asked; `status` and `code` say what."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


@dataclass
class PartyClient:
    """One signed-in person; each method is one request of the JSON interface, `send` any other."""

    base_url: str
    http: requests.Session = field(default_factory=requests.Session)
    person: Json = field(default_factory=dict)
    opened_for: Json = field(default_factory=dict)

    def sign_in(self, link: str) -> Json:
        """The person that a personal link signs in; presses the link's button."""
        path = urlsplit(link).path
        page = self.http.get(self.base_url + path, timeout=TIMEOUT_SECS)
        _require(page)
        form = {"csrf_token": find_csrf_token(page.text)}
        url = self.base_url + path  # where it leads to is a page for people
        _require(self.http.post(url, data=form, timeout=TIMEOUT_SECS, allow_redirects=False))
        session = self.send("GET", "/api/v1/session")
        self.http.headers["X-CSRFToken"] = session["csrf_token"]
        self.person = session["person"]
        self.opened_for = {"person_id": self.person["id"], "party_id": session["party_id"]}
        return self.person

    def take(self, kind: str) -> Json | None:
        """The next image to "annotate", "check", "segment" or "check-segment", or None."""
        task: Json | None = self.send("POST", f"/api/v1/tasks/{kind}", {})["task"]
        return task

    def fetch_image(self, task: Json) -> bytes:
        """The bytes of a task's image, as the page shows them."""
        answer = self.http.get(self.base_url + task["image_url"], timeout=TIMEOUT_SECS)
        _require(answer)
        return answer.content

    def save(self, task: Json, objects: list[Json], **more: Any) -> Json:
        """The answer to a finished revision of a task's image."""
        revision = task["annotation"]
        body = {"parent_id": revision and revision["id"], "finish": True, "discard_reason": None}
        body |= {"comment": "", "active_secs": 0.0, "objects": objects}
        return self._keep(f"images/{task['image_id']}/revisions", body | more)

    def review(self, task: Json, verdict: str, **more: Any) -> Json:
        """The answer to a verdict on the revision of a checking task."""
        body = {"annotation_id": task["annotation"]["id"], "verdict": verdict, "complete": True}
        body |= {"comment": "", "active_secs": 0.0, "objects": [], "fixed": None}
        return self._keep(f"images/{task['image_id']}/reviews", body | more)

    def propose(self, task: Json, object_key: str) -> list[list[int]]:
        """The outline that the server proposes for an object."""
        path = f"/api/v1/images/{task['image_id']}/proposals"
        rings: list[list[int]] = self.send("POST", path, {"object_key": object_key})["rings"]
        return rings

    def save_drawing(self, task: Json, segments: list[Json], **more: Any) -> Json:
        """The answer to a finished drawing of the pixels of a task's objects."""
        drawing = task["segmentation"]
        body = {"parent_id": drawing and drawing["id"], "annotation_id": task["annotation"]["id"]}
        body |= {"finish": True, "segments": segments}
        return self._keep(f"images/{task['image_id']}/segmentations", body | more)

    def accept_drawing(self, task: Json, **more: Any) -> Json:
        """The answer to a verdict that accepts the drawing of a checking task."""
        path = f"segmentations/{task['segmentation']['id']}/reviews"
        return self._keep(path, {"verdict": "accept", "missing": False} | more)

    def give_back(self, task: Json) -> None:
        """Return a task's image to where it came from."""
        self.send("POST", f"/api/v1/leases/{task['lease']['id']}/give-back", {})

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def _keep(self, path: str, body: Json) -> Json:
        """The answer to what is to be stored once, however often it is sent."""
        return self.send("POST", f"/api/v1/{path}", {"save_key": str(uuid.uuid4())} | body)

    def address(self, body: Json | None) -> Json | None:
        """The body with the person and party for whom it is sent; a request that reads has none."""
        return None if body is None else {"opened_for": self.opened_for} | body

    def send(self, method: str, path: str, body: Json | None = None) -> Json:
        """The answer to one request; raises RefusedError for a refusal."""
        url = self.base_url + path
        answer = self.http.request(method, url, json=self.address(body), timeout=TIMEOUT_SECS)
        _require(answer)
        content: Json = answer.json()
        return content


def _require(answer: requests.Response) -> None:
    if answer.ok:
        return
    try:
        error = answer.json()["error"]
    except (requests.JSONDecodeError, KeyError):
        error = {"code": "unexpected", "message": answer.text[:200]}
    raise RefusedError(answer.status_code, error["code"], error["message"])


def find_csrf_token(html: str) -> str:
    """The token in a page's form; raises ValueError for a page without one."""
    match = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', html)
    if match is None:
        raise ValueError("expected a form with a csrf_token")
    return match[1]
