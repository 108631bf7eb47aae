"""The pages that people read."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import annotate_ui
from annotate_ui.pages.views import PAGES, SEGMENT
from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Image, SegmentChoice
from tests.suggesting import suggest
from work.board import describe_ago

from .house import API, Clock, House, Json, thing


def test_the_home_page_links_to_what_the_role_allows(house: House) -> None:
    ways = {
        Role.ANNOTATOR: {"/annotate", "/guidelines"},
        Role.CHECKER: {"/annotate", "/check", "/guidelines"},
        Role.ORGANISER: {"/annotate", "/check", "/guidelines", "/board"},
    }
    for role, paths in ways.items():
        text = house.enter(house.add_person(f"a {role}", role)).get("/").text
        for path in ("/annotate", "/check", "/guidelines", "/board"):
            assert (f'href="{path}"' in text) is (path in paths), (role, path)


def test_the_home_page_shows_what_comes_next_what_came_back_and_scores(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    assert "Nothing waits for you." in ann.get("/").text
    any_house.add_image()
    task = ann.take()
    home = ann.get("/").text
    assert f"Image {task['image_id']} is open." in home
    assert ">1</b> to annotate" in home, "what one holds is to be done too"
    ann.save(task)
    assert "<span>1 to check</span>" in chris.get("/").text
    checked = chris.take("check")
    home = chris.get("/").text
    assert ">1</b> to check" in home
    assert f"Image {task['image_id']} is open." in home
    assert "None of your images was checked yet." in ann.get("/").text
    chris.review(checked, "returned", comment="A <b>cat</b> is missing.")
    home = ann.get("/").text
    assert "1 returned to you" in home
    assert f"Image {task['image_id']}, by chris" in home
    assert "A &lt;b&gt;cat&lt;/b&gt; is missing." in home
    assert f'href="/annotate?image={task["image_id"]}"' in home
    assert "0 of 1 images accepted as drawn" in home
    again = ann.take(image_id=task["image_id"])
    ann.save(again, finish=False)
    ann.post(f"{API}/leases/{again['lease']['id']}/give-back")
    assert "A &lt;b&gt;cat" in ann.get("/").text, "a draft does not hide the checker's words"
    assert "returned to you" not in chris.get("/").text


def test_the_home_page_shows_an_organiser_what_needs_them(any_house: House) -> None:
    olga = any_house.olga()
    assert "No dispute, stuck image or finding waits for you." in olga.get("/").text
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    for _ in range(any_house.party.settings.qa.return_rounds):
        ann.save(ann.take())
        chris.review(chris.take("check"), "returned", comment="A cat is missing.")
    ann.save(ann.take())
    stuck = any_house.add_image()
    with any_house.party.catalogue.writing() as session:
        session.get_one(Image, stuck).state = ImageState.ANNOTATING  # nobody holds it
    any_house.add_image()
    ann.save(ann.take(), [thing(), thing("b", box=[48, 240, 195, 372])])
    home = olga.get("/").text
    assert re.search(r'href="/disputes">\s*1 dispute to settle', home)
    assert re.search(r'href="/board">\s*1 stuck image', home)
    assert re.search(r'href="/findings">\s*\d+ (error|warning)s? to look at', home)
    assert "Needs you now" not in chris.get("/").text


def test_a_class_is_foretold_to_miss_its_target_only_where_the_images_left_do_not_suffice(
    party: Party,
) -> None:
    wanted: Json = {"target_images": 5, "class_targets": {"pottedplant": 5}}
    collect = replace(party.settings.collect, **wanted)
    house = House(replace(party, settings=replace(party.settings, collect=collect)))
    ann = house.ann()
    olga = house.olga()
    house.add_images(3)
    ann.save(ann.take())
    assert "miss its target" not in olga.get("/").text, "one image says little about the others"
    ann.save(ann.take())
    said = "1 class will probably miss its target with the images so far: potted plant"
    assert said in olga.get("/").text
    german = olga.get("/", headers={"Accept-Language": "de"}).text
    assert "mit den bisherigen Bildern wohl verfehlen: Topfpflanze" in german


@pytest.mark.parametrize("is_chosen", [False, True])
def test_the_organisers_menu_lists_every_page(house: House, is_chosen: bool) -> None:
    """Segmenting and verifying only where there is something; no page of a pass that is off."""
    if is_chosen:
        suggest(house.party, house.add_image())
        choice = SegmentChoice(image_id=house.add_image(), chosen_at=house.clock.at)
        with house.party.catalogue.writing() as session:
            session.add(choice)
    menu = house.olga().get("/people").text
    for page in PAGES:
        is_chosen_alone = page.template == SEGMENT or page.name == "verify"
        is_shown = page.name != "presence" and (is_chosen or not is_chosen_alone)
        assert (f'href="{page.address}"' in menu) is is_shown, page.name


def test_a_working_page_has_the_csrf_token_and_only_our_files(house: House) -> None:
    chris = house.chris()
    stranger = house.stranger()
    for path in ("/annotate", "/check", "/segment", "/segment/check"):
        page = chris.get(path)
        assert page.status_code == 200
        assert '<meta name="csrf-token" content="' in page.text
        linked = re.findall(r'(?:src|href)="([^"]*)"', page.text)
        assert any(re.match(r"/static/\w+/app/", link) for link in linked)
        for link in linked:
            assert link.startswith("/")
            assert not link.startswith("/static/") or stranger.get(link).status_code == 200, link


def test_scripts_are_sent_with_their_content_type(house: House) -> None:
    folder = Path(annotate_ui.__file__).parent / "static"
    for script in sorted(folder.rglob("*.js")):
        answer = house.stranger().get(f"/static/{script.relative_to(folder)}")
        assert answer.mimetype in ("text/javascript", "application/javascript")


def test_missing_and_forbidden_pages_are_explained(house: House) -> None:
    ann = house.ann()
    answer = ann.get("/nowhere")
    assert answer.status_code == 404
    assert "This page does not exist." in answer.text
    json = house.stranger().get(f"{API}/nowhere")
    assert (json.status_code, json.get_json()["error"]["code"]) == (404, "not_found")
    assert "<h3>dining table</h3>" in ann.get("/guidelines").text
    answer = house.chris().get("/board")
    assert answer.status_code == 403
    assert "No access" in answer.text


def test_times_ago_are_given_in_the_largest_unit() -> None:
    at = Clock().at
    times = [describe_ago(at - timedelta(seconds=secs), at) for secs in (-5, 59, 60, 7199, 7200)]
    assert times == ["just now", "just now", "1 minute ago", "1 hour ago", "2 hours ago"]
    assert describe_ago(at - timedelta(seconds=200_000), at) == "2 days ago"


def test_the_session_gives_the_person_and_a_valid_token(house: House) -> None:
    house.add_image()
    ann = house.ann()
    answer = ann.get(f"{API}/session").get_json()
    assert answer["person"] == {"id": house.person("ann").id, "name": "ann", "role": "annotator"}
    assert answer["server_time"] == "2026-01-31T12:00:00Z"
    assert len(answer["party_id"]) == 16
    ann.csrf_token = answer["csrf_token"]
    assert ann.post(f"{API}/tasks/annotate").status_code == 200


def test_a_simulated_person_is_shown_as_simulated(house: House) -> None:
    robin = house.enter(house.add_person("robin", is_simulated=True))
    assert robin.get(f"{API}/session").get_json()["person"]["name"] == "robin (simulated)"
    assert "robin (simulated)" in robin.get("/").text
    people = house.olga().get(f"{API}/board").get_json()["people"]
    assert "robin (simulated)" in [person["name"] for person in people]


def test_the_party_document_has_all_choices_of_the_page(house: House) -> None:
    party = house.ann().get(f"{API}/party").get_json()
    assert party["name"] == "Test party"
    assert [item["name"] for item in party["classes"]][:2] == ["aeroplane", "bicycle"]
    assert len(party["classes"]) == 20
    table = next(item for item in party["classes"] if item["name"] == "diningtable")
    assert table["display"] == "dining table"
    assert table["groups"] == ["Household", "Furniture"]
    assert (table["has_views"], table["has_parts"], table["has_actions"]) == (True, False, False)
    names = ("Unspecified", "Frontal")
    assert party["views"][:2] == [{"id": name, "display": name.lower()} for name in names]
    assert party["flags"] == ["truncated", "occluded", "difficult"]
    assert party["parts"][1] == {"id": "hand", "display": "hand", "most": 2}
    assert party["actions"][-1] == {"id": "other", "display": "other", "excludes_others": True}
    assert party["discard_reasons"][0]["id"] == "no_object"
    limits = (party["min_box_px"], party["max_objects"], party["lease_secs"])
    assert limits == (4, 1000, 600)
    assert party["guidelines_html"].startswith("<h")


def test_own_images_are_listed_newest_first(any_house: House) -> None:
    any_house.add_images(3)
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    assert ann.get(f"{API}/mine").get_json() == {"images": []}
    first = ann.take()
    ann.save(first, [thing("a"), thing("b")])
    sam.save(sam.take())
    any_house.clock.advance(5)
    second = ann.take()
    ann.save(second, [], discard_reason="collage")
    images = ann.get(f"{API}/mine").get_json()["images"]
    assert [image["image_id"] for image in images] == [second["image_id"], first["image_id"]]
    looks = {key: first[key] for key in ("image_id", "image_url")}
    saved = {"state": "annotated", "saved_at": "2026-01-31T12:00:00Z", "objects": 2}
    assert images[1] == looks | saved
    any_house.set_state(first["image_id"], ImageState.TAKEN_DOWN)
    assert len(ann.get(f"{API}/mine").get_json()["images"]) == 1


def test_the_statistics_say_when_they_were_counted(house: House) -> None:
    ann = house.ann()
    house.add_image()
    ann.save(ann.take())
    olga = house.olga()
    assert "Counted just now." in olga.get("/statistics").text
    page = olga.http.get("/statistics", headers={"Accept-Language": "de"}).text
    assert "Gezählt: gerade eben." in page


def test_the_tables_of_the_statistics_are_in_the_readers_language(house: House) -> None:
    ann = house.ann()
    for _ in range(2):
        house.add_image()
        ann.save(ann.take())
    olga = house.olga()
    english = olga.get("/statistics").text
    german = olga.http.get("/statistics", headers={"Accept-Language": "de"}).text
    for page, words in ((english, ("all", "mean")), (german, ("alle", "Mittel"))):
        assert f'<th scope="colgroup" colspan="2" class="number">{words[0]}</th>' in page
        assert f'<th scope="row">{words[1]}</th>' in page
    numbers = re.findall(r'class="number">(0[.,][0-9]{2,3})<', german)
    assert numbers
    assert {number[1] for number in numbers} == {","}
    assert numbers == [
        number.replace(".", ",")
        for number in re.findall(r'class="number">(0[.,][0-9]{2,3})<', english)
    ]
    edges = '<th scope="col" class="number">{}</th>'
    assert edges.format("0.1-0.2") in english
    assert edges.format("0,1-0,2") in german
