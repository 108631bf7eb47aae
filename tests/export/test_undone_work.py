"""What an undo of a person set aside counts in no figure of a datasheet or of `vocparty stats`."""

from __future__ import annotations

from datetime import UTC, datetime

from annotate_ui.work.leases import release_leases
from catalog.party import Party
from catalog.states import ImageState, Verdict
from catalog.stats import load_standing
from catalog.tables import Image
from export.accompanying_files.pack import load_facts
from export.rows import load_images
from operate.undo import undo_person
from tests.annotate_ui.house import House

AT = datetime(2026, 2, 1, tzinfo=UTC)


def undo(party: Party, house: House, name: str) -> None:
    person = house.person(name)
    with party.catalogue.writing() as session:
        undo_person(session, party, person, None, at=AT, release=release_leases)


def test_a_checker_and_an_annotator_who_were_undone_count_nowhere(any_party: Party) -> None:
    house = House(any_party)
    ann, chris = house.ann(), house.chris()
    vandal = house.enter(house.add_person("vandal", is_simulated=True))
    bad_checker = house.enter(house.add_person("bad", house.person("chris").role))
    images = [house.add_image() for _ in range(4)]
    for _ in images:
        ann.save(ann.take())
    for image_id in images:
        verdict = "accept" if image_id > 1 else "mended"
        bad_checker.review(bad_checker.take("check", image_id=image_id), verdict)
    house.add_image()
    vandal.save(vandal.take(), [], discard_reason="poor_quality")
    undo(any_party, house, "bad")
    undo(any_party, house, "vandal")
    chris.review(chris.take("check", image_id=2))
    with any_party.catalogue.reading() as session:
        heads = {it.id: it.annotation_id for it in session.query(Image) if it.annotation_id}
        facts = load_facts(session, any_party, sorted(heads.values()))
        standing = load_standing(session)
        seen_twice = [row.id for row in load_images(session, heads) if row.has_second_look]
    assert facts["verdicts"] == {Verdict.ACCEPT: 1}
    assert facts["checkers"] == {"people": 1, "simulated": 0, "rows": 1, "active_hours": 0.0}
    assert facts["annotators"] == {"people": 1, "simulated": 0, "rows": 4, "active_hours": 0.03}
    assert facts["discarded"] == {}
    assert facts["looks"] == {"judged": 1, "defaulted": 0, "complete": 1, "images": 1}
    assert (standing.revisions, standing.reviews, standing.discarded) == (4, 1, {})
    assert standing.images[ImageState.CHECKED] == 1
    assert seen_twice == [2]
