"""A served challenge for the tests: teams, an organiser, a clock that stands still, browsers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from challenge import organisers
from challenge.folder import Challenge
from challenge.pages.app import create_app
from challenge.values import MethodFields
from tests.challenge.contests import FIELDS, OPEN, TRAINING, join

API = "/api/v1"
METAS = re.compile(r'<meta name="(csrf-token|opened-for)" content="([^"]*)"')


@dataclass
class Browser:
    """The browser of a team, an organiser or a stranger; forms carry what the page gave them."""

    http: FlaskClient

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.http.get(path, **more)

    def find_seals(self) -> tuple[str, str]:
        """The CSRF token of the session, and for whom its pages are opened."""
        page = self.get("/team")
        if page.status_code == 403:
            page = self.get("/organise")
        metas = dict(
            re.findall(r'<meta name="(csrf-token|opened-for)" content="([^"]*)"', page.text)
        )
        return metas.get("csrf-token", ""), unescape(metas.get("opened-for", ""))

    def submit(self, path: str, **fields: str) -> TestResponse:
        """The answer to a form."""
        token, opened_for = self.find_seals()
        return self.http.post(path, data={"csrf_token": token, "opened_for": opened_for} | fields)

    def post(self, path: str, **fields: Any) -> TestResponse:
        """The answer to a call of a script."""
        token, opened_for = self.find_seals()
        body = {"opened_for": json.loads(opened_for or "{}")} | fields
        return self.http.post(API + path, json=body, headers={"X-CSRFToken": token})

    def send_piece(self, number: int, offset: int, data: bytes) -> TestResponse:
        token, opened_for = self.find_seals()
        headers = {"X-CSRFToken": token, "X-Opened-For": opened_for}
        path = f"{API}/submissions/{number}/pieces?offset={offset}"
        return self.http.post(path, data=data, headers=headers)


@dataclass
class House:
    """A served challenge."""

    challenge: Challenge
    at: datetime = OPEN
    app: Flask = field(init=False)

    def __post_init__(self) -> None:
        self.app = create_app(self.challenge, now=lambda: self.at)

    def stranger(self) -> Browser:
        return Browser(self.app.test_client())

    def enter(self, token: str) -> Browser:
        browser = self.stranger()
        page = browser.get(f"/enter/{token}")
        match = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
        assert match, page.text
        answer = browser.http.post(f"/enter/{token}", data={"csrf_token": match[1]})
        assert answer.status_code == 303, answer.text
        return browser

    def team(self, name: str = "ann", fields: MethodFields = FIELDS) -> tuple[Browser, int, int]:
        """The browser of a new team, the team's number, and that of its method."""
        team_id, method_id = join(self.challenge, name, fields)
        return self.enter(f"token of {name}"), team_id, method_id

    def organiser(self, name: str = "olga") -> Browser:
        with self.challenge.catalogue.writing() as session:
            organisers.add(session, name, token=f"token of {name}", now=TRAINING)
        return self.enter(f"token of {name}")
