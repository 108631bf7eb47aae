"""Questions of a hierarchy: pages of images, what answers settle, and what is taken back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from catalog.hierarchy import ROOT
from catalog.party import Party, make_party, open_party
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, NodeKind, Role
from catalog.tables import (
    Annotation,
    GoldImage,
    Image,
    Presence,
    PresenceState,
    PresentClass,
)
from operate.questions_check import compare_settled
from operate.words import merge_words, split_class
from tests.answered import answer
from tests.many_classes import list_names, write_preset
from work.presence.plans import get_plan
from work.presence.states import refresh_states

from .house import API, Browser, House, thing
from .test_blind import make_gold

TAKE = f"{API}/presence/questions/take"
ANSWER = f"{API}/presence/questions/answer"


def ask(party: Party, **questions: Any) -> House:
    changed = replace(party.settings.questions, on=True, **questions)
    return House(replace(party, settings=replace(party.settings, questions=changed)))


@pytest.fixture
def asking(party: Party) -> House:
    """A party that asks two people, with three images."""
    house = ask(party)
    house.add_images(3)
    return house


def take(browser: Browser) -> dict[str, Any]:
    answer = browser.post(TAKE, {})
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.get_json()
    return page


def say(browser: Browser, page: dict[str, Any], *yes: int) -> dict[str, Any]:
    sent = {
        "plan": page["plan"],
        "node": page["node"],
        "took_ms": 2400,
        "answers": [
            {"image_id": image["image_id"], "is_yes": image["image_id"] in yes}
            for image in page["images"]
        ],
    }
    answer = browser.post(ANSWER, sent)
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = answer.get_json()
    return kept


def answer_all(browser: Browser, shows: dict[int, set[str]]) -> list[dict[str, Any]]:
    """Answer every page by what the images show: nodes, with the groups above."""
    said = list[dict[str, Any]]()
    for _ in range(200):
        page = take(browser)
        if page["node"] is None:
            return said
        yes = [key for key, nodes in shows.items() if page["node"] in nodes]
        said.append(page | say(browser, page, *yes))
    raise AssertionError("the questions do not end")


def load_shown(house: House) -> set[tuple[int, str]]:
    with house.party.catalogue.reading() as session:
        rows = session.execute(select(PresentClass.image_id, PresentClass.class_id))
        return {(image_id, class_id) for image_id, class_id in rows}


CAT = {"class:cat", "group:Domestic", "group:Animals"}


def test_two_people_settle_what_images_show_and_empty_ones_are_discarded(asking: House) -> None:
    ann = asking.ann()
    ben = asking.enter(asking.add_person("ben"))
    first, second, third = sorted(image["image_id"] for image in take(ann)["images"])
    shows = {first: CAT, second: {"class:person"}, third: set[str]()}
    answer_all(ann, shows)
    assert load_shown(asking) == set()
    for browser in (ben, ann, ben):  # each goes on where the other one agreed
        answer_all(browser, shows)
    assert load_shown(asking) == {(first, "cat"), (second, "person")}
    image = asking.image(third)
    assert (image.state, image.reason) == (ImageState.DISCARDED, UNWANTED_REASON)
    assert asking.image(first).state is ImageState.POOL


def test_a_question_about_a_group_says_which_classes_it_includes(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    pages = {page["node"]: page for page in answer_all(house.ann(), {image_id: CAT})}
    animals = pages["group:Animals"]
    assert animals["includes"] == ["bird", "cat", "cow", "dog", "horse", "sheep"]
    assert animals["not_named"] == 0
    assert pages["class:cat"]["includes"] == []


def test_a_question_about_several_groups_names_the_first_of_their_classes(
    tmp_path: Path,
) -> None:
    make_party(tmp_path / "p", name="Many", preset="many.toml", preset_text=write_preset(200))
    with open_party(tmp_path / "p") as party:
        house = ask(party)
        house.add_image()
        page = take(house.ann())
    assert page["words"] == "Group 1 / Group 2 / Group 3 / Group 4"
    names = [f"the {name}" for name in list_names(100)]
    assert (page["includes"], page["not_named"]) == (names[:40], 60)


def test_a_no_of_one_person_settles_a_group_where_one_has_to_agree(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    pages = answer_all(house.ann(), {image_id: CAT})
    asked = [page["node"] for page in pages]
    assert len(asked) == len(set(asked)) < 20
    assert not {"class:dog", "class:cat"} - set(asked)
    assert not {"class:car", "class:bus", "class:chair"} & set(asked)
    with house.party.catalogue.reading() as session:
        row = session.get_one(PresenceState, image_id)
    assert row.next_kind is None
    assert {"group:Vehicles", "group:Household", "class:dog"} <= set(row.settled["no"])


def test_the_question_comes_in_the_words_of_the_preset(asking: House) -> None:
    page = take(asking.ann())
    assert page["node"].startswith(("group:", "class:"))
    assert page["words"].startswith(("a ", "an ", "something "))
    assert page["waiting"] == 3
    assert len(page["images"]) == 3


def test_a_wide_group_is_asked_about_in_sections(tmp_path: Path) -> None:
    """25 classes in a group: five questions for five of them each, then those of one section."""
    names = list_names(25)
    make_party(tmp_path / "p", name="Many", preset="many.toml", preset_text=write_preset(25))
    with open_party(tmp_path / "p") as party:
        house = ask(party, agree=1)
        image_id = house.add_image()
        group = "group:Group 1"
        shows = {f"class:{names[12]}", f"{group} [3]", group}
        pages = answer_all(house.ann(), {image_id: shows})
        assert load_shown(house) == {(image_id, names[12])}
    asked = {page["node"]: page for page in pages}
    assert len(pages) <= 1 + 5 + 5
    section = asked[f"{group} [3]"]
    assert section["words"] == " / ".join(f"a the {name}" for name in names[10:15])
    assert section["display"] == section["words"]
    assert set(asked) - shows <= {
        *(f"{group} [{number}]" for number in (1, 2, 4, 5)),
        *(f"class:{name}" for name in names[10:15]),
    }


def test_an_answer_taken_back_lets_a_discarded_image_wait_again(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    ann = house.ann()
    pages = answer_all(ann, {})
    assert house.image(image_id).state is ImageState.DISCARDED
    taken = ann.post(f"{API}/presence/questions/undo", {"answer_ids": pages[0]["answer_ids"]})
    assert taken.get_json() == {"undone": 1, "images": [image_id], "discarded": [], "drawn": []}
    assert house.image(image_id).state is ImageState.POOL
    assert take(ann)["node"] == pages[0]["node"]


def test_an_organiser_takes_back_all_answers_of_a_person(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    answer_all(house.ann(), {})
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    person_id = house.person("ann").id
    path = f"{API}/presence/people/{person_id}/take-back"
    stale = olga.post(path, {"version": "0-0"})
    assert stale.status_code == 409
    [person] = olga.get(f"{API}/presence/questions/status").get_json()["people"]
    assert (person["name"], person["is_suspect"]) == ("ann", False)
    taken = olga.post(path, {"version": person["version"]})
    assert taken.status_code == 200, taken.text
    assert taken.get_json()["images"] == [image_id]
    assert house.image(image_id).state is ImageState.POOL


def test_a_repeated_answer_is_kept_once(asking: House) -> None:
    ann = asking.ann()
    page = take(ann)
    first = say(ann, page)
    again = say(ann, page)
    assert sorted(again["answer_ids"]) == sorted(first["answer_ids"])
    corrected = say(ann, page, page["images"][0]["image_id"])
    assert len(set(corrected["answer_ids"]) - set(first["answer_ids"])) == 1


def test_a_party_without_questions_has_no_page(house: House) -> None:
    assert house.ann().post(TAKE, {}).status_code == 404


def test_a_question_that_was_never_asked_is_refused(asking: House) -> None:
    ann = asking.ann()
    page = take(ann)
    for changed in ({"node": "group:Unicorns"}, {"node": "nonsense"}, {"plan": 999}):
        sent = page | changed
        body = {key: sent[key] for key in ("plan", "node")} | {
            "took_ms": 0,
            "answers": [{"image_id": page["images"][0]["image_id"], "is_yes": True}],
        }
        assert ann.post(ANSWER, body).status_code == 422


def test_a_class_split_while_people_answer_keeps_each_no_and_asks_for_the_parts(
    any_party: Party,
) -> None:
    house = ask(any_party, agree=1)
    image_id = house.add_image()
    ann = house.ann()
    answer_all(ann, {image_id: CAT})
    assert load_shown(house) == {(image_id, "cat")}
    with house.party.catalogue.writing() as session:
        split = partial(split_class, session, house.party, made_by="olga", at=house.clock.at)
        split("cat", ["cat", "kitten"])
        split("car", ["car", "van"])
    asked = [page["node"] for page in answer_all(ann, {image_id: {"class:kitten"}})]
    assert sorted(asked) == ["class:cat-2", "class:kitten"]
    assert load_shown(house) == {(image_id, "kitten")}


def test_a_page_of_yesterday_is_an_answer_in_its_own_words(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    ann = house.ann()
    page = take(ann)
    with house.party.catalogue.writing() as session:
        at = house.clock.at
        merge_words(session, house.party, "dog", "cat", made_by="olga", at=at)
    assert say(ann, page)["kept"] == [image_id]
    newer = take(ann)
    assert newer["plan"] > page["plan"]
    with house.party.catalogue.reading() as session:
        [row] = session.scalars(select(Presence))
        state = session.get_one(PresenceState, image_id)
    assert row.plan_id == page["plan"]
    assert state.settled["no"] == [page["node"]]


def test_who_says_yes_to_gold_pictures_without_it_is_named(party: Party) -> None:
    house = ask(party, agree=1, gold_share=0.5)
    ann = house.ann()
    for _ in range(8):
        house.add_image()
        task = ann.take()
        ann.save(task, [thing()], finish=True)
        make_gold(house, task["image_id"])
    house.add_images(12)
    ben = house.enter(house.add_person("ben"))
    for _ in range(6):
        page = take(ben)
        if page["node"] is not None:
            say(ben, page, *(image["image_id"] for image in page["images"]))
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    [person] = olga.get(f"{API}/presence/questions/status").get_json()["people"]
    assert (person["name"], person["is_suspect"]) == ("ben", True)
    with house.party.catalogue.reading() as session:
        known = session.scalars(select(Presence.known).where(Presence.known.is_not(None))).all()
        asked = set(session.scalars(select(PresenceState.image_id)))
        gold = set(session.scalars(select(GoldImage.image_id)))
    assert False in known
    assert not gold & asked


def test_doctor_computes_again_what_answers_settle(party: Party) -> None:
    house = ask(party, agree=1)
    first, second = house.add_images(2)
    answer_all(house.ann(), {first: CAT, second: CAT})
    with house.party.catalogue.writing() as session:
        assert not compare_settled(session).different
        session.get_one(PresenceState, second).settled = {"yes": [], "no": ["root:"]}
    with house.party.catalogue.reading() as session:
        compared = compare_settled(session)
    assert (compared.equal, len(compared.different)) == (1, 1)
    assert f"image {second}" in compared.different[0]


def test_an_undone_person_leaves_no_answers(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    answer_all(house.ann(), {})
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    assert olga.undo(house.person("ann").id).status_code == 200
    assert house.image(image_id).state is ImageState.POOL
    with house.party.catalogue.reading() as session:
        assert not compare_settled(session).different
        assert session.get_one(PresenceState, image_id).answers == 0


def test_one_person_who_saw_both_classes_of_a_merge_counts_once(any_party: Party) -> None:
    house = ask(any_party)
    image_id = house.add_image()
    ann = house.ann()
    page = take(ann)
    for node in ("class:dog", "class:cat"):
        say(ann, page | {"node": node}, image_id)
    with house.party.catalogue.writing() as session:
        merge_words(session, house.party, "dog", "cat", made_by="olga", at=house.clock.at)
    take(ann)
    assert load_shown(house) == set()
    ben = house.enter(house.add_person("ben"))
    say(ben, take(ben) | {"node": "class:cat"}, image_id)
    assert load_shown(house) == {(image_id, "cat")}


def test_an_image_that_other_rules_find_empty_is_discarded(party: Party) -> None:
    house = ask(party)
    image_id = house.add_image()
    answer_all(house.ann(), {})
    assert house.image(image_id).state is ImageState.POOL
    eased = ask(house.party, agree=1)
    assert take(eased.enter(eased.add_person("ben")))["node"] is None
    image = eased.image(image_id)
    assert (image.state, image.reason) == (ImageState.DISCARDED, UNWANTED_REASON)
    with eased.party.catalogue.reading() as session:
        assert session.scalars(select(Annotation.person_id)).all() == [eased.person("ann").id]


def test_without_the_person_who_always_says_yes_an_empty_image_is_discarded(
    any_party: Party,
) -> None:
    house = ask(any_party, agree=1)
    image_id = house.add_image()
    ann = house.ann()
    always_yes = house.enter(house.add_person("zoe"))
    say(always_yes, take(always_yes), image_id)
    with house.party.catalogue.writing() as session:
        plan = get_plan(session, house.party, house.clock.at)
        for node in plan.outline.hierarchy.children[ROOT]:
            answer(
                session,
                house.party,
                image_id,
                node,
                is_yes=False,
                person_id=house.person("ann").id,
                at=house.clock.at,
            )
    assert take(ann)["node"] is not None
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    people = olga.get(f"{API}/presence/questions/status").get_json()["people"]
    [zoe] = [person for person in people if person["name"] == "zoe"]
    path = f"{API}/presence/people/{zoe['id']}/take-back"
    taken = olga.post(path, {"version": zoe["version"]})
    assert taken.get_json() == {"undone": 1, "images": [], "discarded": [image_id], "drawn": []}
    assert house.image(image_id).state is ImageState.DISCARDED


def test_open_questions_of_annotated_images_hide_no_other_question(party: Party) -> None:
    house = ask(party)
    image_ids = house.add_images(14 * 2)
    keys = [item.key for item in house.party.preset.classes[:14]]
    with house.party.catalogue.writing() as session:
        refresh_states(session, get_plan(session, house.party, house.clock.at), image_ids)
        for place, image_id in enumerate(image_ids):
            row = session.get_one(PresenceState, image_id)
            row.next_kind = NodeKind.CLASS
            row.next_key = keys[place // 2]
        drawn = Image.id.in_(image_ids[:-1])
        session.execute(update(Image).where(drawn).values(state=ImageState.ANNOTATED))
    ann = house.ann()
    page = take(ann)
    assert page["node"] == f"class:{keys[-1]}"
    assert [image["image_id"] for image in page["images"]] == [image_ids[-1]]
    status = ann.get(f"{API}/presence/questions/status").get_json()
    assert (status["images"], status["done"]) == (1, 0)


def test_the_undo_of_a_person_counts_answers_and_tells_what_followed(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    asked = answer_all(house.ann(), {})
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    house.add_person("zoe")
    zoe_id = house.person("zoe").id
    with house.party.catalogue.writing() as session:
        session.execute(update(Annotation).values(person_id=zoe_id))
    path = f"{API}/people/{house.person('ann').id}/undo"
    shown = olga.post(path, {"dry_run": True}).get_json()
    assert f"Would undo: {len(asked)} answers on the page Presence" in shown["lines"][0]
    done = olga.post(path, {"dry_run": False, "version": shown["version"]}).get_json()
    assert f"These images wait again: images {image_id}." in done["lines"]


GROUPS = """
name = "moving"
year = 2026

[[groups]]
name = "animal"
words = "an animal"

[[groups]]
name = "pet"
words = "a pet"
"""


def write_moving(**parents: str) -> str:
    """A preset with these classes, each below a group."""
    classes = [
        f'[[classes]]\nname = "{name}"\nparents = ["{group}"]\nhas_views = false\n'
        f'short_rule = "Every {name}."'
        for name, group in parents.items()
    ]
    return "\n".join([GROUPS, *classes])


def test_who_said_yes_to_a_group_is_asked_again_once_a_class_left_it(tmp_path: Path) -> None:
    """What was seen may have been the dog, which is no longer below the group."""
    folder = tmp_path / "p"
    groups = {"cat": "animal", "cow": "animal", "dog": "animal", "owl": "pet", "hen": "pet"}
    make_party(folder, name="Moving", preset="moving.toml", preset_text=write_moving(**groups))
    with open_party(folder) as party:
        house = ask(party, agree=1)
        image_id = house.add_image()
        token = house.add_person("ann")
        ann = house.enter(token)
        old = take(ann) | {"node": "group:animal"}
        first = say(ann, old, image_id)
    (folder / "moving.toml").write_text(write_moving(**groups | {"dog": "pet"}))
    with open_party(folder) as party:
        house = ask(party, agree=1)
        ann = house.enter(token)
        assert say(ann, old, image_id) == first
        newer = old | {"plan": take(ann)["plan"]}
        assert say(ann, newer, image_id)["answer_ids"] != first["answer_ids"]
        answer_all(ann, {image_id: {"class:dog", "group:pet"}})
        assert load_shown(house) == {(image_id, "dog")}
        with house.party.catalogue.reading() as session:
            assert not compare_settled(session).different


def ask_of_gold(house: House) -> tuple[Browser, int, dict[str, Any]]:
    """Ben's browser, a gold image with a cat, and a page that asks for cats there."""
    house.add_image()
    ann = house.ann()
    task = ann.take()
    cat = thing(**{"class": "cat"}, actions=[], parts=[])
    assert ann.save(task, [cat]).status_code == 201
    make_gold(house, task["image_id"])
    house.add_image()
    ben = house.enter(house.add_person("ben"))
    page = take(ben) | {"node": "class:cat", "images": [{"image_id": task["image_id"]}]}
    return ben, task["image_id"], page


def load_known(house: House) -> list[bool | None]:
    with house.party.catalogue.reading() as session:
        return list(session.scalars(select(Presence.known)))


def test_who_names_what_a_page_of_yesterday_shows_said_nothing_wrong(party: Party) -> None:
    house = ask(party, agree=1)
    ben, image_id, page = ask_of_gold(house)
    with house.party.catalogue.writing() as session:
        merge_words(session, house.party, "cat", "dog", made_by="olga", at=house.clock.at)
    say(ben, page, image_id)
    assert load_known(house) == [True]


def test_a_gold_image_says_nothing_of_the_parts_of_its_class(party: Party) -> None:
    house = ask(party, agree=1)
    ben, image_id, page = ask_of_gold(house)
    with house.party.catalogue.writing() as session:
        parts = ["cat", "kitten"]
        split_class(session, house.party, "cat", parts, made_by="olga", at=house.clock.at)
    newer = {"plan": take(ben)["plan"], "node": "class:kitten"}
    assert say(ben, page | newer, image_id)["kept"] == []
    assert load_known(house) == []
