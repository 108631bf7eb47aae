"""Which addresses name a photograph."""

import pytest

from collect.takedown.addresses import find_flickr_id


@pytest.mark.parametrize(
    ("url", "photo_id"),
    [
        ("https://www.flickr.com/people/77", None),
        ("https://flickr.com.evil.example/photos/a/77", None),
        ("https://x.example/photos/a/77", None),
        ("https://[", None),
        ("https://live.staticflickr.com/1/2/77_ab.jpg", "77"),
        ("https://flic.kr/p/0OIl", None),
        ("https://flic.kr.evil.example/p/2k", None),
    ],
)
def test_only_flickr_addresses_give_a_photo_id(url: str, photo_id: str | None) -> None:
    assert find_flickr_id(url) == photo_id
