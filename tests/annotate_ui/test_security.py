"""Security headers, and hostile text that does nothing."""

import html
import itertools
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import annotate_ui

from .house import API, House

HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(1)>'{{7*7}}"""
TEMPLATES = sorted((Path(annotate_ui.__file__).parent / "templates").glob("*.html"))


PATHS = ("/", "/board", "/guidelines", "/nowhere", f"{API}/party", f"{API}/nowhere")


def test_every_answer_has_the_strict_security_policy(house: House) -> None:
    browsers = (house.olga(), house.stranger())
    for browser, path in itertools.product(browsers, (*PATHS, "/static/site.css")):
        headers = browser.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "*" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_pages_and_json_are_not_cached(house: House) -> None:
    ann = house.ann()
    for path in ("/", "/guidelines", f"{API}/session", f"{API}/nowhere"):
        assert ann.get(path).headers["Cache-Control"] == "no-store"
    assert ann.get("/static/site.css").headers["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_inline_scripts_styles_or_foreign_urls(template: Path) -> None:
    text = template.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)
    assert not re.search(r"""(src|href|action)=["'](https?:)?//""", text)


def test_a_hostile_name_is_escaped_on_every_page(house: House) -> None:
    sam = house.enter(house.add_person(HOSTILE))
    olga = house.olga()
    evaluated = HOSTILE.replace("{{7*7}}", "49")
    board = olga.get(f"{API}/board")
    assert board.mimetype == "application/json"
    assert HOSTILE in [person["name"] for person in board.get_json()["people"]]
    for page in (sam.get("/"), olga.get("/board"), sam.get("/guidelines")):
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert evaluated not in html.unescape(page.text)
        _Checker().feed(page.text)


def test_hostile_titles_are_sent_as_json_text_and_never_as_links(house: House) -> None:
    for url in ("javascript:alert(1)", "data:text/html,x", "//evil.example", "http://[", None):
        house.add_image(title=HOSTILE, owner_name=HOSTILE, page_url=url)
    ann = house.ann()
    for _ in range(5):
        task = ann.take()
        assert task["photo"] == {"title": HOSTILE, "owner_name": HOSTILE, "page_url": None}
        ann.save(task)
    url = "https://www.flickr.com/photos/o/1"  # a page of the web is linked
    house.add_image(title="a", owner_name="o", page_url=url)
    assert ann.take()["photo"]["page_url"] == url


def test_a_bug_is_reported_without_details_and_logged_without_the_link(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.app.testing = False
    token = house.add_person("ann")
    monkeypatch.setattr("work.people.find_link_owner", lambda *_: 1 / 0)
    answer = house.stranger().get(f"/enter/{token}")
    assert answer.status_code == 500
    assert "The server failed" in answer.text
    assert "ZeroDivision" not in answer.text
    assert "signin.show_link" in caplog.text
    assert token not in caplog.text


def test_an_unreachable_catalogue_is_reported_as_unavailable(house: House) -> None:
    ann = house.ann()
    house.party.catalogue.close()
    (house.party.folder / "catalogue.db").rename(house.party.folder / "gone.db")
    (house.party.folder / "catalogue.db").mkdir()
    answer = ann.get(f"{API}/session")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "5"


class _Checker(HTMLParser):
    """Fails on what only hostile text would bring."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_ours = re.match(r"/static/\w+/(app/|forms\.js$)", dict(attrs).get("src") or "")
        assert tag != "img" or (dict(attrs).get("src") or "").startswith("/static/lessons.svg#")
        assert tag != "script" or is_ours
        assert not any(name.startswith("on") for name, _ in attrs)
