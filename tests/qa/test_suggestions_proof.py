"""The simulated proof of suggestions: its people, its break-even, and seconds from a party."""

import random

import numpy as np
import pytest

from benchmarks.suggestions_proof import (
    ACTS,
    PUBLISHED,
    Detector,
    bootstrap,
    divide,
    draw_by_hand,
    find_least_precision,
    fit_seconds,
    handle_suggestions,
    read_table,
    spend,
)
from catalog.party import Party
from catalog.states import Suggested
from catalog.tables import SuggestionRejection
from tests.party_rows import add_people
from tests.suggesting import suggest

from .suggestion_work import HERE, add_image, save

IMAGES = 40_000
SECS, SHARES = read_table(PUBLISHED, has_views=True)


def mean_secs(detector: Detector | None) -> float:
    rng = np.random.default_rng(1)
    if detector is None:
        work = draw_by_hand(SHARES, IMAGES, rng)
    else:
        work = handle_suggestions(SHARES, detector, IMAGES, rng)
    return float(spend(work, SECS, rng).mean())


@pytest.mark.parametrize("recall", [0.3, 0.9])
@pytest.mark.parametrize("saving", [0.0, 0.1])
def test_people_save_as_much_as_was_computed_at_the_precision_that_is_named(
    recall: float, saving: float
) -> None:
    precision = find_least_precision(SECS, SHARES, recall, saving)
    assert precision is not None
    saved = 1 - mean_secs(Detector(precision, recall)) / mean_secs(None)
    assert saved == pytest.approx(saving, abs=0.01)


def test_a_detector_has_the_precision_and_recall_that_it_is_named_by() -> None:
    work = handle_suggestions(SHARES, Detector(0.6, 0.9), IMAGES, np.random.default_rng(2))
    handled = {act: work.acts[act].sum() for act in ACTS}
    shown = handled["accept"] + handled["correct"] + handled["reject"]
    right = shown - handled["reject"] - work.wrong.sum()
    assert right / shown == pytest.approx(0.6, abs=0.01)
    assert right / work.objects.sum() == pytest.approx(0.9, abs=0.01)
    assert work.missed.sum() == work.objects.sum() - right - handled["draw"]


def test_the_interval_of_a_difference_holds_it() -> None:
    rng = np.random.default_rng(3)
    ratios = [divide(rng.exponential(mean, 500)) for mean in (10, 8)]
    line = bootstrap(lambda without, having: without - having, ratios, rng)
    value, low, high = (float(word.strip("(to)")) for word in line.split() if word != "to")
    assert low < value < high
    assert low < 2 < high


def test_the_seconds_of_each_act_are_found_in_the_images_of_a_party(party: Party) -> None:
    draw = random.Random(4)
    true = {"draw": 9.0, "accept": 3.0, "correct": 5.0, "reject": 2.0, "finish": 8.0}
    with party.catalogue.writing() as session:
        add_people(session)
        images = [add_image(session) for _ in range(60)]
    for image in images:
        counts = {act: draw.randint(0, 3) for act in ACTS[:4]} | {"finish": 1}
        left = counts["accept"] + counts["correct"]
        ids = suggest(party, image.id, [HERE] * (left + counts["reject"]))
        with party.catalogue.writing() as session:
            drawn = [("cat", HERE)] * (left + counts["draw"])
            secs = sum(true[act] * counts[act] for act in ACTS)
            made_of = {place + 1: number for place, number in enumerate(ids[:left])}
            values = {"active_secs": secs, "suggestions_shown": len(ids), "made_of": made_of}
            revision = save(session, image, drawn, **values)
            for item in revision.objects[counts["accept"] : left]:
                item.suggested = Suggested.CORRECTED
            session.add_all(
                SuggestionRejection(annotation_id=revision.id, suggestion_id=number)
                for number in ids[left:]
            )
    assert fit_seconds(party) == pytest.approx(true)
