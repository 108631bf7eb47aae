"""Roles: who may call each route of a challenge, tested on every route."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from tests.annotate_ui.test_roles import list_endpoints
from web.guard import find_access

from .house import Browser, House

VIEWS = {
    "boards": "show_first show_board show_curves show_history send_file show_anonymous",
    "front": "home",
    "operation": "show_health show_readiness show_metrics",
    "signin": "show_link enter sign_out",
}
OPEN = {"static", *list_endpoints(VIEWS)}
TEAMS_ONLY = list_endpoints(
    {
        "methods": "show_new add show_method edit",
        "team": "show_team show_submission confirm cancel publish withdraw anonymous end_anonymous",
        "uploads": "begin append check receive receive_hashes show_progress confirm cancel",
    }
)
ORGANISERS_ONLY = list_endpoints(
    {"organising": "show invite renew_link add_quota decide extend rescore publish_end"}
)


def list_calls(app: Flask) -> Iterator[tuple[str, str, str]]:
    """(endpoint, method, a matching path) of every route."""
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<[^>]*>", "x", re.sub(r"<int[^>]*>", "999", rule.rule))
        assert rule.methods is not None
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, method, path


def call(browser: Browser, method: str, path: str, seals: tuple[str, str]) -> int:
    token, opened_for = seals
    headers = {"X-CSRFToken": token, "X-Opened-For": opened_for}
    if method == "GET":
        return browser.get(path).status_code
    if path.startswith("/api/") and not path.endswith(("/pieces", "/upload", "/hashes")):
        body = f'{{"opened_for": {opened_for or "{}"}}}'
        headers["Content-Type"] = "application/json"
        return browser.http.open(path, method=method, data=body, headers=headers).status_code
    fields = {"opened_for": opened_for, "csrf_token": token}
    return browser.http.open(path, method=method, data=fields, headers=headers).status_code


def test_every_route_says_who_may_call_it(house: House) -> None:
    listed = {endpoint for endpoint, _, _ in list_calls(house.app)}
    assert listed == OPEN | TEAMS_ONLY | ORGANISERS_ONLY
    for endpoint in listed:
        access = find_access(house.app, endpoint)
        assert access is not None
        assert (access.open_because is not None) == (endpoint in OPEN), endpoint


def test_a_stranger_gets_401_from_every_other_route(house: House) -> None:
    for endpoint, method, path in list_calls(house.app):
        if endpoint not in OPEN:
            assert call(house.stranger(), method, path, ("", "")) == 401, (endpoint, method)


@pytest.mark.parametrize("role", ["team", "organiser"])
def test_each_role_can_call_exactly_its_routes(house: House, role: str) -> None:
    browser = house.team()[0] if role == "team" else house.organiser()
    seals = browser.find_seals()
    theirs = TEAMS_ONLY if role == "team" else ORGANISERS_ONLY
    for endpoint, method, path in list_calls(house.app):
        if endpoint not in OPEN:
            status = call(browser, method, path, seals)
            assert (status != 403) is (endpoint in theirs), (endpoint, method, status)


def test_every_change_needs_the_csrf_token_and_the_team_of_its_page(house: House) -> None:
    ann, *_ = house.team()
    token, opened_for = ann.find_seals()
    other = opened_for.replace('"person_id": 1', '"person_id": 2')
    assert other != opened_for
    for endpoint, method, path in list_calls(house.app):
        if method != "GET" and endpoint in TEAMS_ONLY:
            assert call(ann, method, path, ("forged", opened_for)) == 400, endpoint
            assert call(ann, method, path, (token, other)) == 409, endpoint
