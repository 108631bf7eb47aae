"""The presence pass: thumbnails are judged, empty images are discarded, the rest are annotated."""

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Annotation, Photo, Presence, Query
from operate.words import merge_words

from .house import API, Browser, House


@pytest.fixture
def asking(party: Party) -> House:
    """A party with the pass, three images that a query for cats found, and one of no query."""
    house = House(party, presence_pass=True)
    image_ids = house.add_images(4)
    with party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="kitten")
        session.add(query)
        session.flush()
        for image_id in image_ids[:3]:
            whose = {"source": Source.FLICKR, "source_id": f"kitten-{image_id}"}
            values = {"state": PhotoState.FETCHED, "found_at": house.clock.at, "query_id": query.id}
            session.add(Photo(image_id=image_id, **whose, **values))
    return house


def list_thumbnails(browser: Browser) -> list[int]:
    images = browser.get(f"{API}/presence/classes/cat").get_json()["images"]
    return [image["image_id"] for image in images]


def say(browser: Browser, **answers: str) -> list[int]:
    sent = [{"image_id": int(key[1:]), "shows": shows} for key, shows in answers.items()]
    answer = browser.post(f"{API}/presence/classes/cat", {"answers": sent})
    assert answer.status_code == 200, answer.text
    kept: list[int] = answer.get_json()["kept"]
    return kept


def count_waiting(browser: Browser) -> int:
    classes = browser.get(f"{API}/presence/classes").get_json()["classes"]
    return int(next(item["waiting"] for item in classes if item["id"] == "cat"))


def load_state(house: House, image_id: int) -> tuple[ImageState, str | None]:
    image = house.image(image_id)
    return image.state, image.reason


def test_a_party_without_the_pass_takes_no_answers(house: House) -> None:
    ann = house.ann()
    path = f"{API}/presence/classes/cat"
    sent = {"answers": [{"image_id": house.add_image(), "shows": "none"}]}
    assert (ann.get(path).status_code, ann.post(path, sent).status_code) == (404, 404)


def test_empty_images_are_discarded_and_others_annotated_by_class(asking: House) -> None:
    ann = asking.ann()
    assert count_waiting(ann) == 3
    first, second, third = list_thumbnails(ann)
    answers = {f"i{first}": "asked", f"i{second}": "none", f"i{third}": "other"}
    assert sorted(say(ann, **answers)) == sorted([first, second, third])
    assert count_waiting(ann) == 0
    assert load_state(asking, second) == (ImageState.DISCARDED, UNWANTED_REASON)
    with asking.party.catalogue.reading() as session:
        discard = session.scalars(select(Annotation)).one()
        assert (discard.image_id, discard.person.name) == (second, "ann")
    shown = {}
    ben = asking.enter(asking.add_person("ben"))
    for _ in range(2):
        task = ben.take()
        shown[task["image_id"]] = task["shows"]
        assert ben.save(task, [], finish=True).status_code == 201
    assert shown == {first: "cat", third: None}
    assert ben.take()["shows"] is None


def test_an_image_that_two_merged_classes_found_waits_once(any_house: House) -> None:
    image_id = any_house.add_image()
    with any_house.party.catalogue.writing() as session:
        for name in ("cat", "dog"):
            query = Query(source=Source.FLICKR, class_id=name, keyword="pet")
            values = {"state": PhotoState.FETCHED, "found_at": any_house.clock.at}
            whose = {"source": Source.FLICKR, "source_id": f"{name}-{image_id}"}
            session.add(Photo(image_id=image_id, query=query, **whose, **values))
        session.flush()
        merge_words(session, any_house.party, "dog", "cat", made_by="olga", at=any_house.clock.at)
    assert count_waiting(any_house.olga()) == 1


def test_only_the_person_who_answered_can_undo_an_answer(asking: House) -> None:
    ann = asking.ann()
    first, second, third = list_thumbnails(ann)
    sent = [{"image_id": first, "shows": "asked"}, {"image_id": second, "shows": "none"}]
    said = ann.post(f"{API}/presence/classes/cat", {"answers": sent}).get_json()
    ben = asking.enter(asking.add_person("ben"))
    both = {"answer_ids": said["answer_ids"]}
    assert ben.post(f"{API}/presence/undo", both).get_json() == {"undone": 0}
    assert ann.post(f"{API}/presence/undo", both).get_json() == {"undone": 2}
    assert load_state(asking, second) == (ImageState.POOL, None)
    assert sorted(list_thumbnails(ann)) == sorted([first, second, third])


def test_a_window_takes_back_only_the_answers_that_it_gave(asking: House) -> None:
    ann = asking.ann()
    image, *_ = list_thumbnails(ann)
    path = f"{API}/presence/classes/cat"
    first = ann.post(path, {"answers": [{"image_id": image, "shows": "none"}]}).get_json()
    window = asking.window_of(ann)
    window.post(f"{API}/presence/undo", {"answer_ids": first["answer_ids"]})
    window.post(path, {"answers": [{"image_id": image, "shows": "asked"}]})
    late = ann.post(f"{API}/presence/undo", {"answer_ids": first["answer_ids"]})
    assert late.get_json() == {"undone": 0}
    assert image not in list_thumbnails(ann)


def test_images_answered_or_opened_by_others_are_not_changed(asking: House) -> None:
    ann = asking.ann()
    ben = asking.enter(asking.add_person("ben"))
    first, second, third = list_thumbnails(ann)
    say(ben, **{f"i{first}": "asked"})
    task = ben.take()
    assert task["image_id"] == first
    assert say(ann, **{f"i{first}": "none", f"i{second}": "none"}) == [second]
    assert load_state(asking, first)[0] is ImageState.ANNOTATING
    assert list_thumbnails(ann) == [third]


def test_undoing_a_person_undoes_their_answers_and_discards(asking: House) -> None:
    person = asking.add_person("zoe")
    zoe = asking.enter(person)
    olga = asking.enter(asking.add_person("olga", Role.ORGANISER))
    first, second, _ = list_thumbnails(zoe)
    say(zoe, **{f"i{first}": "asked", f"i{second}": "none"})
    with asking.party.catalogue.reading() as session:
        person_id = session.scalars(select(Presence.person_id)).first()
    assert person_id is not None
    answer = olga.undo(person_id)
    assert answer.status_code == 200, answer.text
    assert load_state(asking, second)[0] is ImageState.POOL
    assert {first, second} <= set(list_thumbnails(olga))


def test_an_unknown_class_or_answer_is_refused(asking: House) -> None:
    ann = asking.ann()
    assert ann.get(f"{API}/presence/classes/unicorn").status_code == 404
    sent = {"answers": [{"image_id": 1, "shows": "perhaps"}]}
    assert ann.post(f"{API}/presence/classes/cat", sent).status_code == 422


def test_a_party_without_the_presence_pass_does_not_show_it(house: House) -> None:
    house.add_image()
    ann = house.ann()
    assert "/presence" not in ann.get("/").text
    assert "shows" not in ann.take()
