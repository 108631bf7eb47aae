"""People of a party who are asked questions, without a browser."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from catalog.states import Role, Said
from catalog.tables import Person
from tests.annotate_ui.house import House
from work.questions.answering import keep_answer
from work.questions.asked import Asked
from work.questions.asking import count_waiting, take_questions
from work.suggestions import load_for_image
from work.visit import Visit


@dataclass
class Verifier:
    """A person of the party."""

    house: House
    id: int

    @contextmanager
    def visit(self) -> Iterator[Visit]:
        with self.house.party.catalogue.writing() as session:
            person = session.get_one(Person, self.id)
            yield Visit(
                self.house.party, session, person, self.house.clock.at, self.house.make_token
            )

    def take(self, class_id: str = "person") -> list[Asked]:
        with self.visit() as visit:
            questions = take_questions(visit, class_id)
            visit.session.expunge_all()
            return questions

    def say(self, question_id: int, said: Said) -> int | None:
        """The id of the answer that holds then."""
        with self.visit() as visit:
            answer = keep_answer(visit, question_id, said, 1500)
            return answer.id if answer else None

    def say_all(self, said: Said, class_id: str = "person") -> list[Asked]:
        """The questions of the next screen, each answered so."""
        questions = self.take(class_id)
        for asked in questions:
            self.say(asked.question.id, said)
        return questions


def add_verifier(house: House, name: str, role: Role = Role.ANNOTATOR) -> Verifier:
    house.add_person(name, role)
    return Verifier(house, house.person(name).id)


BESIDE = (300, 40, 420, 200)


def list_asked(questions: list[Asked]) -> list[int | None]:
    return [asked.question.suggestion_id for asked in questions]


def list_confirmed(house: House, image_id: int) -> list[int]:
    classes = house.party.preset.class_ids.values()
    with house.party.catalogue.reading() as session:
        shown = load_for_image(session, image_id, classes)
        return [item.id for item in shown if item.is_confirmed]


def count_of(verifier: Verifier) -> dict[str, int]:
    with verifier.visit() as visit:
        return count_waiting(visit)


def answer_all(person: Verifier, right_share: float, lots: random.Random) -> None:
    """Answer all boxes of people: the right word, or "right" for so many of the wrong ones."""
    while questions := [asked.question for asked in person.take() if asked.question.kind == "box"]:
        for question in questions:
            known = question.known or Said.RIGHT
            is_passed = known is not Said.RIGHT and lots.random() < right_share
            person.say(question.id, Said.RIGHT if is_passed else known)
