"""Signs of other languages in addresses and forms: SQL, headers, and addresses of other hosts."""

from itertools import product
from urllib.parse import quote, urlsplit

import pytest
from flask import Flask
from sqlalchemy import func, select

from catalog.tables import Person
from tests.rows import load_rows
from work.lookup import FILTERS

from .house import API, House, find_csrf_token
from .test_roles import list_calls

SQL = "x' OR 1=1; DELETE FROM person; --"
LINES = "x\r\nX-Forged: yes\r\n\r\n<script>"
ELSEWHERE = "//evil.example/x"
ASKED = ("next", "back", "url", "code", "name", "image", "before", "show", "text", "id", "zone")
"""Names of values in an address that pages of this or of other programs read."""


def list_asked(app: Flask, word: str) -> set[str]:
    """Each address that is read, with the word where it takes a text, and in its query."""
    sent = quote(word, safe="")
    query = "&".join(f"{name}={sent}" for name in ASKED)
    paths = {path for _, method, path in list_calls(app) if method == "GET"}
    return {f"{path.replace('/x', f'/{sent}')}?{query}" for path in paths}


@pytest.mark.parametrize("word", [f"{SQL}{LINES}", ELSEWHERE])
def test_no_address_makes_an_error_a_header_or_a_way_to_another_host(
    house: House, word: str
) -> None:
    olga = house.olga()
    for path in sorted(list_asked(house.app, word)):
        answer = olga.get(path, headers={"X-Forwarded-Host": "evil.example"})
        assert answer.status_code < 500, path
        assert "X-Forged" not in answer.headers, path
        assert urlsplit(answer.headers.get("Location", "")).netloc in {"", "localhost"}, path
        assert "://evil.example" not in answer.text, path
    assert load_rows(house.party, select(func.count()).select_from(Person)) == [1]


def test_a_filter_takes_every_sign_as_text(any_house: House) -> None:
    any_house.add_image(title="Cats", owner_name="o")
    olga = any_house.olga()
    for name, word in product(FILTERS, (SQL, "%", "_", '"', "\\", "a" * 5000)):
        answer = olga.get(f"{API}/images", query_string={name: word})
        assert answer.status_code in {200, 422}, (name, word)
        assert not answer.get_json().get("images"), (name, word)


def test_who_signs_in_or_out_stays_on_this_host(house: House) -> None:
    token = house.add_person("ann")
    browser = house.stranger()
    wanted = dict.fromkeys(("next", "back", "url"), ELSEWHERE)
    page = browser.get(f"/enter/{token}", query_string=wanted)
    form = {"csrf_token": find_csrf_token(page.text)} | wanted
    for path in (f"/enter/{token}", "/sign-out"):
        answer = browser.http.post(path, data=form, query_string=wanted)
        assert urlsplit(answer.headers.get("Location", "/")).netloc == "", path
