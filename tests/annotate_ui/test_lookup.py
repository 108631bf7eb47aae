"""Looking up images on the page and by the command, and actions on them."""

import json
from functools import partial

from catalog.decisions import list_wrong_states
from catalog.sentences import say
from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Photo, Query
from catalog.transitions import move_image
from operate.words import merge_words
from qa.work import load_discards
from tests.rows import at_once

from .house import API, Browser, House, error_of, thing

DOG = {"class": "dog", "actions": [], "parts": [], "truncated": True}


def find(browser: Browser, **filters: str) -> list[int]:
    answer = browser.get(f"{API}/images", query_string=filters)
    assert answer.status_code == 200, answer.text
    body = answer.get_json()
    assert body["total"] == len(body["images"])
    return [image["image_id"] for image in body["images"]]


def act(browser: Browser, action: str, words: str = "", **which: object) -> str:
    answer = browser.act(action, words, **which)
    assert answer.status_code == 200, answer.text
    return str(answer.get_json()["message"])


def test_each_filter_finds_its_images(any_house: House) -> None:
    checked = any_house.add_image(owner_id="7@N01", owner_name="Ada", title="A 100% good_dog")
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    ann.save(ann.take(), [thing(), thing("b", **DOG)], comment="see the tail")
    chris.review(chris.take("check"), objects=[])
    discarded = any_house.add_image()
    ann.save(ann.take(), [], discard_reason="poor_quality")
    released = any_house.add_image()
    ann.save(ann.take(), [thing(box=[48, 240, 195, 371]), thing("c", box=[48, 240, 195, 371])])
    any_house.release(released, name="VOC2026")
    pool = any_house.add_image()
    expected = {
        ("state", "pool"): [pool],
        ("state", "checked,discarded"): [discarded, checked],
        ("class", "dog"): [checked],
        ("view", "left"): [released, checked],
        ("flag", "truncated"): [checked],
        ("part", "head"): [released, checked],
        ("action", "walking"): [released, checked],
        ("reason", "poor"): [discarded],
        ("person", "chris"): [checked],
        ("person", "ann"): [released, discarded, checked],
        ("owner", "Ada"): [checked],
        ("since", "2026-01-31"): [pool, released, discarded, checked],
        ("until", "2026-01-30"): [],
        ("until", "20260131"): [pool, released, discarded, checked],
        ("set", "train"): [released],
        ("set", "VOC2026"): [released],
        ("finding", "same_class_overlap"): [released],
        ("text", "100%"): [checked],
        ("text", "THE TAIL"): [checked],
        ("id", f"{pool}, 2026_000000"): [pool, released],
    }
    for (name, word), images in expected.items():
        assert find(olga, **{name: word}) == images, (name, word)
    assert find(olga, **{"class": "dog", "flag": "truncated"}) == [checked]
    assert find(olga, **{"class": "dog", "action": "walking"}) == []  # not of one object
    for name, wrong in (
        ("state", "lost"),
        ("flag", "x"),
        ("since", "soon"),
        ("colour", "red"),
        ("class", "unicorn"),
        ("view", "above"),
        ("part", "tail"),
        ("action", "flying"),
        ("person", "nobody"),
        ("annotator", "nobody"),
        ("checker", "nobody"),
        ("set", "VOC1999"),
        ("finding", "same_class"),
        ("campaign", "views/done"),
        ("campaign", "/done"),
    ):
        refused = olga.get(f"{API}/images", query_string={name: wrong})
        assert error_of(refused) == (422, "invalid", name)
    assert chris.get(f"{API}/images").status_code == 403


def test_images_are_found_by_the_query_of_their_photo(any_house: House) -> None:
    with any_house.party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="dog", keyword="puppy")
        session.add(query)
        session.flush()
        number = query.id
    image_id = any_house.add_image(query_id=number)
    any_house.add_image()
    olga = any_house.olga()
    for word in ("puppy", "dog", str(number)):
        assert find(olga, query=word) == [image_id], word
    refused = olga.get(f"{API}/images", query_string={"query": "cat"})
    assert error_of(refused) == (422, "invalid", "query")


def test_the_reason_of_a_duplicate_is_in_the_language_of_the_page(any_house: House) -> None:
    image_id = any_house.add_image()
    reason = say("near-duplicate of image {image_id}", image_id=1234)
    with any_house.party.catalogue.writing() as session:
        step = (ImageState.POOL, ImageState.DUPLICATE)
        move_image(session, image_id, *step, at=any_house.clock.at, reason=reason)
    olga = any_house.olga()
    for language, words in (("en", "near-duplicate of image"), ("de", "Fast-Duplikat von Bild")):
        answer = olga.get(f"{API}/images?id={image_id}", headers={"Accept-Language": language})
        assert answer.get_json()["images"][0]["reason"].startswith(words)


def test_each_page_of_images_continues_the_one_before(house: House) -> None:
    images = house.add_images(50)
    olga = house.olga()
    first = olga.get(f"{API}/images").get_json()
    rest = olga.get(f"{API}/images?before={first['next']}").get_json()
    shown = [image["image_id"] for image in first["images"] + rest["images"]]
    assert (shown, first["total"], rest["next"]) == (images[::-1], 50, None)


def test_an_organiser_can_return_reopen_and_discard_found_images(any_house: House) -> None:
    drawn = any_house.add_image()
    gone = any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    ann.save(ann.take(image_id=None))
    ann.save(ann.take(image_id=None), [], discard_reason="poor_quality")
    (gone,) = find(olga, state="discarded")
    (drawn,) = find(olga, state="annotated")
    said = act(olga, "return", "The tail is missing.", filters={"state": "annotated"})
    assert said == "1 of 1 images returned."
    assert ann.take()["review"]["comment"] == "The tail is missing."
    assert act(olga, "reopen", ids=[gone]) == "1 of 1 images reopened."
    assert any_house.state(gone) is ImageState.POOL
    expected = f"0 of 1 images discarded. Image {drawn} is unchanged: it is being annotated"
    assert act(olga, "discard", "poor_quality", ids=[drawn]).startswith(expected)
    ann.save({"annotation": {"id": any_house.image(drawn).annotation_id}, "image_id": drawn})
    assert act(olga, "discard", "poor_quality", ids=[drawn]) == "1 of 1 images discarded."
    head = any_house.image(drawn)
    assert (head.state, head.reason) == (ImageState.DISCARDED, "poor_quality")
    (card,) = olga.get(f"{API}/images?id={drawn}").get_json()["images"]
    assert [item["key"] for item in card["objects"]] == ["a"]  # a discard holds its objects


def test_one_of_two_concurrent_reopens_changes_nothing(any_house: House) -> None:
    image_id = any_house.add_image(ImageState.DISCARDED)
    olga = any_house.olga()
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    said = at_once(*(partial(act, browser, "reopen", ids=[image_id]) for browser in (olga, oscar)))
    assert sorted(sentence.partition(" ")[0] for sentence in said) == ["0", "1"]
    assert any_house.state(image_id) is ImageState.POOL
    late = next(sentence for sentence in said if sentence.startswith("0"))
    assert "it is waiting for annotation" in late or "changed since they were shown" in late


def test_a_taken_down_image_stays_down_and_cannot_be_corrected(any_house: House) -> None:
    image_id = any_house.add_image(ImageState.CHECKED, title="A dog")
    olga = any_house.olga()
    assert act(olga, "take_down", "the owner asked", ids=[image_id]).startswith("1 of 1")
    with any_house.party.catalogue.reading() as session:
        (photo,) = session.query(Photo)
        assert (photo.state, photo.reason) == (PhotoState.WITHDRAWN, "takedown: the owner asked")
    (card,) = olga.get(f"{API}/images?state=taken_down").get_json()["images"]
    assert (card["image_url"], card["title"], card["objects"]) == (None, "", [])
    for action, words in (("reopen", ""), ("discard", "poor_quality"), ("take_down", "again")):
        assert act(olga, action, words, ids=[image_id]).startswith("0 of 1")
    assert olga.post(f"{API}/tasks/check", {"image_id": image_id}).status_code == 409


WRONG_LISTS: tuple[tuple[dict[str, str], str], ...] = (
    ({"id": "99"}, "filters"),  # finds nothing
    ({}, "filters"),  # finds everything
    ({"class": " "}, "filters"),
    ({"colour": "red"}, "colour"),
)
WRONG_ACTIONS: tuple[tuple[dict[str, object], str], ...] = (
    ({"action": "return", "words": " "}, "words"),
    ({"action": "discard", "words": "ugly"}, "words"),
    ({"images": []}, "images"),
    ({"filters": {"state": "pool"}}, "filters"),  # a filter is no list that was shown
    ({"ids": [1]}, "ids"),
)


def test_an_action_on_nothing_or_everything_is_refused(house: House) -> None:
    image_id = house.add_image()
    olga = house.olga()
    for filters, field in WRONG_LISTS:
        refused = olga.get(f"{API}/images/versions", query_string=filters)
        assert error_of(refused) == (422, "invalid", field), filters
    unseen = {"filters": {"state": "pool"}, "name": "unseen", "fields": ["view"]}
    refused = olga.post(f"{API}/images/campaigns", unseen)  # a filter is no list that was shown
    assert error_of(refused) == (422, "invalid", "images")
    images = olga.get(f"{API}/images/versions?state=pool").get_json()["images"]
    for body, field in WRONG_ACTIONS:
        sent = {"action": "reopen", "images": images} | body
        refused = olga.post(f"{API}/images/actions", sent)
        assert error_of(refused) == (422, "invalid", field), body
    assert house.state(image_id) is ImageState.POOL


def test_a_takedown_is_of_the_images_that_were_confirmed(any_house: House) -> None:
    shown = any_house.add_image(ImageState.CHECKED)
    _ = any_house.add_image()
    olga = any_house.olga()
    images = olga.get(f"{API}/images/versions?state=checked").get_json()["images"]
    (card,) = olga.get(f"{API}/images?state=checked").get_json()["images"]
    assert images == [{"image_id": shown, "version": card["version"]}]
    late = any_house.add_image(ImageState.CHECKED)  # matches the filter by now
    body = {"action": "take_down", "words": "the owner asked", "images": images}
    answer = olga.post(f"{API}/images/actions", body).get_json()
    assert (answer["changed"], answer["message"]) == ([shown], "1 of 1 images taken down.")
    assert any_house.state(late) is ImageState.CHECKED


def test_images_that_changed_since_they_were_shown_are_left_out_and_named(
    any_house: House,
) -> None:
    ids = any_house.add_images(4)
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    for _ in ids:
        ann.save(ann.take(image_id=None))
    images = olga.get(f"{API}/images/versions?state=annotated").get_json()["images"]
    saved, checked, returned, kept = ids
    again = ann.take(image_id=saved)
    ann.save(again, [thing(), thing("b")])  # the same state, another revision
    chris.review(chris.take("check", image_id=checked))
    chris.review(chris.take("check", image_id=returned), "returned")
    any_house.clock.advance(60)
    ann.save(ann.take(image_id=returned))
    for action, words in (("return", "See the tail."), ("discard", "poor_quality")):
        body = {"action": action, "words": words, "images": images}
        answer = olga.post(f"{API}/images/actions", body).get_json()
        changed = [kept] if action == "return" else []
        left = [image_id for image_id in ids if image_id not in changed]
        assert (answer["changed"], answer["changed_since"]) == (changed, left)
        names = ", ".join(map(str, left))
        why = f"Unchanged, because they changed since they were shown: images {names}."
        assert answer["message"].endswith(why)
    body = {"action": "take_down", "words": "gone", "images": images}
    assert olga.post(f"{API}/images/actions", body).get_json()["changed"] == []
    assert any_house.state(saved) is ImageState.ANNOTATED


def test_the_command_lists_images_by_the_same_filters(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    ann.save(ann.take(), [thing(), thing("b", **DOG)])
    output = any_house.run("images", "--class", "dog").output
    assert "annotated   dog, person by ann" in output
    assert "No image matches" in any_house.run("images", "--class", "cat").output
    rows = json.loads(any_house.run("images", "--json").output)
    [row] = rows
    assert (row["state"], row["objects"], row["author"]) == ("annotated", "dog, person", "ann")
    with (any_house.party.folder / "party.toml").open("a") as settings:
        settings.write('\n[serve]\nurl = "https://zoo.example/"\n')
    output = any_house.run("images", "--class", "dog").output
    assert output.endswith("on the page: https://zoo.example/images?class=dog\n")
    wrong = any_house.run("images", "--flag", "red")
    assert wrong.exit_code == 2
    assert "expected one of truncated" in wrong.output
    wrong = any_house.run("images", "--class", "zebra")
    assert wrong.exit_code == 2
    assert "expected one of aeroplane, bicycle" in wrong.output


def test_the_address_that_the_command_tells_finds_the_same_images_after_two_views_swap_names(
    any_house: House,
) -> None:
    ids = any_house.add_images(2)
    ann = any_house.ann()
    olga = any_house.olga()
    for view in ("Left", "Right"):
        ann.save(ann.take(), [thing(view=view)])
    with (any_house.party.folder / "party.toml").open("a") as settings:
        settings.write('\n[serve]\nurl = "https://zoo.example/"\n')
    for old, new in (("Left", "Port"), ("Right", "Left"), ("Port", "Right")):
        assert any_house.run("classes", "rename", old, new, "--kind", "view").exit_code == 0
    rows = json.loads(any_house.run("images", "--view", "Left", "--json").output)
    _, _, asked = any_house.run("images", "--view", "Left").output.strip().partition("/images?")
    images = olga.get(f"{API}/images?{asked}").get_json()["images"]
    [image_id] = [row["id"] for row in rows]
    assert [image["image_id"] for image in images] == [image_id]
    assert image_id in ids


def test_facets_count_what_the_filters_find(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    any_house.add_image()
    ann.save(ann.take(), [thing(), thing("b"), thing("c", **DOG)])
    chris.review(chris.take("check"))
    any_house.add_image()
    ann.save(ann.take(), [], discard_reason="poor_quality")
    waits = any_house.add_image()
    counted = olga.get(f"{API}/images/facets").get_json()
    assert counted["counted"] == 3
    facets = {
        name: {count["value"]: count["images"] for count in counts}
        for name, counts in counted["facets"].items()
    }
    assert facets == {
        "state": {"checked": 1, "discarded": 1, "pool": 1},
        "class": {"person": 1, "dog": 1},  # images, not objects
        "annotator": {"ann": 2},
        "finding": facets["finding"],
        "set": {},
    }
    for name, counts in facets.items():
        for value, number in counts.items():
            assert len(find(olga, **{name: value})) == number, (name, value)
    narrowed = olga.get(f"{API}/images/facets?state=pool").get_json()
    assert narrowed["facets"]["state"] == [{"value": "pool", "images": 1}]
    assert find(olga, state="pool") == [waits]
    assert chris.get(f"{API}/images/facets").status_code == 403


def test_facets_name_a_class_as_it_is_called_today(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    cat = thing("c", **DOG | {"class": "cat"})
    ann.save(ann.take(), [thing(), thing("b", **DOG), cat])
    with any_house.party.catalogue.writing() as session:
        merge_words(session, any_house.party, "cat", "dog", made_by="olga", at=any_house.clock.at)
    facets = olga.get(f"{API}/images/facets").get_json()["facets"]
    assert {"value": "dog", "images": 1} in facets["class"]
    assert "cat" not in {count["value"] for count in facets["class"]}


def test_a_search_is_completed_with_the_names_of_the_party(any_house: House) -> None:
    any_house.add_person("ann")
    any_house.add_person("chris", Role.CHECKER)
    olga = any_house.olga()
    values = olga.get(f"{API}/images/values").get_json()["values"]
    assert values["person"] == values["annotator"] == ["ann", "chris", "olga"]
    assert values["set"] == ["train", "val", "test", "test2", "trainval"]
    assert values["campaign"] == []


def test_an_organisers_action_on_many_images_can_be_undone(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    checked = any_house.add_image()
    ann.save(ann.take())
    chris.review(chris.take("check"))
    drawn = any_house.add_image()
    ann.save(ann.take())
    gone = any_house.add_image()
    ann.save(ann.take(), [], discard_reason="poor_quality")
    before = [any_house.image(image_id).annotation_id for image_id in (checked, drawn)]
    for action, words, ids in (
        ("discard", "poor_quality", [checked, drawn]),
        ("return", "See the tail.", [checked, drawn]),
        ("reopen", "", [checked, gone]),
    ):
        done = olga.act(action, words, ids=ids).get_json()
        assert done["changed"] == ids
        undone = olga.post(f"{API}/images/actions", {"action": "undo", "images": done["now"]})
        assert undone.get_json()["message"] == "2 of 2 images as before.", action
        states = [any_house.state(image_id) for image_id in (checked, drawn, gone)]
        assert states == [ImageState.CHECKED, ImageState.ANNOTATED, ImageState.DISCARDED], action
        heads = [any_house.image(image_id).annotation_id for image_id in (checked, drawn)]
        assert heads == before
        with any_house.party.catalogue.reading() as session:
            assert list(list_wrong_states(session)) == []


def test_an_undone_discard_brings_back_the_findings_of_the_image(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    twice = [thing(), thing("b", box=[48, 240, 195, 372])]
    image_id = ann.take()["image_id"]
    ann.save(ann.take(image_id=image_id), twice)
    assert find(olga, finding="any") == [image_id]
    done = olga.act("discard", "poor_quality", ids=[image_id]).get_json()
    assert find(olga, finding="any") == []
    olga.post(f"{API}/images/actions", {"action": "undo", "images": done["now"]})
    assert find(olga, finding="any") == [image_id]


def test_a_discard_that_was_undone_is_no_second_opinion_of_anybody(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    task = ann.take()
    ann.save(task, finish=False)
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    done = olga.act("discard", "poor_quality", ids=[image_id]).get_json()
    any_house.set_qa(discard_share=1.0, double_share=0.0, gold_share=0.0)
    bob = any_house.enter(any_house.add_person("bob"))
    bob.save(bob.take())
    with any_house.party.catalogue.reading() as session:
        assert load_discards(session) == [("poor_quality", None)]
    undone = olga.post(f"{API}/images/actions", {"action": "undo", "images": done["now"]})
    assert undone.get_json()["changed"] == [image_id]
    with any_house.party.catalogue.reading() as session:
        assert load_discards(session) == []


def test_what_somebody_decided_or_began_since_is_not_undone(any_house: House) -> None:
    begun, decided, checked = any_house.add_images(3)
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    for _ in range(3):
        ann.save(ann.take(image_id=None))
    chris.review(chris.take("check", image_id=checked))
    done = olga.act("return", "See the tail.", ids=[begun, decided]).get_json()
    ann.save(ann.take(image_id=begun), finish=False)
    ann.save(ann.take(image_id=decided))
    late = olga.post(f"{API}/images/actions", {"action": "undo", "images": done["now"]}).get_json()
    assert (late["changed"], late["changed_since"]) == ([], [begun, decided])
    answer = olga.act("undo", ids=[begun, decided, checked]).get_json()
    assert answer["changed"] == []
    assert any_house.state(checked) is ImageState.CHECKED  # chris decided, not olga
