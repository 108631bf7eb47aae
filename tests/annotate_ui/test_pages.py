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


def test_the_board_shows_the_party_and_its_people(any_house: House) -> None:
    for _ in range(4):
        any_house.add_image()
    ann, chris, olga = any_house.ann(), any_house.chris(), any_house.olga()
    for _ in range(2):
        ann.save(ann.take())
    ann.save(ann.take(), [], discard_reason="collage")
    chris.review(chris.take("check"))
    any_house.clock.advance(7200)
    held = chris.take()
    page = olga.get("/board").text
    for words in ("ann", "chris", "olga", "2 hours ago", "just now", "a collage", "dining table"):
        assert words in page
    assert f"draws image {held['image_id']}" in page
    assert '<div class="tile"><b>1</b><span>checked</span></div>' in page
    assert '<div class="tile"><b>1</b><span>discarded</span></div>' in page
    assert '<th scope="row">person</th><td class="number">2</td>' in page


def test_a_lease_that_ran_out_is_not_shown_as_held(house: House) -> None:
    house.add_image()
    house.ann().take()
    olga = house.olga()
    assert "draws image" in olga.get("/board").text
    house.clock.advance(600)
    assert "draws image" not in olga.get("/board").text


def test_the_board_of_a_new_party_says_so(house: House) -> None:
    page = house.olga().get("/board").text
    assert "nothing yet" in page


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
