from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from catalog.errors import ImageStoreError
from catalog.image_store import digest_of, open_image_store
from catalog.party import Party
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, Duplicate, Image, Lease, Signature
from dedup import decisions
from dedup.comparison import find_pairs
from dedup.executors import Watch, Workforce
from dedup.jobs import DedupSummary
from dedup.pairs import Pair
from dedup.signature.signature import RECIPE, hash_image
from tests.qa.rows import add_person
from tests.rows import load_rows

from .images import (
    NOON,
    add_file,
    add_hashed,
    add_row,
    load_duplicates,
    load_image,
    load_states,
    run,
    set_state,
)
from .photographs import change, jpeg, originals, resize

HALF_WH = (250, 188)


def test_photographs_are_kept_and_their_renditions_are_duplicates(any_party: Party) -> None:
    photographs = {name: originals()[name] for name in ("coffee", "chelsea", "china", "rocket")}
    kept = {}
    copies = {}
    for name, image in photographs.items():
        kept[name] = add_file(any_party, jpeg(image), size_wh=image.size)
        for rendition in ("recompressed, quality 50", "crop 5 %, middle", "warm filter"):
            data = change(image, rendition)
            copies[add_file(any_party, data, size_wh=image.size)] = kept[name]
    assert run(any_party) == DedupSummary(hashed=16, duplicates=12, pool=4)
    assert load_duplicates(any_party) == copies
    states = load_states(any_party)
    assert {states[image_id] for image_id in kept.values()} == {"pool"}
    assert {states[image_id] for image_id in copies} == {"duplicate"}


def test_the_row_of_a_decision_records_distance_and_rule(any_party: Party) -> None:
    large = add_hashed(any_party, 1, size_wh=(500, 500))
    small = add_hashed(any_party, 1, share=0.8, size_wh=HALF_WH)
    run(any_party)
    [row] = load_rows(any_party, select(Duplicate))
    assert (row.image_id, row.kept_image_id, row.relation) == (small, large, "duplicate")
    hashes = [load_image(any_party, image_id).phash_64 for image_id in (large, small)]
    assert row.distance_64_bits == (int(hashes[0] or "", 16) ^ int(hashes[1] or "", 16)).bit_count()
    assert row.similarity is not None
    assert row.similarity > 0.8
    assert row.doubt is not None
    assert 0 <= row.doubt < 0.5
    assert row.evidence is not None
    assert row.evidence["outside_first"] == pytest.approx(0.36, abs=0.04)
    assert row.evidence["covered_second"] == 1
    assert row.decided_how == "features, hashes and tiles"
    assert (row.decided_at, row.undone_at, row.person_id) == (NOON, None, None)
    assert load_image(any_party, small).reason == f"near-duplicate of image {large}"


def test_a_hashed_image_stores_its_hashes_and_their_recipe(any_party: Party) -> None:
    data = jpeg(originals()["flower"])
    image_id = add_file(any_party, data)
    run(any_party)
    image = load_image(any_party, image_id)
    expected = hash_image(data)
    assert {name: getattr(image, name) for name in expected.image} == expected.image
    assert image.hash_recipe == RECIPE
    with any_party.catalogue.reading() as session:
        signature = session.get_one(Signature, image_id)
    assert {name: getattr(signature, name) for name in expected.signature} == expected.signature
    assert image.state is ImageState.POOL


@pytest.mark.parametrize("recipe", [None, "v0"])
@pytest.mark.parametrize("content", [b"other bytes", None])
def test_an_image_with_a_missing_file_waits_until_it_is_back(
    party: Party, content: bytes | None, recipe: str | None
) -> None:
    add_file(party, jpeg(originals()["coffee"]))
    data = jpeg(originals()["rocket"])
    image_id = add_file(party, data)
    if recipe is not None:
        with party.catalogue.writing() as session:
            image = session.get_one(Image, image_id)
            image.state = ImageState.HASHED
            image.hash_recipe = recipe
    path = party.store.local_path(digest_of(data))
    assert path is not None
    path.unlink() if content is None else path.write_bytes(content)
    before = load_image(party, image_id)
    assert run(party) == DedupSummary(hashed=1, pool=1, waiting=1)
    assert (load_image(party, image_id).state, before.reason) == (before.state, None)
    path.write_bytes(data)
    assert run(party).pool == 1
    assert load_image(party, image_id).state is ImageState.POOL


def test_an_unreachable_store_stops_the_run_and_breaks_no_image(party: Party) -> None:
    image_id = add_row(party, digest_of(b"a folder, not a file"))
    folder = party.store.local_path(digest_of(b"a folder, not a file"))
    assert folder is not None
    folder.mkdir(parents=True)
    with pytest.raises(ImageStoreError, match="did not give"):
        run(party)
    assert load_states(party) == {image_id: "fetched"}


def test_flat_images_enter_the_pool_as_no_duplicates(party: Party) -> None:
    add_hashed(party, 0, quality=0.9)
    add_hashed(party, 0, quality=0.9)
    assert run(party) == DedupSummary(pool=2)
    assert load_duplicates(party) == {}


@pytest.mark.parametrize("quality", [0.9, 0.2])
def test_a_plain_image_can_be_a_copy_of_a_rich_one(any_party: Party, quality: float) -> None:
    kept_id = add_hashed(any_party, 0)
    plain_ids = [add_hashed(any_party, 0, size_wh=(600, 450), quality=quality) for _ in range(7)]
    run(any_party)
    assert load_duplicates(any_party) == dict.fromkeys(plain_ids, kept_id)


@pytest.mark.parametrize("quality", [100.0, 0.9])
def test_the_best_copy_replaces_a_taken_down_image(any_party: Party, quality: float) -> None:
    kept = add_hashed(any_party, 0)
    first, second, third = (
        add_hashed(any_party, 0, size_wh=(400 - 10 * number, 300), quality=quality)
        for number in range(3)
    )
    run(any_party)
    assert load_duplicates(any_party) == {first: kept, second: kept, third: kept}
    set_state(any_party, kept, ImageState.TAKEN_DOWN)
    assert run(any_party) == DedupSummary(duplicates=2, pool=1)
    assert load_duplicates(any_party) == {second: first, third: first}


def test_new_images_are_matched_against_all_earlier_ones(any_party: Party) -> None:
    words = "pool annotating annotated discarded checking returned checked released"
    states = [ImageState(word) for word in words.split()]
    earlier = [add_hashed(any_party, scene, state=state) for scene, state in enumerate(states)]
    new = [add_hashed(any_party, scene, size_wh=HALF_WH) for scene in range(len(states))]
    assert run(any_party) == DedupSummary(duplicates=len(states))
    assert load_duplicates(any_party) == dict(zip(new, earlier, strict=True))


@pytest.mark.parametrize("state", [ImageState.BROKEN, ImageState.TAKEN_DOWN])
def test_no_copy_is_removed_for_an_image_out_of_the_party(party: Party, state: ImageState) -> None:
    add_hashed(party, 0, state=state)
    add_hashed(party, 0)
    assert run(party) == DedupSummary(pool=1)


@pytest.mark.parametrize("kind", ["draft", "lease"])
def test_an_image_with_a_draft_or_a_lease_is_never_replaced(any_party: Party, kind: str) -> None:
    """It is in the pool; a larger copy must give way."""
    image_id = add_hashed(any_party, 0, size_wh=HALF_WH, state=ImageState.POOL)
    ids = {"image_id": image_id, "person_id": add_person(any_party)}
    moments = {"acquired_at": NOON, "heartbeat_at": NOON, "expires_at": NOON}
    lease = Lease(kind=LeaseKind.ANNOTATE, returns_to=ImageState.POOL, **ids, **moments)
    draft = Annotation(save_key="draft-01", saved_at=NOON, **ids)
    with any_party.catalogue.writing() as session:
        session.add({"draft": draft, "lease": lease}[kind])
    large = add_hashed(any_party, 0)
    run(any_party)
    assert load_duplicates(any_party) == {large: image_id}


def test_duplicates_of_a_replaced_image_are_matched_again(any_party: Party) -> None:
    """The far one is near the first kept image, but not near the larger one that came later."""
    first = add_hashed(any_party, 0, share=0.8, size_wh=(300, 300))
    far = add_hashed(any_party, 0, share=0.44, size_wh=(200, 200))
    near = add_hashed(any_party, 0, share=0.76, size_wh=(200, 200))
    run(any_party)
    assert load_duplicates(any_party) == {far: first, near: first}
    larger = add_hashed(any_party, 0, size_wh=(500, 500))
    run(any_party)
    assert load_duplicates(any_party) == {first: larger, near: larger}
    assert load_states(any_party)[far] == "pool"


def test_an_undone_decision_can_be_made_again_in_the_same_row(any_party: Party) -> None:
    first = add_hashed(any_party, 0, size_wh=(300, 300))
    copy = add_hashed(any_party, 0, size_wh=(200, 200))
    run(any_party)
    larger = add_hashed(any_party, 0, size_wh=(500, 500))
    run(any_party)
    assert load_duplicates(any_party) == {first: larger, copy: larger}
    set_state(any_party, larger, ImageState.TAKEN_DOWN)
    run(any_party)
    assert load_duplicates(any_party) == {copy: first}
    assert len(load_rows(any_party, select(Duplicate))) == 3


def test_outdated_hashes_are_recomputed_and_the_state_stays(any_party: Party) -> None:
    image = originals()["coffee"]
    earlier = add_file(any_party, jpeg(image))
    with any_party.catalogue.writing() as session:
        session.execute(
            update(Image).values(
                phash_64="0" * 16,
                phash_256="0" * 64,
                quality=1.0,
                hash_recipe="v0",
                state=ImageState.CHECKED,
            )
        )
    copy = add_file(any_party, jpeg(resize(image, 0.5)), size_wh=HALF_WH)
    run(any_party)
    assert load_image(any_party, earlier).hash_recipe == RECIPE
    assert load_image(any_party, earlier).state is ImageState.CHECKED
    assert load_duplicates(any_party) == {copy: earlier}


def test_an_outdated_hash_without_file_is_kept_but_not_compared(party: Party) -> None:
    add_file(party, jpeg(originals()["rocket"]))
    old = add_hashed(party, 5, state=ImageState.CHECKED, recipe="v0")
    add_hashed(party, 5)
    assert run(party) == DedupSummary(hashed=1, pool=2, waiting=1)
    assert load_image(party, old).state is ImageState.CHECKED
    assert load_image(party, old).hash_recipe == "v0"


def test_an_image_taken_down_during_matching_removes_no_other(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = add_hashed(party, 0, size_wh=(500, 500))
    small = add_hashed(party, 0)

    def find_while_others_write(party: Party, force: Workforce, *, watch: Watch) -> list[Pair]:
        set_state(party, large, ImageState.TAKEN_DOWN)
        return find_pairs(party, force, watch=watch)

    monkeypatch.setattr("dedup.jobs.find_pairs", find_while_others_write)
    run(party)
    assert load_states(party) == {large: "taken_down", small: "pool"}
    assert load_duplicates(party) == {}


def test_two_concurrent_runs_give_the_result_of_one(any_party: Party) -> None:
    for size in (300, 500, 100, 400, 200):
        for scene in range(8):
            add_hashed(any_party, scene, size_wh=(size, 100))
    with ThreadPoolExecutor(2) as executor:
        done = [executor.submit(run, any_party) for _ in range(2)]
        total = done[0].result() + done[1].result()
    assert total == DedupSummary(duplicates=4 * 8, pool=8)
    largest = range(9, 17)  # the second eight
    assert load_duplicates(any_party) == {
        image_id: 9 + (image_id - 1) % 8 for image_id in range(1, 41) if image_id not in largest
    }


def test_files_of_a_remote_image_store_are_hashed(party: Party) -> None:
    store = open_image_store("memory://images-of-dedup")
    far_party = replace(party, store=store)
    add_file(far_party, jpeg(originals()["rocket"]))
    assert run(far_party) == DedupSummary(hashed=1, pool=1)


def test_of_very_many_copies_only_the_best_is_kept_in_the_pool(party: Party) -> None:
    """There are more than are compared with each other; the smallest come first."""
    for number in range(60):
        add_hashed(party, 7, size_wh=(100 + number, 100))
    other = add_hashed(party, 8)
    assert run(party) == DedupSummary(duplicates=59, pool=2)
    assert set(load_duplicates(party).values()) == {60}
    assert load_states(party)[other] == "pool"


def test_of_many_crops_of_one_image_hardly_any_but_the_best_is_kept(party: Party) -> None:
    """Each round of comparisons finds one that shows a little more."""
    image = originals()["coffee"].resize((320, 214))
    random = Random(4)
    for _ in range(30):
        cut = random.uniform(0, 20), random.uniform(0, 14)
        size = round(320 * random.uniform(0.7, 1)), round(214 * random.uniform(0.7, 1))
        add_file(party, jpeg(image.resize(size, box=(*cut, 320, 214)), random.randint(60, 92)))
    assert run(party).duplicates >= 28
    assert len(set(load_duplicates(party).values())) == 1


def test_more_images_than_fit_into_one_transaction_are_decided(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "SOME", 10)
    for scene in range(23):
        add_hashed(party, scene)
    assert run(party) == DedupSummary(pool=23)


images = st.tuples(st.sampled_from([1.0, 0.8, 0.48]), st.integers(1, 4))


@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(planted=st.lists(images, min_size=1, max_size=7), cut=st.integers(0, 7))
def test_the_same_images_are_kept_whether_they_come_at_once_or_one_after_another(
    party: Party, planted: list[tuple[float, int]], cut: int
) -> None:
    kept = []
    for is_stepwise in (False, True):
        with party.catalogue.writing() as session:
            session.execute(delete(Duplicate))
            session.execute(delete(Signature))
            session.execute(delete(Image))
        for number, (share, size) in enumerate(planted):
            add_hashed(party, 0, share=share, size_wh=(size, 100))
            if is_stepwise or number == cut:
                run(party)
        run(party)
        kept.append(list(load_states(party).values()))
    assert kept[0] == kept[1]
