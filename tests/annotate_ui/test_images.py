"""The photographs' bytes."""

from __future__ import annotations

from catalog.image_store import digest_of
from catalog.states import ImageState

from .house import House, make_jpeg


def test_an_image_is_sent_as_it_is_stored_and_kept_for_ever(house: House) -> None:
    _, data = house.add_file()
    answer = house.ann().get(f"/images/{digest_of(data)}.jpg")
    assert (answer.status_code, answer.data) == (200, data)
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["ETag"] == f'"{digest_of(data)}"'


def test_a_browser_that_has_it_is_told_so(house: House) -> None:
    _, data = house.add_file()
    ann = house.ann()
    path, etag = f"/images/{digest_of(data)}.jpg", f'"{digest_of(data)}"'
    answer = ann.get(path, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["Cache-Control"].startswith("private")
    assert ann.get(path, headers={"If-None-Match": '"other"'}).data == data


def test_only_images_of_the_catalogue_are_sent(house: House) -> None:
    stored = house.party.store.put(make_jpeg("red"))
    ann = house.ann()
    for digest in (stored, "0" * 64, "0" * 63, "A" * 64, "..%2f..%2fparty", "session"):
        answer = ann.get(f"/images/{digest}.jpg")
        assert answer.status_code == 404, digest
        assert answer.headers["Cache-Control"] == "no-store"


def test_an_image_that_was_taken_down_is_not_sent(house: House) -> None:
    image_id, data = house.add_file()
    house.set_state(image_id, ImageState.TAKEN_DOWN)
    answer = house.olga().get(
        f"/images/{digest_of(data)}.jpg", headers={"If-None-Match": f'"{digest_of(data)}"'}
    )
    assert answer.status_code == 404


def test_an_image_whose_file_is_missing_is_told_as_such(house: House) -> None:
    image_id = house.add_image()
    answer = house.ann().get(f"/images/{house.image(image_id).sha256}.jpg")
    assert answer.status_code == 404
    assert "file is missing" in answer.text


def test_a_stranger_sees_no_image(house: House) -> None:
    _, data = house.add_file()
    assert house.stranger().get(f"/images/{digest_of(data)}.jpg").status_code == 401
