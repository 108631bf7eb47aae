"""The page of a method and a script send a file of hashes; what was found is text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from challenge import own_images
from tests.challenge.contests import IDS
from vocparty import main

from .house import API, Browser, House

HOSTILE = "<script>alert(1)<"
"""A file may be called so."""


@pytest.fixture(autouse=True)
def _compare_here(run_here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_images, "run_limited", run_here)


@pytest.fixture(scope="module")
def hashes(release: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Of one file, the same as a test image."""
    folder = tmp_path_factory.mktemp("own")
    data = (release / f"JPEGImages/{IDS[4]}.jpg").read_bytes()
    (folder / f"{HOSTILE}.jpg").write_bytes(data)
    done = CliRunner().invoke(main, ["-q", "hashes", str(folder), "--workers", "1"])
    assert done.exit_code == 0, done.output
    return done.stdout.encode()


def send(browser: Browser, method: object, data: bytes) -> Any:
    token, opened_for = browser.find_seals()
    headers = {"X-CSRFToken": token, "X-Opened-For": opened_for}
    return browser.http.post(f"{API}/hashes?method={method}", data=data, headers=headers)


def test_the_page_sends_a_file_and_says_what_was_found(house: House, hashes: bytes) -> None:
    ann, _, method_id = house.team()
    path = f"/methods/{method_id}"
    assert "vocparty hashes FOLDER" in ann.get(path).text
    assert 'id="hashes"' not in ann.get("/methods/new").text
    answer = send(ann, method_id, hashes)
    assert answer.json == {"images": 1, "page": f"http://localhost{path}"}
    assert "are being compared" in ann.get(path).text
    assert own_images.compare_next(house.challenge)
    page = ann.get(path).text
    assert "Own images that look like test images: 1 of 1." in page
    assert any(image_id in page for image_id in IDS)  # several are one file
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_the_page_sends_a_file_that_is_larger_than_any_form(house: House, hashes: bytes) -> None:
    ann, _, method_id = house.team()
    house.app.config["MAX_CONTENT_LENGTH"] = len(hashes) // 2
    assert send(ann, method_id, hashes).json["images"] == 1


def test_a_script_with_the_link_sends_it_too_and_a_bad_one_gets_a_sentence(
    house: House, hashes: bytes
) -> None:
    house.team()
    script = house.stranger()

    def post(method: str, data: bytes) -> tuple[int, Any]:
        headers = {"Authorization": "Bearer token of ann"}
        answer = script.http.post(f"{API}/hashes?method={method}", data=data, headers=headers)
        return answer.status_code, answer.json

    status, body = post("prior", hashes)
    assert (status, body["images"]) == (200, 1)
    for method, data, said in (
        ("prior", hashes[:300], "ends in the middle"),
        ("other", hashes, "Name one of your methods"),
    ):
        status, body = post(method, data)
        assert status == 422
        assert said in body["error"]["message"]


def test_without_pictures_of_the_test_set_the_page_offers_nothing(house: House) -> None:
    (house.challenge.folder / own_images.TEST_IMAGES).unlink()
    ann, _, method_id = house.team()
    assert 'id="hashes"' not in ann.get(f"/methods/{method_id}").text
