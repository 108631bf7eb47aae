"""Roles: which people may call a route, tested on every route."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import annotate_ui.app
from catalog.party import Party
from catalog.states import Role
from web.guard import UnguardedRouteError, find_access, refuse_unguarded

from .house import API, House, Json


def list_endpoints(views: dict[str, str]) -> set[str]:
    """MODULE.VIEW of the views of each module."""
    return {f"{module}.{name}" for module, names in views.items() for name in names.split()}


OPENED = {
    "signin": "enter join show_door show_link sign_out",
    "operation": "show_health show_readiness show_metrics",
}
OPEN = {"static", *list_endpoints(OPENED)}
ORGANISERS_ONLY = list_endpoints(
    {
        "api.board": "post_settle put_shares send_table show_agreement show_board take_lease_back",
        "api.clusters": "keep_other post_pair_label show_clusters undo_pair_label",
        "api.difficult": "post_give_back post_judgements post_take show_waiting",
        "api.findings": "put_switches",
        "api.gold": "post_end post_let_begin put_gold show_gold show_image",
        "api.guidelines": "preview_guidelines put_guidelines show_version show_versions",
        "api.lookup": "post_action post_campaign post_end show_facets show_images show_values "
        "show_versions",
        "api.people": "post_code post_code_end post_end post_link post_person post_role post_undo "
        "show_people",
        "api.presence_answers": "post_take_back show_answers",
        "api.presence_questions": "post_take_back",
        "api.questions": "post_take_back",
        "api.queue": "put_queue show_queue",
        "api.reviews": "show_disputes",
        "api.wall": "post_remark post_return show",
        "images": "send_crop",
        "pages": "board clusters difficult disputes edit_guidelines findings gold images people "
        "queue statistics wall",
        "statistics": "figure tables",
    }
)
CHECKERS_ONLY = list_endpoints(
    {
        "api.findings": "post_verdict show_findings",
        "api.pairs": "post_pair show_classes show_pairs",
        "api.reviews": "post_review",
        "api.segment_tasks": "take_to_check",
        "api.segments": "post_review",
        "api.tasks": "take_to_check",
        "images": "send_pair",
        "pages": "check pairs segment_check",
    }
)


def list_calls(app: Flask) -> Iterator[tuple[str, str, str]]:
    """(endpoint, method, a matching path) of every route."""
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<int[^>]*>", "1", rule.rule).replace("<digest>", "0" * 64)
        assert rule.methods is not None
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, method, re.sub(r"<[^>]*>", "x", path)


def call(
    http: FlaskClient, method: str, path: str, token: str = "", **body_fields: Json
) -> TestResponse:
    body = None if method == "GET" else body_fields
    return http.open(path, method=method, json=body, headers={"X-CSRFToken": token})


def test_a_route_without_a_role_is_refused(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    def add_careless_route(app: Flask) -> None:
        app.add_url_rule("/careless", view_func=lambda: "everything", endpoint="careless")

    monkeypatch.setattr(annotate_ui.app, "prepare_templates", add_careless_route)
    with pytest.raises(UnguardedRouteError, match="careless"):
        annotate_ui.app.create_app(party)
    with pytest.raises(UnguardedRouteError, match="static"):
        refuse_unguarded(Flask("plain"))


def test_only_signing_in_and_static_files_are_open(house: House) -> None:
    endpoints = set()
    for endpoint, _, _ in list_calls(house.app):
        access = find_access(house.app, endpoint)
        assert access is not None
        if access.open_because:
            endpoints.add(endpoint)
    assert endpoints == OPEN


def test_a_stranger_gets_401_from_every_other_route(house: House) -> None:
    for endpoint, method, path in list_calls(house.app):
        if endpoint not in OPEN:
            answer = call(house.app.test_client(), method, path)
            assert answer.status_code == 401, (endpoint, method)


@pytest.mark.parametrize("role", list(Role))
def test_each_role_can_call_exactly_its_routes(house: House, role: Role) -> None:
    browser = house.enter(house.add_person("sam", role))
    for endpoint, method, path in list_calls(house.app):
        if endpoint in OPEN:
            continue
        is_allowed = role is Role.ORGANISER or (
            endpoint not in ORGANISERS_ONLY
            and (role is Role.CHECKER or endpoint not in CHECKERS_ONLY)
        )
        opened_for = browser.opened_for
        answer = call(browser.http, method, path, browser.csrf_token, opened_for=opened_for)
        assert (answer.status_code != 403) is is_allowed, (endpoint, answer.text)


def test_every_change_needs_the_csrf_token(house: House) -> None:
    ann = house.olga()
    for endpoint, method, path in list_calls(house.app):
        if method != "GET":
            for token in ("", "forged", "IjEyMyI.aaaa.bbbb"):
                answer = call(ann.http, method, path, token)
                assert answer.status_code == 400, (endpoint, token)
                if path.startswith(API):
                    assert answer.get_json()["error"]["code"] == "csrf"


def test_unknown_methods_and_foreign_csrf_tokens_are_refused(house: House) -> None:
    ann = house.ann()
    image = "images/1"
    for path in (
        "tasks/annotate",
        f"{image}/revisions/1/restore",
        f"{image}/reviews",
        "leases/1/heartbeat",
    ):
        answer = ann.get(f"{API}/{path}")
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (405, "not_allowed")
        assert "POST" in answer.headers["Allow"]
    assert ann.post(f"{API}/session").status_code == 405
    assert ann.get("/sign-out").status_code == 405
    ann.csrf_token = house.chris().csrf_token
    assert ann.post(f"{API}/tasks/annotate").status_code == 400


def test_the_last_visit_is_stored_at_most_once_a_minute(house: House) -> None:
    ann = house.ann()
    entered_at = house.clock.at
    house.clock.advance(59)
    ann.take()
    assert house.person("ann").seen_at == entered_at
    house.clock.advance(1)
    answer = ann.get(f"{API}/session")
    assert "vocparty=" in answer.headers["Set-Cookie"]  # the session lives on with its use
    assert house.person("ann").seen_at == entered_at  # who only reads takes no lock
    ann.take()
    assert house.person("ann").seen_at == house.clock.at
    assert "Set-Cookie" not in ann.get(f"{API}/session").headers
