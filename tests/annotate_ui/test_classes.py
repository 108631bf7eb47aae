"""Classes are renamed, merged and split while people draw, and no unknown class remains."""

from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.party import Party, follow_classes
from catalog.refusals import InvalidError
from catalog.states import ImageState, Source, WordKind
from catalog.tables import Object, Photo, Query
from catalog.words import list_changes, load_names
from collect.rows import load_keywords
from operate.words import merge_words, rename_word, split_class
from qa.asked import compare_as_asked
from qa.work import load_blind_pairs
from tests.qa.rows import check_submission
from tests.rows import at_once, make_image

from .house import API, Browser, House, Json, thing

SOFA: Json = {"class": "sofa", "actions": [], "parts": [], "view": "Frontal"}


def change(house: House, how: object, *words: object) -> str:
    """Change the classes now, as `vocparty classes` does, and return its message."""
    with house.party.catalogue.writing() as session:
        origin = {"made_by": "olga", "at": house.clock.at}
        return how(session, house.party, *words, **origin)  # type: ignore[operator, no-any-return]


def classes_of(house: House, image_id: int) -> list[list[str]]:
    """The class names of every revision of the image, the oldest first."""
    with house.party.catalogue.reading() as session:
        revisions = [session.merge(revision) for revision in house.revisions(image_id)]
        return [[item.class_name for item in revision.objects] for revision in revisions]


def test_a_rename_applies_to_open_pages_drafts_history_and_filters(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    task = ann.take()
    draft = ann.save(task, [thing(**SOFA)], finish=False, unsure_classes=["sofa", "dog"])
    said = change(any_house, rename_word, "sofa", "couch")
    sentence = "sofa is renamed to couch in 1 object of all revisions. Earlier releases keep sofa."
    assert said == sentence
    task["annotation"] = draft.get_json()["annotation"]  # a page that knows of nothing
    saved = ann.save(task, [thing(**SOFA), thing("b", **SOFA)], unsure_classes=["sofa"])
    assert saved.status_code == 201
    assert saved.get_json()["annotation"]["unsure_classes"] == ["sofa"]
    to_check = chris.take("check")
    fixed = {"objects": [thing(**SOFA, box=[50, 240, 195, 371])], "active_secs": 1.0}
    assert chris.review(to_check, "fixed", fixed=fixed, objects=[]).status_code == 201
    assert classes_of(any_house, image_id) == [["couch"], ["couch", "couch"], ["couch"]]
    party = olga.get(f"{API}/party").get_json()
    names = [item["name"] for item in party["classes"]]
    assert (names[17], len(names), party["moved"]["class"]) == ("couch", 20, {})
    for word in ("sofa", "couch"):
        answer = olga.get(f"{API}/images", query_string={"class": word}).get_json()
        assert [image["image_id"] for image in answer["images"]] == [image_id]
    first = any_house.revisions(image_id)[0].id
    head = any_house.image(image_id).annotation_id
    shown = olga.get(f"{API}/images/{image_id}/revisions").get_json()
    body = {"save_key": "restored-1", "head_id": head, "verdict_id": shown["verdict_id"]}
    restored = olga.post(f"{API}/images/{image_id}/revisions/{first}/restore", body)
    assert restored.status_code == 201, restored.text
    with any_house.party.catalogue.writing() as session:
        party_now = follow_classes(any_house.party, session)
        ways = (party_now.preset, party_now.settings)
        check_submission(session, image_id, *ways, at=any_house.clock.at)
        assert {item.class_name for item in session.scalars(select(Object))} == {"couch"}
    answer = olga.get(f"{API}/images", query_string={"finding": "unknown_class"}).get_json()
    assert answer["total"] == 0


def test_pages_learn_of_a_class_change_with_the_next_answer(house: House) -> None:
    ann, _ = house.begin()
    assert ann.get(f"{API}/party").get_json()["classes_number"] == 0
    change(house, rename_word, "sofa", "couch")
    live = ann.post(f"{API}/tasks/annotate", {}).get_json()["live"]
    assert live["classes_number"] == 1


def test_the_classes_are_read_once_after_each_change(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = []

    def follow(party: Party, session: Session) -> Party:
        present = follow_classes(party, session)
        numbers.append(present.classes_number)
        return present

    monkeypatch.setattr("annotate_ui.service.follow_classes", follow)
    ann, _ = house.begin()
    for name in ("couch", "settee"):
        change(house, rename_word, "couch" if numbers else "sofa", name)
        for _ in range(3):
            classes = ann.get(f"{API}/party").get_json()["classes"]
            assert [item["name"] for item in classes if item["id"] == "sofa"] == [name]
    assert numbers == [1, 2]


def test_a_class_may_be_called_as_a_field_of_the_plan(house: House) -> None:
    olga = house.olga()
    plan = {"base": 0, "first": [{"kind": "class", "class": "sofa"}], "wanted_classes": []}
    assert olga.put(f"{API}/queue", plan).status_code == 200
    change(house, rename_word, "sofa", "class")
    change(house, rename_word, "class", "couch")
    assert olga.get(f"{API}/queue").get_json()["first"] == [{"kind": "class", "class": "sofa"}]


def test_queries_targets_plan_and_judgements_follow_a_rename(any_house: House) -> None:
    house = any_house
    with house.party.catalogue.writing() as session:
        for class_name, keyword, count in (("sofa", "couch", 3), ("chair", "couch", 4)):
            query = Query(source=Source.FLICKR, class_id=class_name, keyword=keyword, kept=count)
            session.add(query)
            image = make_image(f"{count:064}", house.clock.at, state=ImageState.FETCHED)
            values = {"source": Source.FLICKR, "source_id": keyword + class_name}
            image.photos.append(Photo(**values, found_at=house.clock.at, query=query))
            session.add(image)
    house.add_image()
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    plan = {"base": 0, "first": [{"kind": "class", "class": "sofa"}], "wanted_classes": ["sofa"]}
    assert olga.put(f"{API}/queue", plan).status_code == 200
    ann.save(ann.take(), [thing(**SOFA)])
    chris.review(chris.take("check"))
    image_id = house.revisions(3)[0].image_id
    olga.post(f"{API}/difficult/sofa/take")
    seen = {"image_id": image_id, "annotation_id": house.image(image_id).annotation_id}
    judged = {"objects": [seen | {"key": "a", "difficult": True}]}
    assert olga.post(f"{API}/difficult/sofa/judgements", judged).get_json() == {"late": []}
    change(house, merge_words, "sofa", "chair")
    now = olga.get(f"{API}/queue").get_json()
    expected = ([{"kind": "class", "class": "chair"}], ["chair"])
    assert (now["first"], now["wanted_classes"]) == expected
    again = olga.put(f"{API}/queue", plan | {"base": now["number"]})  # from a page open since
    assert again.get_json()["wanted_classes"] == ["chair"]
    assert olga.post(f"{API}/difficult/sofa/take").get_json()["objects"] == []  # judged before
    with house.party.catalogue.reading() as session:
        queries = session.scalars(select(Query).order_by(Query.id))
        merged = [("chair", "couch", 3), ("chair", "couch", 4)]
        assert [(query.class_name, query.keyword, query.kept) for query in queries] == merged
        party = follow_classes(house.party, session)
    assert "sofa" not in party.preset.class_names
    spec = party.preset.find_class("chair")
    assert spec is not None
    assert "couch" in spec.queries


def test_splitting_a_class_has_its_images_annotated_again(any_house: House) -> None:
    seen = any_house.add_image()
    other = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    for image_id, objects in ((seen, [thing(**SOFA)]), (other, [thing()])):
        task = ann.take()
        objects = [thing(**SOFA)] if task["image_id"] == seen else [thing()]
        ann.save(task, objects)
        chris.review(chris.take("check"))
        assert any_house.state(task["image_id"]) is ImageState.CHECKED, image_id
    said = change(any_house, split_class, "sofa", ("couch", "daybed"))
    begin = "sofa is split into couch, daybed. 1 of 1 images will be annotated again"
    assert said.startswith(begin)
    assert any_house.state(other) is ImageState.CHECKED
    task = ann.take()
    shown = task["annotation"]["objects"][0]["class"]
    assert (task["image_id"], shown) == (seen, "couch")
    text = "Check class again. The class sofa was split; choose couch or daybed for each."
    assert task["campaigns"] == [{"name": "split-sofa-1", "made_by": "olga", "text": text}]
    assert ann.save(task, [thing(**SOFA | {"class": "daybed"})]).status_code == 201


def test_an_impossible_class_change_is_refused_with_one_sentence(house: House) -> None:
    change(house, rename_word, "sofa", "couch")
    for how, words, sentence in (
        (rename_word, ("cat", "dog"), "dog already exists. To merge, run"),
        (rename_word, ("dgo", "wolf"), "Unknown class dgo; did you mean dog?"),
        (rename_word, ("sofa", "bench"), "Unknown class sofa; it is couch now"),
        (rename_word, ("cat", "big cat"), "cat cannot become big cat: expected one word"),
        (rename_word, ("cat", "DOG"), "cat cannot become DOG: "),
        (rename_word, ("person", "human"), "person must stay: VOC stores parts"),
        (merge_words, ("cat", "cat"), "cat cannot be merged into itself"),
        (rename_word, ("cat", "cat"), "cat is called so already"),
        (split_class, ("cat", ("cat",)), "Name at least two different classes to split cat into"),
        (split_class, ("cat", ("cat", "dog")), "Class dog already exists"),
    ):
        with pytest.raises(InvalidError) as refused:
            change(house, how, *words)
        assert str(refused.value).startswith(sentence), refused.value
    with house.party.catalogue.reading() as session:
        assert [change.new_names for change in list_changes(session)] == [["couch"]]


def test_renaming_back_keeps_the_former_names_of_objects(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    ann.save(ann.take(), [thing(**SOFA)])
    change(house, rename_word, "sofa", "couch")
    change(house, rename_word, "couch", "sofa")
    change(house, merge_words, "sofa", "chair")
    change(house, split_class, "chair", ("chair", "sofa"))
    with house.party.catalogue.reading() as session:
        item = session.scalars(select(Object)).one()
        names = [load_names(session, number)[WordKind.CLASS][item.class_id] for number in range(5)]
        party = follow_classes(house.party, session)
    assert names == ["sofa", "couch", "sofa", "chair", "chair"]
    assert (party.classes.today(item.class_id), party.preset.class_names[-1]) == ("chair-2", "sofa")
    assert house.state(image_id) is ImageState.POOL


def test_saves_during_a_rename_leave_no_old_class_name(any_house: House) -> None:
    images = any_house.add_images(6)
    people = [any_house.enter(any_house.add_person(f"ann{n}")) for n in range(6)]
    tasks = [person.take() for person in people]

    def save(person: Browser, task: dict[str, object]) -> object:
        return person.save(task, [thing(**SOFA)]).status_code

    def rename() -> object:
        return change(any_house, rename_word, "sofa", "couch")

    pairs = zip(people, tasks, strict=True)
    saves = [lambda person=person, task=task: save(person, task) for person, task in pairs]
    answers = at_once(*saves[:3], rename, *saves[3:])
    assert answers.count(201) == 6
    assert [classes_of(any_house, image_id) for image_id in images] == [[["couch"]]] * 6


def test_of_two_concurrent_renames_one_is_refused(any_house: House) -> None:
    def rename(new: str) -> str:
        try:
            return change(any_house, rename_word, "sofa", new)
        except InvalidError as error:
            return str(error)

    answers = at_once(lambda: rename("couch"), lambda: rename("settee"))
    assert sum("Unknown class sofa; it is " in answer for answer in answers) == 1, answers


def test_the_command_renames_and_lists_classes(house: House) -> None:
    renamed = house.run("classes", "rename", "sofa", "couch").output
    assert renamed.startswith("sofa is renamed to couch")
    done = house.run("classes", "rename", "cat", "dog")
    assert (done.exit_code, "merge cat dog" in done.output) == (2, True)
    done = house.run("classes", "list")
    assert (done.exit_code, "couch" in done.output) == (0, True)
    assert done.output.splitlines()[-1].endswith("(command line): rename class sofa to couch")


def test_a_false_alarm_stays_judged_after_a_rename(house: House) -> None:
    house.add_image()
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    ann.save(ann.take(), [thing(**SOFA), thing("b", **SOFA)])
    chris.review(chris.take("check"))
    findings = olga.get(f"{API}/findings").get_json()["findings"]
    assert findings
    for finding in findings:
        olga.post(f"{API}/findings/{finding['id']}/verdict", {"verdict": "wrong"})
    change(house, rename_word, "sofa", "couch")
    with house.party.catalogue.writing() as session:
        party = follow_classes(house.party, session)
        check_submission(session, 1, party.preset, party.settings, at=house.clock.at)
    assert olga.get(f"{API}/findings").get_json()["findings"] == []


def test_a_cat_of_an_open_page_is_a_kitten_after_cat_and_dog_changed_names(
    any_house: House,
) -> None:
    cat = thing(**SOFA | {"class": "cat"})
    image_id = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    task = ann.take()
    change(any_house, rename_word, "cat", "kitten")
    change(any_house, rename_word, "dog", "cat")
    assert ann.save(task, [cat]).status_code == 201
    assert classes_of(any_house, image_id) == [["kitten"]]
    to_check = chris.take("check")
    change(any_house, rename_word, "kitten", "lion")
    fixed = {"objects": [cat | {"box": [50, 240, 195, 371]}], "active_secs": 1.0}
    assert chris.review(to_check, "fixed", fixed=fixed, objects=[]).status_code == 201
    assert classes_of(any_house, image_id) == [["lion"], ["lion"]]
    classes = ann.get(f"{API}/party").get_json()["classes"]
    assert {item["id"]: item["name"] for item in classes}.items() >= {
        ("cat", "lion"),
        ("dog", "cat"),
    }


def open_again(house: House, **changes: object) -> House:
    """The same party after an organiser edited its preset."""
    preset = replace(house.party.preset, **changes)  # type: ignore[arg-type]
    house.add_person("other")
    return House(replace(house.party, preset=preset, file_preset=preset))


def test_what_left_the_preset_stays_on_objects_and_gets_no_new_ones(any_house: House) -> None:
    preset = any_house.party.preset
    any_house.add_image()
    drawn = [thing(), thing("b", **SOFA)]
    token = any_house.add_person("ann")
    ann = any_house.enter(token)
    task = ann.take()
    task["annotation"] = ann.save(task, drawn, finish=False).get_json()["annotation"]
    house = open_again(
        any_house,
        classes=tuple(
            replace(spec, has_parts=False, has_actions=False)
            for spec in preset.classes
            if spec.name != "sofa"
        ),
        views=preset.views[:1],
        flags=(),
        parts=(),
        actions=(),
    )
    ann = house.enter(token)
    chris = house.chris()
    moved = [item | {"box": [50, 240, 195, 371]} for item in drawn]
    for objects, field in (
        ([*drawn, thing("c", **SOFA)], "objects.2.class"),
        ([*drawn, thing("c", actions=[], parts=[], occluded=False)], "objects.2.view"),
        ([drawn[0], drawn[1] | {"view": "Rear"}], "objects.1.view"),
        ([drawn[0] | {"actions": ["walking", "running"]}, drawn[1]], "objects.0.actions.1"),
        ([drawn[0] | {"truncated": True}, drawn[1]], "objects.0.truncated"),
    ):
        refused = ann.save(task, objects)
        assert (refused.status_code, refused.get_json()["error"]["field"]) == (422, field)
    assert ann.save(task, moved).status_code == 201
    to_check = chris.take("check")
    fixed = {"objects": [*moved[:1], moved[1] | {"box": [52, 240, 195, 371]}], "active_secs": 1.0}
    assert chris.review(to_check, "fixed", fixed=fixed, objects=[]).status_code == 201


def test_after_a_split_gold_and_agreement_compare_what_was_asked(any_house: House) -> None:
    house = any_house
    house.add_image()
    ann = house.ann()
    olga = house.olga()
    task = ann.take()
    assert ann.save(task, [thing(**SOFA)]).status_code == 201
    path = f"{API}/gold/{task['image_id']}"
    seen = {"annotation_id": olga.get(path).get_json()["annotation_id"]}
    assert olga.put(path, seen | {"is_training": False, "note": ""}).status_code == 200
    house.set_qa(gold_share=1.0, double_share=0.0)
    bob, ben = (house.enter(house.add_person(name)) for name in ("bob", "ben"))
    given = [bob.take(), ben.take()]
    change(house, split_class, "sofa", ("couch", "daybed"))
    change(house, rename_word, "daybed", "divan")
    for person, shown, name in ((bob, given[0], "daybed"), (ben, given[1], "chair")):
        answer = person.save(shown, [thing("x", **SOFA | {"class": name})])
        assert answer.status_code == 201, answer.text
    answers = olga.get(f"{API}/gold").get_json()["images"][0]["answers"]
    passed = {answer["person"]["name"]: answer["is_passed"] for answer in answers}
    assert passed == {"bob": True, "ben": False}
    with house.party.catalogue.reading() as session:
        pairs = load_blind_pairs(session, with_gold=True)
    shown_names = [[pair.first[0].class_name, pair.second[0].class_name] for pair in pairs]
    assert sorted(map(sorted, shown_names)) == [["chair", "couch"], ["couch", "couch"]]


def test_answers_after_a_split_are_told_apart() -> None:
    [couch, divan] = (annotated(name, name) for name in ("couch", "daybed"))
    sofa = annotated("sofa", "couch")
    parents = {"couch": "sofa", "daybed": "sofa"}

    def names(*pair: AnnotatedObject) -> list[str]:
        first, second = compare_as_asked((pair[0],), (pair[1],), parents)
        return [first[0].class_name, second[0].class_name]

    assert names(couch, divan) == ["couch", "daybed"]
    assert names(sofa, divan) == ["couch", "couch"]
    assert names(divan, divan) == ["daybed", "daybed"]


def annotated(class_id: str, name: str) -> AnnotatedObject:
    return AnnotatedObject(1, "a", name, Box(1, 1, 9, 9), class_id=class_id)


def test_queries_follow_their_class_through_swapped_merged_and_reused_names(
    any_house: House,
) -> None:
    words = {"cat": ["tabby"], "dog": ["puppy"], "sofa": ["couch"]}
    party = any_house.party

    def load(wanted: dict[str, list[str]]) -> dict[str, int]:
        """The row of the only query of each class, as the classes are called now."""
        with party.catalogue.writing() as session:
            now = follow_classes(party, session)
            keywords = load_keywords(session, wanted, now.preset.class_ids)
        return {name: keyword.query_id for name, (keyword,) in keywords.items()}

    before = load(words)
    for how, names in (
        (rename_word, ("cat", "kitten")),
        (rename_word, ("dog", "cat")),
        (merge_words, ("sofa", "chair")),
        (split_class, ("bottle", ("bottle", "sofa"))),
    ):
        change(any_house, how, *names)
    after = load({"kitten": ["tabby"], "cat": ["puppy"], "chair": ["couch"]})
    assert (after["kitten"], after["cat"], after["chair"]) == tuple(before.values())
    assert load({"sofa": ["couch"]})["sofa"] not in before.values()
    assert load({"chair": ["couch"]}) == {"chair": before["sofa"]}
