"""People of a party who are asked questions, without a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from catalog.states import Role, Said
from catalog.tables import Person
from tests.annotate_ui.house import House
from work.questions.answering import keep_answer
from work.questions.asked import Asked
from work.questions.asking import take_questions
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
