"""Loading results of detectors: whole or not at all, with what was left out counted and named."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from catalog.party import Party
from catalog.states import ImageState, SuggestionKind
from catalog.tables import SuggestionSet
from tests.suggesting import NOON
from work.suggest import loading
from work.suggest.values import LoadReport, SetInfo, SuggestionError, gather

from .loads import (
    add_image,
    entry,
    load,
    name_of,
    read_blanks,
    read_rows,
    read_sets,
    run,
    write_coco,
)


def test_a_file_is_loaded_once_until_it_is_withdrawn(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    path = write_coco(tmp_path / "r.json", [entry(image)])
    assert load(any_party, path).exit_code == 0
    again = load(any_party, path)
    assert again.exit_code == 2
    assert "as set 1 (net 1)" in again.output
    assert run(any_party, "withdraw", "1").exit_code == 0
    assert load(any_party, path).exit_code == 0
    assert [group.is_shown for group in read_sets(any_party)] == [False, True]


def test_a_set_that_fails_leaves_nothing(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = tmp_path / "r.json"
    path.write_text(json.dumps([entry(image)])[:-1] + ", ")
    broken = load(party, path)
    assert broken.exit_code == 2
    assert "cut off" in broken.output
    assert (read_sets(party), read_rows(party)) == ([], [])


def test_a_set_whose_loading_was_killed_is_seen_by_nobody_and_made_anew(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image), entry(image)])

    def be_killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loading._Loader, "finish", be_killed)
        patched.setattr(loading, "drop_unfinished", lambda *_: False)
        assert load(party, path).exit_code != 0
    [group] = read_sets(party)
    assert (group.loaded_at, group.is_shown, len(read_rows(party))) == (None, False, 2)
    assert "not loaded whole" in run(party, "list").output
    assert load(party, path).exit_code == 0
    assert [group.is_shown for group in read_sets(party)] == [True]
    assert len(read_rows(party)) == 2


def test_the_best_of_too_many_boxes_of_a_photograph_stay(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    other = add_image(party, 2)
    entries = [entry(image, score=number / 1000) for number in range(500)] + [entry(other)]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert "Left out 300: more than the best 200 of a photograph." in result.output
    rows = read_rows(party)
    assert len(rows) == 201
    assert min(row[3] for row in rows if row[0] == image.id) == 0.3
    assert read_sets(party)[0].suggestions == 201


def test_images_in_which_nothing_was_found_are_told_from_those_never_looked_at(
    any_party: Party, tmp_path: Path
) -> None:
    images = [add_image(any_party, number) for number in range(5)]
    gone = add_image(any_party, 6, ImageState.TAKEN_DOWN)
    listed = [{"id": image.id, "file_name": name_of(image)} for image in [*images[:4], gone]]
    document = {"images": [*listed, {"id": 77, "file_name": "of-another.jpg"}], "categories": []}
    (tmp_path / "images.json").write_text(json.dumps(document))
    entries = [entry(images[0]), entry(images[1], score=0.1), entry(images[2], image_id="none.jpg")]
    path = write_coco(tmp_path / "r.json", entries)
    by_names = load(any_party, path, "--min-confidence", "0.5")
    assert "Found nothing in 1 more photograph." in by_names.output
    assert read_blanks(any_party) == [images[1].id]  # it is named, though with nothing that is kept
    assert run(any_party, "withdraw", "1").exit_code == 0
    ids = ["--coco-ids", str(tmp_path / "images.json")]
    by_list = load(any_party, path, "--min-confidence", "0.5", *ids)
    assert "Found nothing in 3 more photographs." in by_list.output
    assert read_blanks(any_party) == sorted([images[1].id] + [item.id for item in images[1:4]])
    assert [(group.images, group.blanks) for group in read_sets(any_party)] == [(1, 1), (1, 3)]


def test_a_load_that_ends_leaves_no_blank(party: Party, tmp_path: Path) -> None:
    images = [add_image(party, number) for number in range(3)]
    ids = [image.id for image in images]
    info = SetInfo(model="own", version="2", sha256="ab" * 32, kind=SuggestionKind.MODEL)
    rows = [(ids[0], "cat", (47.0, 239.0, 195.0, 371.0), 0.5, None)]

    def end(report: LoadReport) -> None:
        assert (report.images, report.blanks) == (1, 2)
        raise SuggestionError("not now")

    with pytest.raises(SuggestionError, match="not now"):
        loading.add_set(party, info, gather(rows), looked_at=ids, at=NOON, check=end)
    assert read_blanks(party) == []
    assert read_sets(party) == []


def test_a_set_of_which_nothing_is_left_says_why(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image, category_id="zebra")] * 3)
    result = load(party, path)
    assert result.exit_code == 2
    assert "3 have a class that the party does not have (zebra 3)" in result.output
    assert read_sets(party) == []


def test_detections_of_a_program_are_stored_as_plain_values(party: Party) -> None:
    image = add_image(party)
    info = SetInfo(model="own", version="2", sha256="ab" * 32, kind=SuggestionKind.MODEL)
    rows = [(image.id, "cat", (47.0, 239.0, 195.0, 371.0), 0.5, None)]
    for _ in range(2):  # a model may be run again
        report = loading.add_set(party, info, gather(rows), at=NOON)
    assert (report.suggestions, report.images) == (1, 1)
    assert read_rows(party) == [(image.id, "cat", (48, 240, 195, 371), 0.5)] * 2
    with pytest.raises(SuggestionError, match="holds no detection"):
        loading.add_set(party, info, gather([]), at=NOON)
    with party.catalogue.reading() as session:
        assert session.scalar(select(func.count(SuggestionSet.id))) == 2
