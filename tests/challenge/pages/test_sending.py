"""Sending results: by the page in pieces, by a program at once; verdict, confirming, cancelling."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import pytest

from challenge import quota
from challenge.folder import Challenge
from challenge.tables import Submission
from challenge.values import State
from tests.challenge.contests import AFTER, FIELDS, IDS, LATER, make_results, pack, send

from .house import API, Browser, House

ANN = {"Authorization": "Bearer token of ann"}
FAULTY = {"Main/comp3_det_test_cat.txt": f"nowhere 0.9 1 1 9 9\n{IDS[0]} 1 2\n".encode()}


def load_states(challenge: Challenge) -> list[State]:
    with challenge.catalogue.reading() as session:
        return [row.state for row in session.query(Submission).order_by(Submission.id)]


def list_uploads(challenge: Challenge) -> list[Path]:
    return sorted((challenge.folder / "uploads").iterdir())


def send_by_page(ann: Browser, method_id: int, data: bytes, piece_bytes: int = 300) -> int:
    begun = ann.post("/submissions", method_id=method_id, file_name="mine.tar.gz")
    assert begun.status_code == 201, begun.text
    number: int = begun.get_json()["id"]
    for offset in range(0, len(data), piece_bytes):
        answer = ann.send_piece(number, offset, data[offset : offset + piece_bytes])
        assert answer.get_json() == {"bytes": min(offset + piece_bytes, len(data))}, answer.text
    return number


def test_a_page_sends_in_pieces_goes_on_after_a_break_and_gets_the_verdict(house: House) -> None:
    ann, _, method_id = house.team()
    data = pack(make_results())
    number = ann.post("/submissions", method_id=method_id, file_name="a.tgz").get_json()["id"]
    assert ann.send_piece(number, 0, data[:500]).get_json() == {"bytes": 500}
    again = ann.send_piece(number, 0, data[:500])
    assert (again.status_code, again.get_json()["error"]["code"]) == (409, "stale")
    assert ann.get(f"{API}/submissions/{number}").get_json()["bytes"] == 500
    assert ann.send_piece(number, 500, data[500:]).get_json() == {"bytes": len(data)}
    checked = ann.post(f"/submissions/{number}/check").get_json()
    assert checked["can_be_scored"]
    assert checked["page"].endswith(f"/submissions/{number}")
    page = ann.get(f"/submissions/{number}").text
    assert "It can be scored: comp1, comp3, comp5" in page
    assert load_states(house.challenge) == [State.CHECKED]


def test_the_page_has_each_fault_with_its_file_and_line(house: House) -> None:
    ann, _, method_id = house.team()
    number = send_by_page(ann, method_id, pack(make_results() | FAULTY))
    assert not ann.post(f"/submissions/{number}/check").get_json()["can_be_scored"]
    page = ann.get(f"/submissions/{number}").text
    assert '<code>Main/comp3_det_test_cat.txt</code></td><td class="number">2</td>' in page
    assert "expected an image of the set test, got &#39;nowhere&#39;" in page
    assert "Confirm and score" not in page
    assert ann.get("/team").text.count("refused by its format") == 1


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_curl_sends_a_file_at_once_and_learns_how_to_confirm(house: House, method: str) -> None:
    house.team()
    http = house.stranger().http
    sent = http.open(
        f"{API}/upload?method=prior",
        method=method,
        data=pack(make_results()),
        headers=ANN | {"Content-Type": "application/x-www-form-urlencoded"},
    )
    verdict = sent.get_json()
    assert (sent.status_code, verdict["can_be_scored"]) == (200, True)
    path = verdict["confirm"].removeprefix("http://localhost")
    assert http.post(path, headers=ANN).get_json()["state"] == "queued"
    assert load_states(house.challenge) == [State.QUEUED]


def test_curl_learns_what_the_method_has_to_say_before_it_is_confirmed(house: House) -> None:
    house.team(fields=replace(FIELDS, mask_source=None))
    http = house.stranger().http
    sent = http.post(f"{API}/upload?method=prior", data=pack(make_results()), headers=ANN)
    verdict = sent.get_json()
    assert (sent.status_code, verdict["can_be_scored"]) == (200, True)
    assert "comp5 asks whether" in verdict["mismatch"]
    assert "confirm" not in verdict


def test_curl_gets_the_whole_verdict_on_what_cannot_be_scored(house: House) -> None:
    house.team()
    path = f"{API}/upload?method=prior"
    http = house.stranger().http
    sent = http.post(path, data=pack(make_results() | FAULTY), headers=ANN)
    assert sent.status_code == 422
    assert [problem["line"] for problem in sent.get_json()["problems"]] == [2, 1]
    broken = http.post(path, data=pack(make_results())[:500], headers=ANN)
    assert (broken.status_code, broken.get_json()["can_be_scored"]) == (422, False)


def test_an_upload_needs_a_link_a_method_and_a_size_that_is_allowed(house: House) -> None:
    house.team()
    http = house.stranger().http
    path = f"{API}/upload?method=prior"
    for word, said in (
        ("", "sends the header Authorization: Bearer TOKEN"),
        ("Basic YTpi", "sends the header Authorization: Bearer TOKEN"),
        ("Bearer ", "sends the header Authorization: Bearer TOKEN"),
        ("Bearer guess", "This link is not known"),
    ):
        refused = http.post(path, data=b"x", headers={"Authorization": word} if word else {})
        assert (refused.status_code, said in refused.get_json()["error"]["message"]) == (401, True)
    answer = http.post(f"{API}/upload?method=other", data=b"x", headers=ANN)
    assert "Yours: prior." in answer.get_json()["error"]["message"]
    settings = house.challenge.settings
    limits = replace(settings.limits, upload_bytes=2000)
    small = House(replace(house.challenge, settings=replace(settings, limits=limits)))
    large = small.stranger().http.post(path, data=b"x" * 2001, headers=ANN)
    message = "The file has 2,001 bytes; this challenge takes at most 2,000."
    assert large.get_json()["error"]["message"] == message
    assert list_uploads(house.challenge) == []


def test_the_whole_link_serves_as_key_and_the_only_method_needs_no_name(house: House) -> None:
    house.team()
    http = house.stranger().http
    key = {"Authorization": "Bearer https://challenge.example.org/enter/token of ann"}
    sent = http.post(f"{API}/upload", data=pack(make_results()), headers=key)
    assert sent.status_code == 200
    number = sent.get_json()["id"]
    assert http.post(f"{API}/submissions/{number}/cancel", headers=key).status_code == 200
    for what in ("confirm", "check"):
        answer = http.post(f"{API}/submissions/{number}/{what}", headers=key)
        assert "was cancelled; send the file again" in answer.get_json()["error"]["message"]
    wrong = http.post(f"{API}/upload?method=Prior", data=b"x", headers=key)
    assert "got 'Prior'. Yours: prior." in wrong.get_json()["error"]["message"]


def test_what_is_not_the_archive_itself_is_refused_with_what_to_send(house: House) -> None:
    house.team()
    http = house.stranger().http
    path = f"{API}/upload?method=prior"
    form = {"file": (io.BytesIO(pack(make_results())), "results.tar.gz")}
    answer = http.post(path, data=form, headers=ANN)
    assert (answer.status_code, load_states(house.challenge)) == (422, [])
    assert "--data-binary @FILE" in answer.get_json()["error"]["message"]
    for data, words in (
        (b"", "results.tar.gz is empty; nothing arrived of it."),
        (b"BZh91AY", "pack the folder of results as one of these"),
        (gzip.compress(b"PK\x03\x04" + b"x" * 600), "unpack it once with gunzip"),
    ):
        assert words in http.post(path, data=data, headers=ANN).get_json()["reason"]


def test_results_of_another_set_are_told_without_an_option_that_no_upload_has(
    house: House,
) -> None:
    house.team()
    files = {name.replace("_test_", "_val_"): data for name, data in make_results().items()}
    http = house.stranger().http
    answer = http.post(f"{API}/upload?method=prior", data=pack(files), headers=ANN)
    assert answer.get_json()["reason"].endswith("There are files of val.")


def test_no_submission_is_taken_out_of_its_phases(house: House) -> None:
    house.team()
    house.at = AFTER
    answer = house.stranger().http.post(f"{API}/upload?method=prior", data=b"x", headers=ANN)
    assert answer.status_code == 403
    assert "they open at 2026-10-12 00:00 UTC" in answer.get_json()["error"]["message"]
    assert 'id="send"' not in house.enter("token of ann").get("/team").text


def test_the_pages_say_until_when_results_can_be_confirmed(house: House) -> None:
    ann, _, method_id = house.team()
    number = send_by_page(ann, method_id, pack(make_results()))
    ann.post(f"/submissions/{number}/check")
    assert "until 2026-09-30 00:00 UTC; what you confirm before counts" in ann.get("/team").text
    page = ann.get(f"/submissions/{number}").text
    assert "Confirm it before 2026-09-30 00:00 UTC, when submissions close." in page
    house.at = LATER
    assert "what you confirm before" not in ann.get("/team").text


def test_confirming_takes_quota_which_cancelling_gives_back(house: House) -> None:
    ann, _, method_id = house.team()
    number = send_by_page(ann, method_id, pack(make_results()))
    ann.post(f"/submissions/{number}/check")
    assert "<td>1 of 1</td>" in ann.get("/team").text
    answer = ann.submit(f"/submissions/{number}/confirm")
    assert answer.headers["Location"] == f"/submissions/{number}"
    assert "place 1 in the queue" in ann.get(f"/submissions/{number}").text
    assert "<td>0 of 1</td>" in ann.get("/team").text
    assert ann.submit(f"/submissions/{number}/cancel").status_code == 303
    assert "<td>1 of 1</td>" in ann.get("/team").text
    assert list_uploads(house.challenge) == []


def test_the_rolling_server_says_how_many_results_are_left_and_until_when(house: House) -> None:
    house.at = LATER
    ann, *_ = house.team()
    assert "2 of 2 results left this week; renewed 2026-10-19 00:00 UTC" in ann.get("/team").text


def test_nobody_reaches_the_submission_of_another_team(house: House) -> None:
    ann, _, method_id = house.team()
    number = send_by_page(ann, method_id, pack(make_results()))
    ben, _, method_of_ben = house.team("ben")
    for path in ("/submissions/{}", API + "/submissions/{}"):
        theirs = ben.get(path.format(number))
        none = ben.get(path.format(999))
        assert (theirs.status_code, none.status_code) == (404, 404)
        assert theirs.text.replace(f"submission {number}", "submission 999") == none.text
    assert ben.send_piece(number, 0, b"x").status_code == 404
    assert ben.post(f"/submissions/{number}/check").status_code == 404
    assert ben.post("/submissions", method_id=method_id, file_name="a").status_code == 404
    assert ben.get(f"/methods/{method_id}").status_code == 404
    assert ben.submit(f"/methods/{method_id}", name="x").status_code == 404
    assert method_of_ben != method_id


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"method_id": "1"}', b'{"method_id": 1, "file_name": 2}']
)
def test_a_malformed_call_is_refused_in_words(house: House, body: bytes) -> None:
    ann, *_ = house.team()
    token, _ = ann.find_seals()
    answer = ann.http.post(f"{API}/submissions", data=body, headers={"X-CSRFToken": token})
    assert answer.status_code in (400, 422)
    assert answer.get_json()["error"]["message"]


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
def test_a_number_that_no_row_can_have_is_not_there(house: House, number: int) -> None:
    ann, *_ = house.team()
    for path in (
        f"/submissions/{number}",
        f"{API}/submissions/{number}",
        f"/methods/{number}",
        f"/board/comp3?edition={number}",
        f"/board/comp3.json?edition={number}",
    ):
        assert ann.get(path).status_code == 404, path
    assert ann.submit(f"/submissions/{number}/confirm").status_code == 404
    assert ann.post("/submissions", method_id=number, file_name="a").status_code == 400


def test_a_used_up_quota_says_when_to_come_again(house: House) -> None:
    ann, team_id, method_id = house.team()
    waiting = [send(house.challenge, (team_id, method_id), now=LATER)[0] for _ in range(3)]
    house.at = LATER
    answers = [ann.post(f"/submissions/{number}/confirm") for number in waiting]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    until_monday = quota.find_next_week(LATER) - LATER
    assert int(answers[-1].headers["Retry-After"]) == until_monday.total_seconds()
