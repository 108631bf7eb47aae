"""Each route that changes something: nothing is computed in it while others wait for the lock."""

import json
from dataclasses import replace
from typing import Any

import pytest
from flask import Response, request
from sqlalchemy import update

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Finding, Image, PairLabel, Remark, StuckImage
from tests.suggesting import suggest
from tests.work.segment.conftest import SegmentHouse, review, save, segments
from web.receiving import SAFE_METHODS

from .house import API, Browser, House, Json, find_csrf_token, make_jpeg, new_key, thing
from .lock_watch import watching_writes
from .test_clusters import body_of, put_together
from .test_questions import say as say_of
from .test_questions import take as take_questions
from .test_roles import list_calls
from .test_wall import send_back

IMAGES_VERIFIED = 20


def row_id(house: House, table: Any) -> int:
    """The id of the newest row."""
    with house.party.catalogue.reading() as session:
        row = session.query(table).order_by(table.id.desc()).first()
        assert row is not None
        return int(row.id)


def draw(house: House, ann: Browser) -> int:
    """The id of a new image that ann finished."""
    house.add_image()
    task = ann.take()
    assert ann.save(task).status_code == 201
    return int(task["image_id"])


def annotate(ann: Browser, chris: Browser, olga: Browser) -> int:
    """Draw, keep, give back, check, restore, remark on and return; the id of an image."""
    first = ann.take()
    heart = f"{API}/leases/{first['lease']['id']}"
    ann.post(f"{heart}/heartbeat")
    ann.save(first, finish=False)
    saved = ann.save(ann.take(), [thing(), thing("b", box=[49, 240, 195, 371])]).get_json()
    image_id = first["image_id"]
    annotation_id = saved["annotation"]["id"]
    ann.post(f"{API}/leases/{ann.take()['lease']['id']}/give-back")
    chris.review(chris.take("check"), objects=[])
    remark = {"text": "Look at the tail.", "object_key": "a"}
    olga.post(f"{API}/annotations/{annotation_id}/remarks", remark)
    second = ann.take()
    drawn = ann.save(second).get_json()["annotation"]["id"]
    assert send_back(olga, drawn, "Too loose.").status_code == 200
    body = {"save_key": new_key(), "head_id": drawn, "verdict_id": None}
    ann.take(image_id=second["image_id"])
    ann.post(f"{API}/images/{second['image_id']}/revisions/{drawn}/restore", body)
    return int(image_id)


def organise(house: House, ann: Browser, olga: Browser, image_id: int) -> None:
    """Every setting, list and judgement of an organiser."""
    ann.post(f"{API}/remarks/{row_id(house, Remark)}/seen")
    shares = {"base": 0, "double_share": 0.0, "gold_share": 0.0, "training_images": 1}
    olga.put(f"{API}/board/shares", shares)
    olga.put(f"{API}/findings/switches", {"base": 1, "switched_off": []})
    olga.put(f"{API}/guidelines", {"base": 0, "markdown": "# Draw tightly"})
    olga.post(f"{API}/guidelines/preview", {"markdown": "# Draw"})
    olga.put(f"{API}/queue", {"base": 0, "first": [], "wanted_classes": []})
    olga.put(f"{API}/me/preferences", {"preferences": {"zoom": 2}})
    for pair in olga.get(f"{API}/pairs").get_json()["pairs"]:
        decided = olga.post(f"{API}/pairs/{pair['id']}", {"keep": "first"}).get_json()
        back = {"keep": None, "version": decided["version"]}
        olga.post(f"{API}/pairs/{pair['id']}", back)
    verdict = {"verdict": "right"}
    olga.post(f"{API}/findings/{row_id(house, Finding)}/verdict", verdict)
    judged = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    words = [{key: item[key] for key in ("image_id", "annotation_id", "key")} for item in judged]
    said = [word | {"difficult": True} for word in words]
    olga.post(f"{API}/difficult/person/judgements", {"objects": said})
    olga.post(f"{API}/difficult/person/give-back")
    olga.campaign("views", ids=[image_id], fields=["view"])
    olga.post(f"{API}/images/campaigns/1/end")
    olga.act("return", "Too loose.", ids=[draw(house, ann)])
    kept_id = house.add_image()
    other_id = put_together(house, kept_id)
    olga.post(f"{API}/clusters/labels", body_of(kept_id, other_id, "duplicate"))
    olga.post(f"{API}/clusters/labels/{row_id(house, PairLabel)}/undo")
    swap = {"image_id": other_id, "kept_id": kept_id, "label_id": None}
    olga.post(f"{API}/clusters/keep", swap)
    empty_id = house.add_image()
    sent = {"answers": [{"image_id": empty_id, "shows": "none"}]}
    kept = olga.post(f"{API}/presence/classes/cat", sent).get_json()
    olga.post(f"{API}/presence/undo", {"answer_ids": kept["answer_ids"]})


def answer_page(ann: Browser) -> Json:
    """What was kept of a page on which ann saw nothing."""
    page = ann.post(f"{API}/presence/questions/take", {}).get_json()
    seen = [{"image_id": image["image_id"], "is_yes": False} for image in page["images"]]
    sent = {"plan": page["plan"], "node": page["node"], "took_ms": 900, "answers": seen}
    kept: Json = ann.post(f"{API}/presence/questions/answer", sent).get_json()
    return kept


def ask_questions(house: House, ann: Browser, olga: Browser) -> None:
    """A page of questions that ann answers and takes back; then olga takes other answers back."""
    house.add_images(2)
    kept = answer_page(ann)
    ann.post(f"{API}/presence/questions/undo", {"answer_ids": kept["answer_ids"]})
    of_image = f"{API}/presence/images/{answer_page(ann)['kept'][0]}"
    shown = olga.get(f"{of_image}/answers").get_json()
    standing = next(line for line in shown["answers"] if line["taken_back_at"] is None)
    taken = {"answer_id": standing["id"], "version": shown["version"]}
    olga.post(f"{of_image}/take-back", taken)
    [line] = olga.get(f"{API}/presence/questions/status").get_json()["people"]
    olga.post(f"{API}/presence/people/{line['id']}/take-back", {"version": line["version"]})


def lead_people(house: House, olga: Browser, image_id: int) -> None:
    """People who come, are trained, change, are undone and go; a lease taken back."""
    made = olga.post(f"{API}/people", {"name": "ben", "role": "annotator"}).get_json()
    ben_id = made["person"]["id"]
    gold = {"annotation_id": house.image(image_id).annotation_id, "is_training": True, "note": ""}
    olga.put(f"{API}/gold/{image_id}", gold)
    ben = house.enter(house.add_person("bea"))
    trial = ben.take()
    assert trial["image_id"] == image_id
    scored = ben.save(trial, [thing(), thing("b", box=[49, 240, 195, 371])]).get_json()
    assert scored["training"]["is_passed"]
    ben.post(f"{API}/training/finish")
    olga.post(f"{API}/people/{ben_id}/let-begin")
    olga.post(f"{API}/gold/{image_id}/end")
    ben.take()
    [hold] = olga.get(f"{API}/board").get_json()["holds"]
    lease = f"{API}/board/people/{hold['person_id']}/leases/{hold['lease_id']}"
    olga.post(f"{lease}/take-back")
    olga.post(f"{API}/people/{ben_id}/link")
    olga.post(f"{API}/people/{ben_id}/role", {"role": "checker"})
    olga.undo(house.person("ann").id)
    olga.post(f"{API}/people/{ben_id}/end")
    code = olga.post(f"{API}/party-codes", {"most_people": 5, "hours": 1}).get_json()["code"]
    walker = house.stranger()
    token = find_csrf_token(walker.get("/join").text)
    form = {"csrf_token": token, "code": code["code"], "name": "walker"}
    assert walker.http.post("/join", data=form).status_code == 303
    page = walker.get("/welcome").text
    opened_for = olga.opened_for | {"person_id": house.person("walker").id}
    form = {"csrf_token": find_csrf_token(page), "opened_for": json.dumps(opened_for)}
    assert walker.http.post("/welcome/link", data=form).status_code == 303
    olga.post(f"{API}/party-codes/{code['id']}/end")
    ben.http.post("/sign-out", headers={"X-CSRFToken": ben.csrf_token})


def settle_stuck(house: House, ann: Browser, olga: Browser) -> None:
    """An image whose rows contradict each other, which an organiser settles."""
    image_id = draw(house, ann)
    with house.party.catalogue.writing() as session:
        session.add(StuckImage(image_id=image_id, reason="a test", seen_at=house.clock.at))
        session.execute(update(Image).where(Image.id == image_id).values(state=ImageState.CHECKED))
    olga.post(f"{API}/board/stuck/{image_id}/settle")


def draw_pixels(house: SegmentHouse, ann: Browser, chris: Browser) -> None:
    """Outlines of an image, drawn twice, proposed and checked."""
    image_id = house.add_checked()
    sha256 = house.party.store.put(make_jpeg())
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = sha256
    house.choose(twice_share=1.0)
    task = ann.take("segment")
    proposal = {"object_key": "a", "add": [], "remove": []}
    ann.post(f"{API}/images/{image_id}/proposals", proposal)
    assert save(ann, task).status_code == 201
    dan = house.enter(house.add_person("dan"))
    assert save(dan, dan.take("segment"), segments()).status_code == 201
    assert house.choice(image_id).agreement == {"a": 1.0, "b": 1.0}
    assert review(chris, chris.take("check-segment")).status_code == 201


def verify(house: House, ann: Browser, olga: Browser) -> None:
    """Suggested boxes that ann judges; one answer is taken back by her, the others by olga."""
    for _ in range(IMAGES_VERIFIED):  # the lottery withholds some
        suggest(house.party, house.add_image())
    question, other, *_ = take_questions(ann)
    answer_id = say_of(ann, question)
    ann.post(f"{API}/questions/undo", {"answer_ids": [answer_id]})
    say_of(ann, other, "part")
    box = {"version": other["version"], "box": [1, 1, 60, 60], "took_ms": 1}
    ann.post(f"{API}/questions/{other['id']}/draw", box)  # it asks for no box
    [line] = olga.get(f"{API}/board/agreement").get_json()["verification"]["people"]
    answers = {"version": line["version"]}
    olga.post(f"{API}/questions/people/{line['id']}/take-back", answers)


@pytest.mark.usefixtures("own_log")
def test_no_route_computes_while_it_holds_the_write_lock(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = replace(party.settings, questions=replace(party.settings.questions, on=True))
    house = SegmentHouse(replace(party, settings=asking), presence_pass=True)
    succeeded = set[str]()

    @house.app.after_request
    def note(response: Response) -> Response:
        if request.method not in SAFE_METHODS and response.status_code < 400:
            succeeded.add(str(request.endpoint))
        return response

    house.add_images(3)
    with watching_writes(monkeypatch) as computed:
        ann = house.ann()
        chris = house.chris()
        olga = house.olga()
        image_id = annotate(ann, chris, olga)
        draw_pixels(house, ann, chris)
        organise(house, ann, olga, image_id)
        settle_stuck(house, ann, olga)
        verify(house, ann, olga)
        ask_questions(house, ann, olga)
        lead_people(house, olga, image_id)
    changing = {name for name, method, _ in list_calls(house.app) if method not in SAFE_METHODS}
    assert sorted(changing - succeeded) == []
    assert not computed, "\n".join(sorted(computed))
