"""New images are matched against all earlier ones, and no earlier work is repeated."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Duplicate, Image, Signature
from dedup.decisions import COUNTED, DISPLACEABLE
from dedup.executors import Advance
from dedup.jobs import DedupSummary, remove_duplicates
from tests.rows import load_rows

from .images import (
    NOON,
    add_file,
    add_hashed,
    add_photo,
    load_duplicates,
    load_states,
    set_state,
)
from .photographs import crop_sides, jpeg, originals, resize

LATER = NOON + timedelta(days=1)
FIXED = [state for state in COUNTED if state not in DISPLACEABLE]


class Watcher:
    """Counts what is done under each label."""

    def __init__(self) -> None:
        self.done: dict[str, int] = {}

    @contextmanager
    def __call__(self, label: str, total: int, unit: str) -> Iterator[Advance]:
        self.done.setdefault(label, 0)

        def advance(count: int) -> None:
            self.done[label] += count

        yield advance


def load_decisions(party: Party) -> list[tuple[object, ...]]:
    """All columns of all decisions."""
    columns = list(Duplicate.__table__.columns)
    with party.catalogue.reading() as session:
        return [tuple(row) for row in session.execute(select(*columns).order_by(Duplicate.id))]


def load_signatures(party: Party) -> dict[int, bytes]:
    with party.catalogue.reading() as session:
        rows = session.execute(select(Signature.image_id, Signature.views))
        return {image_id: views for image_id, views in rows}  # noqa: C416


def add_earlier_images(party: Party) -> dict[str, int]:
    """Four photographs with a copy each, and a shot of the same event as the first."""
    ids = {}
    for name in ("coffee", "chelsea", "rocket", "china"):
        ids[name] = add_file(party, jpeg(originals()[name]), size_wh=(500, 400))
        add_file(party, jpeg(resize(originals()[name], 0.6)), size_wh=(300, 240))
    shot = add_file(party, jpeg(crop_sides(originals()["coffee"], 0.08)), size_wh=(460, 370))
    for image_id, second in ((ids["coffee"], 1), (shot, 4)):
        taken = f"2012-06-01 12:00:0{second}"
        add_photo(party, image_id, owner_id="ann", taken_at_text=taken)
    return ids


def remove_files(party: Party) -> None:
    """Delete the files of all images, so that reading an old one fails."""
    digests = load_rows(party, select(Image.sha256))
    for sha256 in digests:
        path = party.store.local_path(sha256)
        assert path is not None
        path.unlink()


@pytest.mark.slow
def test_a_new_image_is_matched_without_rehashing_the_old_ones(any_party: Party) -> None:
    ids = add_earlier_images(any_party)
    first = Watcher()
    remove_duplicates(any_party, workers=1, watch=first)
    assert first.done["Hashing"] == 9
    assert first.done["Verifying"] >= 5
    before = load_decisions(any_party)
    signatures = load_signatures(any_party)
    remove_files(any_party)
    new = add_file(any_party, jpeg(crop_sides(originals()["rocket"], 0.05)))
    second = Watcher()
    done = remove_duplicates(any_party, workers=1, clock=lambda: LATER, watch=second)
    assert done == DedupSummary(hashed=1, duplicates=1)
    assert second.done == {"Hashing": 1, "Verifying": 1, "Deciding": 1}
    assert load_duplicates(any_party)[new] == ids["rocket"]
    assert load_decisions(any_party)[:-1] == before
    after = load_signatures(any_party)
    assert {image_id: after[image_id] for image_id in signatures} == signatures


@pytest.mark.parametrize("state", FIXED)
def test_a_better_copy_never_replaces_an_image_in_use(party: Party, state: ImageState) -> None:
    old = add_hashed(party, 0, size_wh=(200, 150), state=state)
    add_photo(party, old, uploaded_at=LATER, licence_url="https://example.org/all-rights-reserved")
    new = add_hashed(party, 0, size_wh=(4000, 3000))
    public = "https://creativecommons.org/publicdomain/zero/1.0/"
    add_photo(party, new, uploaded_at=NOON - timedelta(days=900), licence_url=public)
    assert remove_duplicates(party, workers=1) == DedupSummary(duplicates=1)
    assert load_duplicates(party) == {new: old}
    assert load_states(party)[old] == state


def test_images_that_came_in_annotated_are_compared_with_one_another(party: Party) -> None:
    """As imported labels bring them; both stay, and a release keeps them in one set."""
    rocket = originals()["rocket"]
    first_id, second_id = (
        add_file(party, data) for data in (jpeg(rocket), jpeg(crop_sides(rocket, 0.12)))
    )
    for image_id in (first_id, second_id):
        set_state(party, image_id, ImageState.ANNOTATED)
    done = remove_duplicates(party, clock=lambda: NOON)
    assert (done.hashed, done.linked, done.duplicates) == (2, 1, 0)
    assert set(load_states(party).values()) == {"annotated"}
    assert load_duplicates(party) in ({first_id: second_id}, {second_id: first_id})
    again = remove_duplicates(party, clock=lambda: LATER)
    assert again == DedupSummary()
