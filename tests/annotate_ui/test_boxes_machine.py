"""Any order of questions, boxes, old pages and take-backs on the page Verify ends well."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.settings import QuestionSettings
from catalog.states import QuestionKind, Said, SuggestionKind
from catalog.suggested import is_confirmed, stands
from catalog.tables import Question, QuestionAnswer, Suggestion, SuggestionSet
from tests.suggesting import suggest
from work.questions.answering import WORDS

from .house import API, House, Json
from .test_boxes_by_class import count_waiting, show
from .test_questions import take
from .test_work_machine import copy_party

NAMES = ("ben", "eve", "fay")
IMAGES = 3
STEPS = 60


class Drawing:
    """Three people with two windows each, which keep their last questions."""

    def __init__(self, house: House, rng: random.Random) -> None:
        self.house = house
        self.rng = rng
        self.browsers = {name: house.enter(house.add_person(name)) for name in NAMES}
        self.shown: dict[tuple[str, int], list[Json]] = {}
        self.answers: dict[str, list[int]] = {name: [] for name in NAMES}
        self.image_ids = [show(house) for _ in range(IMAGES)]
        suggest(house.party, self.image_ids[0])

    def step(self) -> None:
        """Something that one of them does, perhaps on a page of before."""
        name = self.rng.choice(NAMES)
        window = name, self.rng.randrange(2)
        action = self.rng.choice(("take", "take", "take", "answer", "answer", "answer", "undo"))
        if action == "take":
            self.shown[window] = self.take(name)
        elif action == "undo" and self.answers[name]:
            number = self.rng.choice(self.answers[name])
            self.browsers[name].post(f"{API}/questions/undo", {"answer_ids": [number]})
        elif action == "answer" and self.shown.get(window):
            question = self.rng.choice(self.shown[window])
            words = WORDS[QuestionKind(question["kind"])]
            self.answer(name, question, self.rng.choice(words), draws=self.rng.random() < 0.8)
        if self.rng.random() < 0.1:
            self.house.clock.advance(self.rng.choice((60, 700)))

    def take(self, name: str) -> list[Json]:
        """The questions of a person, none of which is about a box of theirs or one taken back."""
        questions = take(self.browsers[name])
        ids = [question["id"] for question in questions if question["kind"] == "box"]
        asked = (
            select(Suggestion.id, stands())
            .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
            .join(Question, Question.suggestion_id == Suggestion.id)
            .where(Question.id.in_(ids))
        )
        drawn = select(Question.suggestion_id).where(
            Question.kind == QuestionKind.DRAW,
            Question.person_id == self.house.person(name).id,
            Question.suggestion_id.is_not(None),
        )
        with self.house.party.catalogue.reading() as session:
            rows = session.execute(asked).tuples().all()
            drawn_ids = set(session.scalars(drawn))
        assert all(is_standing for _, is_standing in rows)
        assert not drawn_ids & {suggestion_id for suggestion_id, _ in rows}
        return questions

    def answer(self, name: str, question: Json, said: Said, *, draws: bool) -> None:
        path = f"{API}/questions/{question['id']}"
        body: Json = {"version": question["version"], "took_ms": 900}
        if question["kind"] == "draw" and draws:
            xmin = self.rng.randint(1, 200)
            ymin = self.rng.randint(1, 200)
            body["box"] = [xmin, ymin, xmin + 90, ymin + 90]
            answered = self.browsers[name].post(f"{path}/draw", body)
        else:
            answered = self.browsers[name].post(f"{path}/answer", {**body, "said": said})
        assert answered.status_code == 200, answered.text
        if (number := answered.get_json()["answer_id"]) is not None:
            self.answers[name].append(number)

    def finish(self) -> None:
        """All of them answer what waits, as long as anything does: nothing is stuck."""
        said = {"box": Said.RIGHT, "more": Said.NO, "draw": Said.NO}
        for _ in range(20):
            self.house.clock.advance(700)
            for name in NAMES:
                for question in self.take(name):
                    self.answer(name, question, said[question["kind"]], draws=True)
        assert count_waiting(self.browsers["ben"]) == {}


@pytest.mark.parametrize("seed", range(2))
def test_any_order_of_drawing_and_verifying_ends_with_boxes_that_two_people_saw(
    party_template: Path, seed: int
) -> None:
    with copy_party(party_template) as party:
        settings = replace(party.settings, questions=QuestionSettings(boxes=True))
        house = House(replace(party, settings=settings))
        drawing = Drawing(house, random.Random(seed))
        for _ in range(STEPS):
            drawing.step()
        drawing.finish()
        of_people = (
            select(Suggestion.id)
            .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
            .where(SuggestionSet.kind == SuggestionKind.DRAWN, stands())
        )
        refused = (
            select(Question.suggestion_id)
            .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
            .where(QuestionAnswer.set_aside_at.is_(None), QuestionAnswer.said != Said.RIGHT)
            .where(Question.suggestion_id.is_not(None))
        )
        unseen = of_people.where(~is_confirmed(), Suggestion.id.not_in(refused))
        with house.party.catalogue.reading() as session:
            assert session.scalars(of_people).all()
            assert session.scalars(unseen).all() == []
        ann = house.ann()
        offered = {ann.take()["image_id"]}
        assert offered <= set(drawing.image_ids)
