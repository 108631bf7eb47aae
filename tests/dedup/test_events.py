from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from sqlalchemy import select

from catalog.party import Party
from catalog.tables import Duplicate
from catalog.tables import Image as ImageRow
from dedup.constants import MOST_NEIGHBOURS
from dedup.events import Shot, find_near_shots, parse_taken_at
from tests.rows import load_rows

from .images import add_file, add_hashed, add_photo, load_duplicates, load_states, run
from .photographs import jpeg, originals, resize

Edit = Callable[[Image.Image], Image.Image]

NOON = datetime(2012, 6, 1, 12)  # noqa: DTZ001  a camera's clock has no zone
UPLOAD = datetime(2012, 6, 3, tzinfo=UTC)


def shot(
    image_id: int, secs: float | None, owner: str = "ann", upload: datetime | None = None
) -> Shot:
    taken_at = None if secs is None else NOON + timedelta(seconds=secs)
    return Shot(image_id, owner, taken_at, upload)


def pairs(shots: list[Shot], new: set[int], gap_secs: float = 60) -> set[tuple[int, int]]:
    """The pairs of all owners; each owner is searched separately, as the catalogue gives them."""
    return {
        (near.first_id, near.second_id)
        for owner in {shot.owner for shot in shots}
        for near in find_near_shots([shot for shot in shots if shot.owner == owner], new, gap_secs)
    }


def test_shots_of_one_owner_close_in_time_are_paired() -> None:
    shots = [shot(1, 0), shot(2, 60), shot(3, 61), shot(4, 30, owner="bob")]
    assert pairs(shots, {1, 2, 3, 4}) == {(1, 2), (2, 3)}


def test_pairs_without_a_new_image_are_not_returned() -> None:
    shots = [shot(1, 0), shot(2, 1), shot(3, 2)]
    assert pairs(shots, {3}) == {(1, 3), (2, 3)}


def test_of_several_photos_of_an_image_the_nearest_comes_last() -> None:
    *_, last = find_near_shots([shot(1, 0), shot(1, 50), shot(2, 60)], {1, 2}, 100)
    assert last.gap_secs == 10


def test_the_date_taken_decides_where_both_shots_have_one() -> None:
    uploaded_together = [shot(1, 0, upload=UPLOAD), shot(2, 86_400, upload=UPLOAD)]
    assert pairs(uploaded_together, {1, 2}) == set()
    without_times = [shot(1, None, upload=UPLOAD), shot(2, None, upload=UPLOAD)]
    [near] = find_near_shots(without_times, {1, 2}, 60)
    assert near.is_by_upload


def test_shots_near_by_upload_time_only_need_more_similarity() -> None:
    [taken] = find_near_shots([shot(1, 0), shot(2, 61)], {1, 2}, 100)
    uploads = [shot(1, 0, upload=UPLOAD), shot(2, None, upload=UPLOAD)]
    [uploaded] = find_near_shots(uploads, {1, 2}, 100)
    assert (taken.is_by_upload, uploaded.is_by_upload) == (False, True)
    assert uploaded.min_similarity > taken.min_similarity
    assert (taken.doubt(1.0), uploaded.doubt(1.0)) == (0.0, 0.5)
    assert taken.doubt(taken.min_similarity) == uploaded.doubt(uploaded.min_similarity) == 1.0


def test_a_thousand_shots_of_one_second_give_a_limited_number_of_pairs() -> None:
    shots = [shot(number, 0) for number in range(1000)]
    assert len(pairs(shots, set(range(1000)))) <= 1000 * MOST_NEIGHBOURS


@given(st.lists(st.tuples(st.integers(0, 300), st.sampled_from("ab")), max_size=30))
def test_exactly_the_shots_within_the_gap_are_paired(drawn: list[tuple[int, str]]) -> None:
    shots = [shot(number, secs, owner) for number, (secs, owner) in enumerate(drawn)]
    expected = {
        (first, other)
        for first in range(len(drawn))
        for other in range(first + 1, len(drawn))
        if drawn[first][1] == drawn[other][1] and abs(drawn[first][0] - drawn[other][0]) <= 60
    }
    assert pairs(shots, set(range(len(drawn)))) == expected


@pytest.mark.parametrize(
    ("text", "is_unknown", "expected"),
    [
        ("2012-06-01 12:00:00", False, NOON),
        ("2012:06:01 12:00:00", False, NOON),
        ("2012-06-01T12:00:00", False, NOON),
        ("2012-06-01 12:00:00", True, None),
        ("2012-06-00 00:00:00", False, None),
        ("circa 1900", False, None),
        (None, False, None),
    ],
)
def test_only_a_date_taken_to_the_second_is_used(
    text: str | None, is_unknown: bool, expected: datetime | None
) -> None:
    assert parse_taken_at(text, is_unknown=is_unknown) == expected


def shift(image: Image.Image, share: float) -> Image.Image:
    """What the camera sees a moment later, a little to the right and nearer."""
    left = round(image.width * share)
    return image.crop((left, left // 2, image.width, image.height - left // 3))


def disturb(image: Image.Image) -> Image.Image:
    """The same scene with so much changed that its details no longer agree."""
    return blend(image, 0.68)


def blend(image: Image.Image, share: float) -> Image.Image:
    return Image.blend(image, originals()["chelsea"].resize(image.size), share)


def add_shot(party: Party, image: Image.Image, owner: str, taken: str) -> int:
    image_id = add_file(party, jpeg(image), size_wh=image.size)
    add_photo(party, image_id, owner_id=owner, taken_at_text=taken)
    return image_id


@pytest.mark.parametrize("is_later", [False, True])
@pytest.mark.parametrize(
    ("change", "owner", "second", "relation"),
    [
        (lambda image: shift(image, 0.06), "ann", "02", "same_event"),  # a burst
        (lambda image: shift(image, 0.06), "bob", "02", "duplicate"),
        (lambda image: resize(image, 0.5), "ann", "00", "duplicate"),  # uploaded twice
    ],
)
def test_two_shots_of_one_scene_are_linked_by_owner_and_time(
    any_party: Party, change: Edit, owner: str, second: str, relation: str, is_later: bool
) -> None:
    """They arrive together or in two runs."""
    scene = originals()["coffee"]
    first = add_shot(any_party, scene, "ann", "2012-06-01 12:00:00")
    if is_later:
        run(any_party)
    other = add_shot(any_party, change(scene), owner, f"2012-06-01 12:00:{second}")
    run(any_party)
    duplicates = {kind: load_duplicates(any_party, kind) for kind in ("same_event", "duplicate")}
    assert duplicates == {"same_event": {}, "duplicate": {}} | {relation: {other: first}}
    state = "pool" if relation == "same_event" else "duplicate"
    assert load_states(any_party) == {first: "pool", other: state}


def test_different_scenes_taken_in_one_minute_are_not_linked(party: Party) -> None:
    for number, name in enumerate(("coffee", "chelsea", "rocket", "astronaut")):
        add_shot(party, originals()[name], "ann", f"2012-06-01 12:00:{number:02}")
    run(party)
    assert load_duplicates(party, "same_event") == {}


def test_shots_only_uploaded_together_are_linked_if_very_similar(party: Party) -> None:
    scene = originals()["coffee"]
    pictures = (scene, blend(scene, 0.65), disturb(scene))
    files = (
        jpeg(picture, quality) for picture, quality in zip(pictures, (92, 92, 80), strict=True)
    )
    first, alike, less = (add_file(party, file, size_wh=scene.size) for file in files)
    for image_id, owner in ((first, "ann"), (alike, "ann"), (first, "bob"), (less, "bob")):
        add_photo(party, image_id, owner_id=owner, uploaded_at=UPLOAD)
    run(party)
    row = load_row(party)
    assert (row.image_id, row.kept_image_id) == (alike, first)
    assert row.decided_how == "owner, time of upload and likeness"
    assert row.doubt is not None
    assert 0.5 <= row.doubt <= 1


def load_row(party: Party) -> Duplicate:
    [row] = load_rows(party, select(Duplicate).where(Duplicate.relation == "same_event"))
    return row


def test_the_row_of_an_event_records_time_gap_and_similarity(any_party: Party) -> None:
    scene = originals()["coffee"]
    add_shot(any_party, scene, "ann", "2012-06-01 12:00:00")
    add_shot(any_party, disturb(scene), "ann", "2012-06-01 12:00:12")
    run(any_party)
    row = load_row(any_party)
    assert row.evidence is not None
    assert row.evidence["gap_secs"] == 12
    assert row.similarity == row.evidence["scene_similarity"]
    assert 0.38 < row.evidence["scene_similarity"] <= 1
    assert row.distance_64_bits is not None
    assert row.decided_how == "owner, time and likeness"


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_removed_shot_links_its_event_to_the_kept_image(any_party: Party, is_plain: bool) -> None:
    """Bob has a larger, perhaps plainer copy of a shot of ann's burst; the next comes later."""
    scene = originals()["coffee"]
    bobs = add_shot(any_party, scene, "bob", "2015-01-01 00:00:00")
    anns = add_shot(any_party, resize(scene, 0.5), "ann", "2012-06-01 12:00:00")
    run(any_party)
    with any_party.catalogue.writing() as session:
        session.get_one(ImageRow, bobs).quality = 0.5 if is_plain else 90
    next_one = add_shot(any_party, disturb(scene), "ann", "2012-06-01 12:00:02")
    run(any_party)
    assert load_duplicates(any_party) == {anns: bobs}
    assert load_duplicates(any_party, "same_event") == {next_one: bobs}


def test_duplicates_of_one_owner_are_not_linked_as_an_event_too(party: Party) -> None:
    """There are more of them than are compared with each other."""
    kept = add_hashed(party, 7, size_wh=(900, 600))
    copies = [add_hashed(party, 7) for _ in range(40)]
    for image_id in (kept, *copies):
        add_photo(party, image_id, owner_id="ann", uploaded_at=UPLOAD)
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, kept)
    assert load_duplicates(party, "same_event") == {}
