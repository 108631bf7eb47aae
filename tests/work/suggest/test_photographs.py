"""Which image a name in a file means."""

from pathlib import Path

from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import Photo
from tests.suggesting import NOON

from .loads import add_image, entry, load, read_rows, read_sets, write_coco


def test_names_of_imports_are_found_with_and_without_folder_and_extension(
    party: Party, tmp_path: Path
) -> None:
    images = [add_image(party, number) for number in range(3)]
    names = ["zoo/a/cat.1.jpg", "zoo/b/dog.jpg", "zoo/c/dog.jpg"]
    with party.catalogue.writing() as session:
        for image, name in zip(images, names, strict=True):
            state = {"state": PhotoState.FETCHED, "found_at": NOON, "image_id": image.id}
            session.add(Photo(source=Source.FOLDER, source_id=name, **state))
    given = ["cat.1.jpg", "cat.1", "zoo/a/cat.1.jpg", "dog.jpg", "zoo\\b\\dog.jpg", "cat"]
    entries = [entry(images[0], image_id=name) for name in given]
    assert load(party, write_coco(tmp_path / "r.json", entries)).exit_code == 0
    assert [row[0] for row in read_rows(party)] == [images[0].id] * 3 + [images[1].id]
    assert read_sets(party)[0].left_out == {
        "a name that several photographs have": 1,
        "a photograph that the party does not have": 1,
    }
