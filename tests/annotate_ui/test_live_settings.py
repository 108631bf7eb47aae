"""The versions of the guidelines, and the preferences of a person."""

import re
from functools import partial

import pytest

from annotate_ui.api.guidelines import render_guidelines, render_with_contents
from catalog.party import Party
from tests.rows import at_once

from .house import API, Browser, House, Json, error_of


def put_text(browser: Browser, markdown: str, base: int) -> Json:
    answer = browser.put(f"{API}/guidelines", {"base": base, "markdown": markdown})
    assert answer.status_code == 200, answer.text
    content: Json = answer.get_json()
    return content


def test_saved_guidelines_are_shown_to_everyone(any_house: House) -> None:
    olga = any_house.olga()
    ann = any_house.ann()
    saved = put_text(olga, "## Ours\n\n<b>loud</b>\x00 & clear", base=0)
    assert saved["number"] == 1
    assert "&lt;b&gt;loud&lt;/b&gt; &amp; clear" in saved["html"]
    assert ann.get(f"{API}/guidelines").get_json() == saved
    assert ann.get(f"{API}/party").get_json()["guidelines_html"] == saved["html"]
    assert "&lt;b&gt;loud" in ann.get("/guidelines").text
    any_house.add_image()
    live = ann.post(f"{API}/tasks/annotate").get_json()["live"]
    assert live["guidelines_number"] == 1


def test_the_second_of_two_editors_sees_both_texts(any_house: House) -> None:
    olga = any_house.olga()
    put_text(olga, "first", base=0)
    answer = olga.put(f"{API}/guidelines", {"base": 0, "markdown": "second"})
    assert error_of(answer) == (409, "stale", None)
    assert answer.get_json()["head"]["markdown"] == "first"
    put_text(olga, "both", base=1)
    versions = olga.get(f"{API}/guidelines/versions").get_json()["versions"]
    assert [item["number"] for item in versions] == [2, 1]
    assert versions[0]["person"]["name"] == "olga"
    assert olga.get(f"{API}/guidelines/versions/1").get_json()["markdown"] == "first"
    preset = any_house.party.preset.guidelines
    assert olga.get(f"{API}/guidelines/versions/0").get_json()["markdown"] == preset
    assert error_of(olga.get(f"{API}/guidelines/versions/9")) == (404, "not_found", None)


def test_exactly_one_of_many_concurrent_saves_succeeds(any_house: House) -> None:
    olga = any_house.olga()
    bodies = [{"base": 0, "markdown": f"text {number}"} for number in range(5)]
    puts = [partial(any_house.window_of(olga).put, f"{API}/guidelines", body) for body in bodies]
    statuses = [answer.status_code for answer in at_once(*puts)]
    assert sorted(statuses) == [200, 409, 409, 409, 409]


def test_guidelines_start_from_the_preset_and_have_a_preview(house: House) -> None:
    olga = house.olga()
    answer = olga.get(f"{API}/guidelines").get_json()
    assert (answer["number"], answer["markdown"]) == (0, house.party.preset.guidelines)
    assert "<h3>sheep</h3>" in answer["html"]
    answer = olga.post(f"{API}/guidelines/preview", {"markdown": "# T\n\n<script>x</script>"})
    assert answer.get_json()["html"].startswith("<h1>T</h1>")
    assert "<script>" not in answer.get_json()["html"]
    assert olga.get(f"{API}/guidelines").get_json()["number"] == 0
    answer = olga.put(f"{API}/guidelines", {"base": 0, "markdown": "x" * 200_001})
    assert error_of(answer) == (422, "invalid", "markdown")


def test_guidelines_of_the_preset_are_in_the_language_of_the_reader(house: House) -> None:
    german = {"Accept-Language": "de"}
    ann = house.ann()
    olga = house.olga()
    page = ann.get("/guidelines", headers=german).text
    assert "So wird annotiert" in page
    assert "<h3>Esstisch</h3>" in page
    answer = ann.get(f"{API}/guidelines", headers=german).get_json()
    assert answer["markdown"].startswith("# So wird annotiert")  # the editor's text is the page's
    put_text(olga, "Be kind.", base=0)
    assert "So wird annotiert" not in ann.get("/guidelines", headers=german).text


def put_preferences(browser: Browser, preferences: object) -> Json:
    answer = browser.put(f"{API}/me/preferences", {"preferences": preferences})
    content: Json = answer.get_json() | {"status": answer.status_code}
    return content


def test_preferences_are_personal_and_the_last_ones_hold(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    assert ann.get(f"{API}/me/preferences").get_json() == {"preferences": {}}
    for keymap in ("cvat", "labelimg"):
        put_preferences(ann, {"keymap": keymap, "draw": {"mode": "extreme", "guides": True}})
    stored = ann.get(f"{API}/me/preferences").get_json()["preferences"]
    assert stored == {"keymap": "labelimg", "draw": {"mode": "extreme", "guides": True}}
    assert chris.get(f"{API}/me/preferences").get_json() == {"preferences": {}}


def test_preferences_must_be_a_small_object(house: House) -> None:
    ann = house.ann()
    refused: tuple[object, ...] = ({"a": "x" * 4096}, {"a": "\x00"}, [], "cvat", None)
    for wrong in refused:
        assert put_preferences(ann, wrong)["status"] == 422
    assert ann.get(f"{API}/me/preferences").get_json() == {"preferences": {}}


def test_the_page_of_the_guidelines_has_a_table_of_contents(house: House) -> None:
    sections = "## **Dogs**\n\n### Tails\n\n## Cats & <b>\n\n## Cats\n"
    olga = house.olga()
    body = {"base": 0, "markdown": sections}
    assert olga.put(f"{API}/guidelines", body).status_code == 200
    text = olga.http.get("/guidelines").text
    links = re.findall(r'<a href="#(part-\d)">([^<]*)</a>', text)
    assert links == [("part-1", "Dogs"), ("part-2", "Cats &amp; &lt;b&gt;"), ("part-3", "Cats")]
    assert re.findall(r'<h2 id="(part-\d)">', text) == [name for name, _ in links]
    assert "<h2>" in olga.get(f"{API}/guidelines").get_json()["html"]


def test_guidelines_escape_html_and_align_tables_without_styles() -> None:
    html = render_guidelines("Hello <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>")
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html
    html = render_guidelines("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert "style=" not in html
    assert '<td class="align-right">2</td>' in html


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x"])
def test_a_script_link_in_guidelines_is_no_link(url: str) -> None:
    assert "<a" not in render_guidelines(f"[click]({url})")


def test_tables_that_two_threads_cannot_make_are_there_before_the_first_request(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables: list[dict[str, list[str]]] = [{}, {}]
    monkeypatch.setattr("mdurl._encode.encode_cache", tables[0])
    monkeypatch.setattr("mdurl._decode.decode_cache", tables[1])
    render_with_contents.cache_clear()
    House(party)
    at_start = [sorted(table) for table in tables]
    render_guidelines("[a](/b%20c) ![d](/e) <https://f.example/%20>")
    assert [sorted(table) for table in tables] == at_start
