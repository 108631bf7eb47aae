"""What the party's own detector learns from, and when it learns again."""

from __future__ import annotations

from catalog.party import Party
from catalog.states import Taster
from catalog.tables import Image
from tests.party_rows import CAT, add_image, fill
from work.detectors.learning import count_checked, load_pictures, wait_for_more


def test_the_partys_detector_waits_until_another_tenth_is_checked(party: Party) -> None:
    fill(party, [()] * 10)
    sleeps = list[float]()

    def check_one_more(secs: float) -> None:
        sleeps.append(secs)
        with party.catalogue.writing() as session:
            add_image(session, party, 100 + len(sleeps), ())

    wait_for_more(party, 10, check_one_more)
    assert len(sleeps) == 1
    wait_for_more(party, 11, check_one_more)
    assert len(sleeps) == 3
    assert count_checked(party) == 13


def test_the_party_learns_from_whole_files_of_images_that_were_annotated_in_full(
    party: Party,
) -> None:
    learned_id, lost_id, taster_id = fill(party, [[CAT]] * 3)
    with party.catalogue.writing() as session:
        session.get_one(Image, taster_id).taster = Taster.LAYOUT
        lost = session.get_one(Image, lost_id).sha256
        learned = session.get_one(Image, learned_id).sha256
    for path in (party.folder / "images").rglob(lost):
        path.unlink()
    pictures, classes = load_pictures(party, ["cat"], 10)
    assert [picture.sha256 for picture in pictures] == [learned]
    assert classes == ["cat"]
    assert [item.name for item in pictures[0].objects] == ["cat"]
