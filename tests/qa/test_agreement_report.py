import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, Verdict
from catalog.tables import Measurement
from qa.agreement import FIELDS
from qa.cli import agreement
from tests.rows import load_rows
from vockit.command_line import CommandGroup

from .rows import CAR, DOG, NOON, add_double, add_image, add_person, add_review, add_revision

BUS = {**CAR, "class_id": "bus"}


@pytest.fixture(autouse=True)
def set_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the time zone of this machine, as TZ writes it; at first it is UTC."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    move("UTC0")
    yield move
    monkeypatch.undo()
    time.tzset()


def invoke(party: Party, *arguments: str) -> str:
    group = CommandGroup(commands={"agreement": agreement})
    result = CliRunner().invoke(group, ["agreement", "--party", str(party.folder), *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def annotate_twice(party: Party) -> None:
    """Four images by ann and bob: the same twice, one dog missed, one car taken for a bus."""
    ann = add_person(party)
    bob = add_person(party, "bob")
    for first, second in (
        ([CAR], [CAR]),
        ([CAR, DOG], [CAR, DOG]),
        ([CAR, DOG], [CAR]),
        ([CAR], [BUS]),
    ):
        image_id = add_image(party)
        reference = add_revision(party, image_id, ann, *first)
        answer = add_revision(party, image_id, bob, *second, is_head=False, beside="blind")
        add_double(party, image_id, bob, reference, answer)


def test_the_agreement_of_two_people_equals_a_count_by_hand(any_party: Party) -> None:
    annotate_twice(any_party)
    document = json.loads(invoke(any_party, "--json"))
    everybody = document["everybody"]
    assert (everybody["images"], everybody["both_objects"]) == (4, 5)
    assert everybody["both"]["value"] == 5 / 6
    assert everybody["mean_overlap"]["value"] == 1.0
    assert everybody["fields"]["class"]["same"]["value"] == 4 / 5
    [pair] = document["pairs"]
    assert pair["people"] == ["ann", "bob"]
    # kappa of [[3 cars, 1 bus], [1 dog]]: observed 4/5, by chance (4*3 + 1*1) / 25
    assert abs(pair["fields"]["class"]["kappa"]["value"] - (0.8 - 13 / 25) / (1 - 13 / 25)) < 1e-9
    [confusion] = document["confusions"]
    names = ("first_class", "second_class", "objects")
    assert [confusion[name] for name in names] == ["bus", "car", 1]
    assert pair["confusions"] == document["everybody"]["confusions"] == [confusion]
    assert len(document["assumptions"]) == 4
    # ann found six, bob five of six that either found, in four images; both missed hardly any
    value, low, high = document["missing_in_an_image"]["before checking"]
    assert low < (6 - 11 / 2) / 4 < value < (6.5 - 11 / 2) / 4 < high


def test_two_people_are_compared_on_every_class_and_field(any_party: Party) -> None:
    annotate_twice(any_party)
    document = json.loads(invoke(any_party, "--json"))
    groups = document["pairs_by_class"]
    assert {tuple(group["people"]) for group in groups} == {("ann", "bob")}
    by_class = {group["class"]: group for group in groups}
    # ann drew four cars, of which bob took one for a bus, and two dogs, of which he missed one
    counted = {
        name: (
            group["images"],
            group["first_objects"],
            group["second_objects"],
            group["both_objects"],
        )
        for name, group in by_class.items()
    }
    assert counted == {"bus": (1, 0, 1, 0), "car": (4, 4, 3, 3), "dog": (2, 2, 1, 1)}
    assert by_class["car"]["both"]["value"] == 3 / 4
    assert list(by_class["car"]["fields"]) == list(FIELDS[1:])
    assert by_class["car"]["fields"]["view"]["same"]["value"] == 1
    assert document["classes"][0].keys() == groups[0].keys()


def test_the_text_names_people_classes_kappas_and_assumptions(party: Party) -> None:
    annotate_twice(party)
    text = invoke(party)
    assert "Annotated twice, blind: 4 images." in text
    for words in ("ann, bob", "truncated", "bus, car", "Objects that both missed", "This holds if"):
        assert words in text
    lines = text.splitlines()
    head = next(line for line in lines if line.strip().startswith("kappa"))
    assert head.split() == ["kappa", *FIELDS]
    [kappas] = [line for line in lines[lines.index(head) :] if line.strip().startswith("ann, bob")]
    assert kappas.split()[2:] == ["0.583", "1.000", *"-----"]
    assert "pairs_by_class" in lines[lines.index(kappas) + 1]


def fill_with_checked_days(party: Party) -> None:
    """Two images that ann drew on day one, one of them fixed by chris, and one of day two."""
    ann = add_person(party)
    chris = add_person(party, "chris")
    late = NOON + timedelta(days=2)
    for days, drawn, fixed in ((0, [CAR], [CAR, DOG]), (0, [CAR], None), (1, [CAR, DOG], None)):
        image_id = add_image(party, ImageState.CHECKED)
        saved_at = NOON + timedelta(days=days)
        first = add_revision(party, image_id, ann, *drawn, saved_at=saved_at)
        if fixed is None:
            add_review(party, first, chris)
        else:
            second = add_revision(party, image_id, chris, *fixed, saved_at=late)
            how = {"verdict": Verdict.FIXED, "fixed_annotation_id": second}
            add_review(party, first, chris, **how)


def test_error_rates_are_shown_by_person_class_and_the_day_of_drawing(any_party: Party) -> None:
    """All were checked on day three; one object of three was missed on day one, none later."""
    fill_with_checked_days(any_party)
    errors = json.loads(invoke(any_party, "--json"))["errors"]
    assert errors["all"]["rates"]["missed"]["value"] == 1 / 5
    assert [row["label"] for row in errors["by_person"]] == ["ann"]
    missed = {row["label"]: row["counts"]["missed"] for row in errors["by_class"]}
    assert missed == {"car": 0, "dog": 1}
    days_of = errors["by_day"]
    shown = [
        (row["label"], row["images"], row["objects"], row["counts"]["missed"]) for row in days_of
    ]
    assert shown == [("2026-01-31", 2, 3, 1), ("2026-02-01", 1, 2, 0)]
    assert [row["rates"]["missed"]["value"] for row in days_of] == [1 / 3, 0]
    lines = invoke(any_party).splitlines()
    head = next(place for place, line in enumerate(lines) if line.split()[:1] == ["day"])
    expected = [["2026-01-31", "3", "33.3%"], ["2026-02-01", "2", "0.0%"]]
    assert [line.split()[:3] for line in lines[head + 1 : head + 3]] == expected


def test_the_machines_time_zone_decides_days(party: Party, set_zone: Callable[[str], None]) -> None:
    ann = add_person(party)
    chris = add_person(party, "chris")
    drawn = add_revision(party, add_image(party, ImageState.CHECKED), ann, CAR)
    add_review(party, drawn, chris)
    set_zone("NZDT-13")
    [day] = json.loads(invoke(party, "--json"))["errors"]["by_day"]
    assert day["label"] == "2026-02-01"
    assert "day (local)" in invoke(party)
    assert "nan" not in invoke(party)


def test_returned_work_counts_once_by_its_first_version(any_party: Party) -> None:
    ann, chris, dora = (add_person(any_party, name) for name in ("ann", "chris", "dora"))
    image_id = add_image(any_party, ImageState.CHECKED)
    first = add_revision(any_party, image_id, ann, CAR)
    add_review(any_party, first, chris, verdict=Verdict.RETURNED)
    assert json.loads(invoke(any_party, "--json"))["errors"]["all"]["images"] == 0
    second = add_revision(any_party, image_id, ann, CAR, DOG)
    add_review(any_party, second, dora)
    errors = json.loads(invoke(any_party, "--json"))["errors"]
    assert (errors["all"]["images"], errors["all"]["objects"]) == (1, 2)
    assert errors["all"]["counts"]["missed"] == 1
    assert sum(errors["all"]["counts"].values()) == 1


def test_a_person_is_not_charged_with_errors_of_work_they_took_over(any_party: Party) -> None:
    ann, bob, chris = (add_person(any_party, name) for name in ("ann", "bob", "chris"))
    image_id = add_image(any_party, ImageState.CHECKED)
    drawn = add_revision(any_party, image_id, ann, CAR)
    add_review(any_party, drawn, chris, verdict=Verdict.RETURNED)
    add_review(any_party, add_revision(any_party, image_id, bob, CAR, DOG), chris)
    people = json.loads(invoke(any_party, "--json"))["errors"]["by_person"]
    assert {row["label"]: row["counts"]["missed"] for row in people} == {"ann": 1, "bob": 0}


def test_without_doubly_annotated_images_the_command_names_the_setting(any_party: Party) -> None:
    assert "qa.double_share" in invoke(any_party)
    assert json.loads(invoke(any_party, "--json"))["everybody"]["both"]["value"] is None


def test_the_last_agreement_is_stored_for_the_next_release(any_party: Party) -> None:
    invoke(any_party)
    annotate_twice(any_party)
    invoke(any_party)
    [kept] = load_rows(any_party, select(Measurement))
    assert kept.name == "agreement"
    assert kept.value["images annotated twice, blind"] == 4
    assert {"objects found by both", "same class", "objects that both missed"} <= kept.value.keys()
