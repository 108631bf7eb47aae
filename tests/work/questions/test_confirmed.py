"""Confirmed boxes live through what organisers do with their set, and through a dying server."""

import signal

import pytest
import requests
from sqlalchemy import select

from catalog.session import Catalogue
from catalog.states import ImageState, Suggested
from catalog.tables import Object, Suggestion
from tests.annotate_ui.house import API, House, Json, thing
from tests.annotate_ui.test_serving import PageSession, running, sign_in
from tests.suggesting import NOON, XYXY, suggest
from work.questions.answering import count_answers, take_back_all
from work.suggest.withdrawal import withdraw_set

from .asking import add_verifier, list_confirmed
from .test_answering import confirm, read_answers


def set_of(catalogue: Catalogue, suggestion_id: int) -> int:
    with catalogue.reading() as session:
        return session.get_one(Suggestion, suggestion_id).set_id


def read_drawn(house: House, image_id: int) -> list[tuple[int | None, Suggested | None]]:
    """The suggestion of each object of an image, and what became of it."""
    head = house.image(image_id).annotation_id
    of_head = select(Object.suggestion_id, Object.suggested).where(Object.annotation_id == head)
    with house.party.catalogue.reading() as session:
        return [(number, word) for number, word in session.execute(of_head)]


def test_a_confirmed_box_of_a_set_that_is_off_is_shown_once_it_is_on_again(house: House) -> None:
    image_id = house.add_image()
    [number] = suggest(house.party, image_id)
    confirm(house, image_id)
    set_id = str(set_of(house.party.catalogue, number))
    assert house.run("suggest", "off", set_id).exit_code == 0
    assert list_confirmed(house, image_id) == []
    assert add_verifier(house, "eve").take() == []  # nor whether there is another one
    ann = house.enter(house.add_person("zoe"))
    assert "suggestions" not in ann.take()
    assert house.run("suggest", "on", set_id).exit_code == 0
    assert list_confirmed(house, image_id) == [number]


def test_a_withdrawn_set_takes_its_confirmed_boxes_along_and_keeps_the_answers(
    any_house: House,
) -> None:
    drawn_id = any_house.add_image()
    [number] = suggest(any_house.party, drawn_id)
    ann, _ = confirm(any_house, drawn_id)
    zoe = any_house.enter(any_house.add_person("zoe"))
    box = thing(box=list(XYXY), suggestion_id=number)
    assert zoe.save(zoe.take(), [box]).status_code == 201
    assert read_drawn(any_house, drawn_id) == [(number, Suggested.ACCEPTED)]
    catalogue = any_house.party.catalogue
    assert withdraw_set(any_house.party, set_of(catalogue, number), at=NOON).boxes == 1
    assert read_drawn(any_house, drawn_id) == []
    assert any_house.state(drawn_id) is ImageState.RETURNED
    assert list_confirmed(any_house, drawn_id) == []
    with catalogue.reading() as session:
        taken_back = count_answers(session, ann.id)
    assert (taken_back.answers, taken_back.drawn) == (1, ())


def test_a_taken_down_photograph_has_no_questions_and_its_answers_can_be_undone(
    house: House,
) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    ann, ben = confirm(house, image_id)
    house.olga().act("take_down", words="she asked", ids=[image_id])
    assert house.state(image_id) is ImageState.TAKEN_DOWN
    assert (ann.take(), ben.take()) == ([], [])
    zoe = house.enter(house.add_person("zoe"))
    assert zoe.take() is None
    with ann.visit() as visit:
        assert take_back_all(visit, ann.id).answers == 1


@pytest.mark.slow
def test_answers_survive_a_kill_and_the_next_server_shows_the_box(house: House) -> None:
    with (house.party.folder / "party.toml").open("a") as file:
        file.write("\n[suggestions]\nwithheld = 0.0\n")  # the server reads it, and draws no lots
    image_id = house.add_image()
    [number] = suggest(house.party, image_id)
    tokens = [house.add_person(name) for name in ("ann", "ben")]
    with running(house.party.folder, "--port", "0") as (process, base_url):
        for token in tokens:
            with sign_in(base_url, token) as http:
                answer_all(http, base_url)
        process.kill()
        assert process.wait(timeout=120) == -signal.SIGKILL
    assert len(read_answers(house)) == 2
    assert list_confirmed(house, image_id) == [number]


def answer_all(http: PageSession, base_url: str) -> None:
    """Call all boxes of people right."""
    for question in ask(http.post(f"{base_url}{API}/questions/classes/person/take", json={})):
        path = f"{base_url}{API}/questions/{question['id']}/answer"
        said = {"version": question["version"], "said": "right", "took_ms": 900}
        ask(http.post(path, json=said))


def ask(answer: requests.Response) -> list[Json]:
    assert answer.status_code == 200, answer.text
    questions: list[Json] = answer.json().get("questions", [])
    return questions
