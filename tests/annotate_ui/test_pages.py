"""The pages that people read."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

import annotate_ui
from annotate_ui.board import describe_ago
from catalog.states import Role

from .house import API, Clock, House


def test_the_first_page_leads_to_what_the_role_allows(house: House) -> None:
    ways = {
        Role.ANNOTATOR: {"/annotate", "/guidelines"},
        Role.CHECKER: {"/annotate", "/check", "/guidelines"},
        Role.ORGANISER: {"/annotate", "/check", "/guidelines", "/board"},
    }
    for role, paths in ways.items():
        text = house.enter(house.add_person(f"a {role}", role)).get("/").text
        for path in ("/annotate", "/check", "/guidelines", "/board"):
            assert (f'href="{path}"' in text) is (path in paths), (role, path)


@pytest.mark.parametrize("path", ["/annotate", "/check"])
def test_a_working_page_carries_the_token_and_only_our_own_files(house: House, path: str) -> None:
    page = house.chris().get(path)
    assert page.status_code == 200
    assert '<meta name="csrf-token" content="' in page.text
    linked = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert any(link.startswith("/static/app/") for link in linked)
    for link in linked:
        assert link.startswith("/")
        if link.startswith("/static/"):
            assert house.stranger().get(link).status_code == 200, link


def test_scripts_are_sent_as_scripts(house: House) -> None:
    folder = Path(annotate_ui.__file__).parent / "static"
    for script in sorted(folder.rglob("*.js")):
        answer = house.stranger().get(f"/static/{script.relative_to(folder)}")
        assert answer.mimetype in ("text/javascript", "application/javascript")


def test_the_guidelines_can_be_read_at_leisure(house: House) -> None:
    assert "<h3>dining table</h3>" in house.ann().get("/guidelines").text


def test_the_board_is_for_organisers(house: House) -> None:
    answer = house.chris().get("/board")
    assert answer.status_code == 403
    assert "Not for you" in answer.text


def test_a_page_that_does_not_exist_is_told_kindly(house: House) -> None:
    answer = house.ann().get("/nowhere")
    assert answer.status_code == 404
    assert "There is nothing here." in answer.text
    json = house.stranger().get(f"{API}/nowhere")
    assert (json.status_code, json.get_json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("secs", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7199, "1 hour ago"),
        (7200, "2 hours ago"),
        (200_000, "2 days ago"),
    ],
)
def test_how_long_ago_is_told_in_the_largest_unit(secs: int, words: str) -> None:
    at = Clock().at
    assert describe_ago(at - timedelta(seconds=secs), at) == words
