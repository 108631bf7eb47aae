from __future__ import annotations

from simulate.flickr.criteria import Criteria, Paging
from simulate.flickr.invent import FIRST_COPY_ID
from simulate.flickr.search import search

from .making import make_library, make_photo


def test_a_hundred_thousand_copies_are_found_like_photos() -> None:
    photos = [make_photo(number, title=f"cat {number}") for number in range(1, 26)]
    library = make_library(photos, copies=4000, seed=7)
    page = search(library, Criteria(words=("cat", "3")), Paging(1, 500))
    assert len(library) == 100_025
    assert page.total == 4001
    shown = [library.photo_at(position) for position in page.positions]
    assert {photo.title for photo in shown} == {"cat 3"}
    assert len({photo.id for photo in shown}) == 500
    assert len({photo.owner.nsid for photo in shown}) > 5
    assert all(library.find(photo.id) == photo for photo in shown[:20])


def test_the_records_stand_in_the_order_of_their_uploads() -> None:
    library = make_library([make_photo(number) for number in (3, 1, 2)], copies=50)
    uploads = [library.photo_at(position).uploaded_secs for position in range(len(library))]
    assert uploads == sorted(uploads)


def test_the_same_seed_gives_the_same_copies_and_another_seed_others() -> None:
    first, again, other = (
        make_library([make_photo(1)], copies=20, seed=seed).find(FIRST_COPY_ID)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first is not None
    assert other is not None
    assert first.uploaded_secs != other.uploaded_secs


def test_an_unknown_id_is_not_found() -> None:
    library = make_library([make_photo(5)])
    assert library.find(1) is None
    assert library.find(10**17) is None
