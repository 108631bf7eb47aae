"""A person who only opens an image changes no release and no count."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import select

from catalog.at_rest import STATE_AT_REST, count_at_rest, find_state_at_rest, rests_in
from catalog.decisions import list_wrong_states
from catalog.states import AT_REST, ImageState, Role
from catalog.stats import count_objects
from catalog.tables import Image
from collect.forecast import load_survival
from collect.query_yield import load_counts, recount_yields
from qa.counts import load_class_progress
from qa.load import load_checked_images
from tests.exporting import export_release
from work.detectors.learning import count_checked
from work.suggest.waiting import load_waiting

from .house import Browser, House, make_jpeg

NONE = {"double_share": 0.0, "discard_share": 0.0, "gold_share": 0.0, "repeat_share": 0.0}
S = ImageState


def check_three(house: House) -> Browser:
    """The browser of dora, who is to check again what ann drew and chris accepted."""
    ann = house.ann()
    chris = house.chris()
    house.set_qa(**NONE | {"repeat_share": 1.0})
    for colour in ("navy", "teal", "olive"):
        sha256 = house.party.store.put(make_jpeg(colour))
        image_id = house.add_image()
        with house.party.catalogue.writing() as session:
            session.get_one(Image, image_id).sha256 = sha256
        assert ann.save(ann.take()).status_code == 201
        assert chris.review(chris.take("check")).status_code == 201
    return house.enter(house.add_person("dora", Role.CHECKER))


def test_a_release_has_the_image_that_a_second_checker_has_open(
    any_house: House, tmp_path: Path
) -> None:
    dora = check_three(any_house)
    task = dora.take("check")
    assert any_house.state(task["image_id"]) is S.CHECKING
    plan = export_release(any_house.party, tmp_path / "a", year=2026, at=any_house.clock.at)
    assert (len(plan.images), plan.notes.forced) == (3, ())
    again = dora.take("check")  # learns nothing by the release
    assert again == task | {name: again[name] for name in ("lease", "expires_at") if name in again}
    assert dora.review(task).status_code == 201
    assert any_house.state(task["image_id"]) is S.RELEASED
    with any_house.party.catalogue.reading() as session:
        assert list(list_wrong_states(session)) == []


def test_an_image_given_back_after_a_release_is_released(any_house: House, tmp_path: Path) -> None:
    image_id = check_three(any_house).take("check")["image_id"]
    export_release(any_house.party, tmp_path / "a", year=2026, at=any_house.clock.at)
    any_house.clock.advance(3600)
    emil = any_house.enter(any_house.add_person("emil", Role.CHECKER))
    assert emil.take("check") is None
    assert any_house.state(image_id) is S.RELEASED


def count_all(house: House) -> Iterator[Any]:
    """What is counted of the party in many places."""
    recount_yields(house.party)
    yield count_checked(house.party)
    yield [image.id for image in load_waiting(house.party)]
    with house.party.catalogue.reading() as session:
        yield count_at_rest(session)
        yield count_objects(session)
        yield load_counts(session)
        yield load_survival(session)
        yield load_class_progress(session, {"car": 10}, per_hour=1.0)
        yield sorted(image.image_id for image in load_checked_images(session))
        yield session.execute(select(Image.id, STATE_AT_REST).order_by(Image.id)).all()
        for state in AT_REST:
            yield sorted(session.scalars(select(Image.id).where(rests_in([state]))))


def add_each(house: House, ann: Browser, chris: Browser) -> dict[ImageState, int]:
    """Images in four states, which nobody has open."""
    image_ids = {}
    for state in (S.DISCARDED, S.ANNOTATED, S.RELEASED):
        image_ids[state] = house.add_image()
        is_discard = state is S.DISCARDED
        more = {"discard_reason": "collage"} if is_discard else {}
        assert ann.save(ann.take(), [] if is_discard else None, **more).status_code == 201
    checked = chris.take("check", image_id=image_ids[S.RELEASED])
    assert chris.review(checked).status_code == 201
    house.release(image_ids[S.RELEASED])
    return image_ids | {S.POOL: house.add_image()}


def test_counts_are_the_same_while_images_are_open(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    bob = any_house.enter(any_house.add_person("bob", Role.ORGANISER))
    any_house.set_qa(**NONE)
    image_ids = add_each(any_house, ann, chris)
    before = list(count_all(any_house))
    assert ann.take()["image_id"] == image_ids[S.POOL]
    chris.take("check", image_id=image_ids[S.ANNOTATED])
    bob.take(image_id=image_ids[S.DISCARDED])
    correction = olga.take(image_id=image_ids[S.RELEASED])
    held = {any_house.state(image_id) for image_id in image_ids.values()}
    assert held == {S.ANNOTATING, S.CHECKING}
    assert list(count_all(any_house)) == before
    assert olga.save(correction, finish=False).status_code == 201
    with any_house.party.catalogue.reading() as session:
        image = session.get_one(Image, image_ids[S.RELEASED])
        assert find_state_at_rest(session, image) is S.RETURNED
