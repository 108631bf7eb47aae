"""Which images and answers count for the comparison of suggestions, and what they cost."""

from datetime import timedelta

import pytest

from catalog.party import Party
from catalog.states import BlindKind, QuestionKind, Said
from catalog.tables import Question, QuestionAnswer
from qa.agreement_document import format_document
from qa.agreement_report import format_agreement, summarise
from qa.jobs import measure_party
from qa.suggestion_effect import (
    Advice,
)
from qa.suggestion_rows import load_suggestion_effect
from tests.party_rows import NOW, add_people
from tests.suggesting import suggest

from .suggestion_work import HERE, THERE, WITHHELD, add_image, answer_blind, save


def test_the_arms_count_first_annotations_with_all_their_drafts(party: Party) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        images = [add_image(session) for _ in range(6)]
    suggest(party, images[0].id)
    with party.catalogue.writing() as session:
        drawn = [("cat", HERE)]
        # A draft and the end of one image, by ann; then a second version, which is not the first.
        save(
            session,
            images[0],
            drawn,
            active_secs=4,
            inputs=3,
            is_finished=False,
            suggestions_shown=1,
        )
        first = save(session, images[0], drawn * 2, active_secs=6, inputs=5, suggestions_shown=1)
        save(session, images[0], drawn, active_secs=100, inputs=100, suggestions_shown=1)
        save(session, images[1], drawn * 2, active_secs=8, inputs=2, suggestions_shown=2)
        save(session, images[2], drawn, active_secs=20, inputs=9, **WITHHELD)
        save(session, images[3], drawn, active_secs=1, inputs=1)  # no set covers it
        save(session, images[4], [], discard_reason="collage", suggestions_shown=1)
        save(session, images[5], drawn, active_secs=6, inputs=4, suggestions_shown=0)  # none found
        # Chris found two of a cat and a dog more; one box that both drew is a dog to chris.
        others = [("cat", HERE), ("dog", HERE), ("dog", THERE)]
        answer_blind(session, images[0], others, first, BlindKind.DOUBLE, suggestions_shown=0)
    with party.catalogue.reading() as session:
        effect = load_suggestion_effect(session, 0.5)
    assert effect is not None
    shown = effect.shown
    withheld = effect.withheld
    assert (shown.images, shown.objects, shown.compared) == (3, 5, 1)
    assert shown.secs.value == (4 + 6 + 8 + 6) / 5
    assert shown.inputs.value == (3 + 5 + 2 + 4) / 5
    assert (withheld.images, withheld.secs.value, withheld.inputs.value) == (1, 20, 9)
    assert shown.missed.value == pytest.approx(1 / 3)
    assert shown.extra.value == 0
    assert shown.wrong_class.value == pytest.approx(1 / 2)
    assert shown.overlap.value == 1
    assert (effect.advice, withheld.compared) == (Advice.WAIT, 0)


def test_what_people_spent_on_verifying_an_image_is_part_of_its_cost(party: Party) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        image = add_image(session)
    [number] = suggest(party, image.id)
    with party.catalogue.writing() as session:
        save(session, image, [("cat", HERE)], active_secs=6, inputs=4, suggestions_shown=1)
        for person_id, known in ((1, None), (2, None), (2, Said.PART)):
            question = Question(
                kind=QuestionKind.BOX,
                image_id=image.id,
                class_id="cat",
                suggestion_id=None if known else number,
                known=known,
                person_id=person_id,
                asked_at=NOW,
                **dict(zip(("xmin", "ymin", "xmax", "ymax"), HERE, strict=True)),
            )
            session.add(question)
            session.flush()
            answered = {"said": Said.RIGHT, "answered_at": NOW, "took_ms": 1500}
            session.add(QuestionAnswer(question_id=question.id, **answered))
    with party.catalogue.reading() as session:
        effect = load_suggestion_effect(session, 0.5)
    assert effect is not None
    assert (effect.shown.secs.value, effect.shown.inputs.value) == (9, 6)


def test_nothing_is_compared_in_a_party_without_suggestions(party: Party) -> None:
    with party.catalogue.reading() as session:
        assert load_suggestion_effect(session, 0.5) is None
    assert format_document(measure_party(party, NOW))["suggestions"] is None


def test_anchoring_counts_wrong_suggestions_that_were_accepted_unchanged(party: Party) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        images = [add_image(session) for _ in range(2)]
    right, wrong = suggest(party, images[0].id, [HERE, THERE], class_id="cat")
    other_class, later = (
        suggest(
            party, images[1].id, [HERE], class_id="dog", loaded_at=NOW + timedelta(hours=hours)
        )[0]
        for hours in (0, 5)
    )
    with party.catalogue.writing() as session:
        reference = [save(session, image, [("cat", HERE)]) for image in images]
        said = [("cat", HERE), ("cat", THERE)]
        answer_blind(
            session,
            images[0],
            said,
            reference[0],
            BlindKind.GOLD,
            suggestions_shown=2,
            made_of={1: right, 2: wrong},
        )
        answer_blind(session, images[1], [], reference[1], BlindKind.GOLD, suggestions_shown=1)
    with party.catalogue.reading() as session:
        effect = load_suggestion_effect(session, 0.5)
    assert effect is None  # no image has a first annotation with or without suggestions yet
    assert other_class != later
    with party.catalogue.writing() as session:
        save(session, add_image(session), [("cat", HERE)], active_secs=5, **WITHHELD)
    with party.catalogue.reading() as session:
        effect = load_suggestion_effect(session, 0.5)
    assert effect is not None
    [line] = effect.anchoring
    assert (line.person_id, line.images, line.wrong) == (2, 2, 2)
    assert line.accepted.value == 0.5
    report = measure_party(party, NOW)
    assert "chris accepted 50% of 2 wrong suggestions on gold images as they were." in "\n".join(
        format_agreement(report)
    )
    document = format_document(report)["suggestions"]
    assert [entry["person"] for entry in document["anchoring"]] == ["chris"]
    assert summarise(report)["images annotated without"] == "1"
