"""What suggestions do: the arms of the lottery, the advice, and who accepts wrong suggestions."""

import math
import random
import statistics
from collections import Counter
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import Beside, BlindKind, QuestionKind, Said, Suggested
from catalog.tables import Annotation, BlindTask, Image, Object, Question, QuestionAnswer
from qa.agreement_document import format_document
from qa.agreement_report import format_agreement, summarise
from qa.jobs import measure_party
from qa.suggestion_effect import (
    Advice,
    Compared,
    Effort,
    compare_arms,
    describe_effect,
    estimate_ratio,
    measure_arm,
)
from qa.suggestion_rows import load_suggestion_effect
from tests.party_rows import NOW, add_people
from tests.rows import make_image
from tests.suggesting import suggest

_numbers = count(1)
HERE = (10, 10, 110, 110)
THERE = (200, 200, 300, 300)
WITHHELD: dict[str, Any] = {"suggestions_shown": 0, "suggestions_withheld": True}
Boxes = list[tuple[str, tuple[int, int, int, int]]]


def add_image(session: Session) -> Image:
    image = make_image(f"{next(_numbers):064x}", NOW)
    session.add(image)
    session.flush()
    return image


def save(session: Session, image: Image, boxes: Boxes, **values: Any) -> Annotation:
    """A finished revision by ann with these boxes; `made_of` are suggestions by place."""
    made_of = values.pop("made_of", {})
    objects = [
        Object(
            number=place,
            object_key=f"k{place}",
            class_id=class_id,
            xmin=box[0],
            ymin=box[1],
            xmax=box[2],
            ymax=box[3],
            suggestion_id=made_of.get(place),
            suggested=Suggested.ACCEPTED if place in made_of else None,
        )
        for place, (class_id, box) in enumerate(boxes, start=1)
    ]
    plain = {"person_id": 1, "is_finished": True, "saved_at": NOW + timedelta(hours=1)}
    key = f"save-{next(_numbers)}"
    revision = Annotation(image_id=image.id, save_key=key, objects=objects, **(plain | values))
    session.add(revision)
    session.flush()
    return revision


def answer_blind(
    session: Session,
    image: Image,
    boxes: Boxes,
    reference: Annotation,
    kind: BlindKind,
    **more: Any,
) -> None:
    """What chris drew of the image without seeing the reference."""
    drawn = save(session, image, boxes, person_id=2, beside=Beside.BLIND, **more)
    session.add(
        BlindTask(
            image_id=image.id,
            person_id=2,
            kind=kind,
            taken_at=NOW,
            finished_at=NOW,
            reference_id=reference.id,
            annotation_id=drawn.id,
        )
    )


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


def compare(missed: int, extra: int = 0, others: int = 4) -> Compared:
    """An image of which a second person drew so many objects."""
    both = others - missed
    return Compared(
        missed=missed,
        others_objects=others,
        extra=extra,
        objects=both + extra,
        wrong_class=0,
        both_objects=both,
        overlaps=0.9 * both,
    )


def arm(secs: float, missed: int, images: int = 200, extra: int = 0) -> Any:
    """An arm of images with four objects each; of every tenth so many are missed, or extra."""
    efforts = [Effort(secs * (3 + place % 3), 10 + place % 5, 4) for place in range(images)]
    compared = [
        compare(missed if place % 10 == 0 else 0, extra if place % 10 == 0 else 0)
        for place in range(images)
    ]
    return measure_arm(efforts, compared)


@pytest.mark.parametrize(
    ("shown", "withheld", "advice"),
    [
        (arm(1.0, 1), arm(2.0, 1), Advice.KEEP),
        (arm(1.85, 1), arm(2.0, 1), Advice.TOO_SLOW),
        (arm(3.0, 1), arm(2.0, 1), Advice.TOO_SLOW),
        (arm(1.0, 4), arm(2.0, 0), Advice.MISSES_MORE),
        (arm(1.0, 0), arm(2.0, 4), Advice.KEEP),
        (arm(1.0, 1, extra=6), arm(2.0, 1), Advice.EXTRA_MORE),
        (arm(1.0, 1, extra=6), arm(2.0, 1, extra=6), Advice.KEEP),
        (arm(1.0, 1), arm(2.0, 1, extra=6), Advice.KEEP),
        (arm(1.0, 1, images=29), arm(2.0, 1), Advice.WAIT),
        (arm(1.0, 1), arm(2.0, 1, images=29), Advice.WAIT),
        (arm(1.0, 1), arm(2.0, 1, images=0), Advice.WAIT),
    ],
)
def test_suggestions_that_save_little_or_add_errors_are_to_be_switched_off(
    shown: Any, withheld: Any, advice: Advice
) -> None:
    effect = compare_arms(shown, withheld)
    assert effect.advice is advice
    if not math.isnan(effect.saved.value):
        assert effect.saved.value == pytest.approx(1 - shown.secs.value / withheld.secs.value)
        assert effect.saved.low <= effect.saved.value <= effect.saved.high


def make_arm(draw: random.Random, images: int, secs: float, miss: float = 0.1) -> Any:
    """Images whose seconds an object vary around a mean, each compared with a second person's."""
    efforts = []
    compared = []
    for _ in range(images):
        objects = draw.randint(1, 5)
        spent = secs * objects * draw.lognormvariate(-0.125, 0.5)
        efforts.append(Effort(spent, 3 * objects, objects))
        missed = sum(draw.random() < miss for _ in range(objects))
        compared.append(compare(missed, others=objects))
    return measure_arm(efforts, compared)


def count_advice(
    images: tuple[int, int], saved: float, more: float = 0.0, parties: int = 200
) -> Counter[Advice]:
    """What is advised to parties whose suggestions save so much, and miss so much more."""
    draw = random.Random(6)
    return Counter(
        compare_arms(
            make_arm(draw, images[0], 10 * (1 - saved), 0.1 + more), make_arm(draw, images[1], 10)
        ).advice
        for _ in range(parties)
    )


@pytest.mark.parametrize("images", [(8, 2), (40, 10), (120, 30), (400, 100)])
def test_good_suggestions_are_hardly_ever_accused_however_few_images_there_are(
    images: tuple[int, int],
) -> None:
    advice = count_advice(images, saved=0.2)
    assert advice[Advice.TOO_SLOW] + advice[Advice.MISSES_MORE] <= 16  # of 200


def test_suggestions_that_cost_time_or_miss_more_are_named_once_there_are_enough_images() -> None:
    images = (1200, 300)
    assert count_advice(images, 0.0, parties=20)[Advice.TOO_SLOW] >= 18
    assert count_advice(images, 0.3, more=0.1, parties=20)[Advice.MISSES_MORE] >= 18


def test_the_images_that_are_lacking_suffice_for_advice() -> None:
    draw = random.Random(7)
    few = compare_arms(make_arm(draw, 24, 8), make_arm(draw, 6, 10))
    assert (few.advice, few.more_shown, few.more_withheld) == (Advice.WAIT, 6, 24)
    said = "about 6 more with suggestions and 24 more without are needed"
    assert said in describe_effect(few, {})[0]
    unsure = compare_arms(make_arm(draw, 120, 9), make_arm(draw, 30, 10))
    assert unsure.advice is Advice.WAIT
    images = [120 + unsure.more_shown, 30 + unsure.more_withheld]
    assert 60 <= images[1] <= 300
    most = [2 * number for number in images]
    enough = compare_arms(make_arm(draw, most[0], 9), make_arm(draw, most[1], 10))
    assert enough.advice is not Advice.WAIT
    assert (enough.more_shown, enough.more_withheld) == (0, 0)


def test_the_interval_of_a_ratio_holds_the_truth_about_95_times_in_100() -> None:
    draw = random.Random(50)
    held = []
    for _ in range(400):
        counts = [draw.randint(1, 8) for _ in range(40)]
        sums = [number * 5 * draw.lognormvariate(-0.125, 0.5) for number in counts]
        interval = estimate_ratio(sums, counts)
        held.append(interval.low <= 5 <= interval.high)
    assert 0.91 <= statistics.mean(held) <= 0.99


def test_a_ratio_of_one_image_has_no_interval_and_of_no_object_is_unknown() -> None:
    single = estimate_ratio([12.0], [4])
    assert single.value == 3
    assert math.isnan(single.low)
    assert estimate_ratio([], []).count == 0
    assert estimate_ratio([5.0], [0]).count == 0
