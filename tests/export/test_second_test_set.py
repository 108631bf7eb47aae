"""A second test set, test2, of the images of one source: VOC2005's, made harder by its origin."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from catalog.party import Party, open_party
from catalog.states import Source
from catalog.tables import Photo, Review
from export.errors import ExportError, NothingCheckedError, ReleaseNameError
from export.groups import list_owners
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.planning import plan_release
from export.rows import ImageRow
from export.split_report import iterate_lines
from qa.statistics import count_party
from qa.statistics_files import format_all_text
from tests.exporting import contents, export_release, manifest_of, run, verify_tree
from tests.party_rows import CAT, DOG, NOW, add_image, fill, link
from vockit.foreign.archives import write_archives
from vockit.format.image_sets import Split
from vockit.verify.opening import check_opening

from .test_editions import MOVED_CAT, correct

COMMONS = ReleaseOrder(test2="commons")
BLIND = ReleaseOrder(test2="commons", is_blind=True)


def add_commons(party: Party, numbers: Iterable[int], source_id: str = "File {}.jpg") -> list[int]:
    """The ids of new checked images with a cat, whose photographs are of Commons."""
    with party.catalogue.writing() as session:
        images = [add_image(session, party, number, [CAT]) for number in numbers]
        ids = [image.id for image in images]
        for number, image_id in zip(numbers, ids, strict=True):
            of_image = update(Photo).where(Photo.image_id == image_id)
            values = {"source": Source.COMMONS, "source_id": source_id.format(number)}
            session.execute(of_image.values(**values, uploaded_at=NOW.replace(year=2011)))
        return ids


@pytest.fixture
def two_origins(stocked: Party) -> Party:
    """Eight checked images of Flickr (1 to 8), and three of Commons (9 to 11)."""
    add_commons(stocked, range(9, 12))
    return stocked


def sets_of(plan_images: Iterable[object]) -> dict[int, str]:
    """The set of each image of a plan, by the image's id."""
    return {image.row.id: str(image.split) for image in plan_images}  # type: ignore[attr-defined]


def tree(folder: Path) -> Path:
    return folder / "VOCdevkit" / "VOC2026"


def read_list(folder: Path, name: str) -> list[str]:
    return (tree(folder) / "ImageSets" / "Main" / f"{name}.txt").read_text().split()


def test_the_images_of_the_source_are_test2_and_the_others_keep_their_shares(
    two_origins: Party, tmp_path: Path
) -> None:
    plan = export_release(two_origins, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    sets = sets_of(plan.images)
    assert {key for key, name in sets.items() if name == "test2"} == {9, 10, 11}
    others = [name for key, name in sets.items() if key < 9]
    assert [others.count(name) for name in ("train", "val", "test")] == [2, 2, 4]
    assert verify_tree(tmp_path / "out") == []
    ids = [image.public_id for image in plan.images if image.split is Split.TEST2]
    assert read_list(tmp_path / "out", "test2") == ids
    assert read_list(tmp_path / "out", "cat_test2") == [
        word for name in ids for word in (name, "1")
    ]
    manifest = manifest_of(tmp_path / "out")
    assert manifest["settings"]["test2"] == "commons"
    assert sum(image["set"] == "test2" for image in manifest["images"]) == 3
    splits = json.loads((tmp_path / "out" / "splits.json").read_text())
    whole = next(row for row in splits["classes"] if row["class"] is None)
    assert whole["images"] == {"train": 2, "val": 2, "test": 4, "test2": 3}
    assert splits["wanted"].keys() == {"train", "val", "test"}


def test_the_accompanying_files_name_and_count_test2_and_say_what_differs(
    two_origins: Party, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_release(two_origins, out, year=2026, at=NOW, order=COMMONS)
    datasheet = (out / "DATASHEET.md").read_text()
    assert "train, val (together trainval), test and test2." in datasheet
    assert "3 images that come from commons alone" in datasheet
    assert "| images | 4 | 4 | 3 |" in datasheet
    assert "| median year | - | - | 2011 |" in datasheet
    card = (out / "README.md").read_text()
    assert "- split: test2" in card
    assert "test2 is a second test set" in card
    assert "test2 is a second test set" in (out / "croissant.json").read_text()
    assert (out / "statistics/sets.csv").read_text().startswith("measure,trainval,test,test2\n")
    assert (
        (out / "statistics/classes.csv").read_text().splitlines()[0].endswith("test2_img,test2_obj")
    )
    assert (out / "metadata-test2.parquet").is_file()
    text = format_all_text(count_party(two_origins, release="VOC2026"))
    assert "What differs between the sets" in text
    assert "test2 img" in text


def test_what_a_relative_in_another_set_binds_is_in_no_set(
    two_origins: Party, tmp_path: Path
) -> None:
    with two_origins.catalogue.writing() as session:
        session.add(link(9, 1, "duplicate"))
        session.add(link(10, 9, "duplicate"))  # over 9, which is left out
    plan = export_release(two_origins, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    assert {key for key, name in sets_of(plan.images).items() if name == "test2"} == {10, 11}
    (left_out,) = plan.left_out
    assert left_out.image_id == 9
    assert "it is bound (owner, event or near-duplicate) to 2026_" in left_out.reason
    assert "and test2 is for images of commons alone" in left_out.reason
    manifest = manifest_of(tmp_path / "out")
    assert [image["image_id"] for image in manifest["torn"]] == [9]
    checked = run("verify", tmp_path / "out", "--party", two_origins.folder)
    assert checked.exit_code == 0, checked.output


def test_an_owner_with_photographs_on_both_sides_is_in_one_set_alone(two_origins: Party) -> None:
    with two_origins.catalogue.writing() as session:  # a table of Flickr's photographs
        page = "https://www.flickr.com/photos/owner-1/77/"
        values = {"source": Source.TABLE, "source_id": "yfcc:77", "page_url": page}
        owned = update(Photo).where(Photo.image_id == 9).values(**values, owner_id="owner-1")
        session.execute(owned)
        other = {"source": Source.TABLE, "source_id": "yfcc:78"}
        session.execute(update(Photo).where(Photo.image_id == 10).values(**other))
    plan = plan_release(two_origins, year=2026, order=ReleaseOrder(test2="table:yfcc"))
    sets = sets_of(plan.images)
    assert {key for key, name in sets.items() if name == "test2"} == {10}
    assert [omission.image_id for omission in plan.left_out] == [9]


def test_a_table_of_flickr_names_owners_as_flickr_does(two_origins: Party) -> None:
    plan = plan_release(two_origins, year=2026)

    def with_source(row: ImageRow, source: Source) -> ImageRow:
        return replace(row, photos=tuple(photo._replace(source=source) for photo in row.photos))

    row = next(image.row for image in plan.images if image.row.id == 1)
    assert list_owners(with_source(row, Source.TABLE)) == list_owners(row)
    assert list_owners(with_source(row, Source.URLS)) != list_owners(row)


def test_an_extension_keeps_test2_and_gives_it_new_images_of_its_source(
    two_origins: Party, tmp_path: Path
) -> None:
    first = export_release(two_origins, tmp_path / "first", year=2026, at=NOW, order=COMMONS)
    new_ids = add_commons(two_origins, range(12, 14))
    with two_origins.catalogue.writing() as session:
        bound = add_image(session, two_origins, 14, [DOG]).id
        session.add(link(bound, 9))
    plan = plan_release(two_origins, year=2027, order=ReleaseOrder(extends="VOC2026"))
    sets = sets_of(plan.images)
    assert {key: sets[key] for key in sets_of(first.images)} == sets_of(first.images)
    assert [sets[key] for key in new_ids] == ["test2", "test2"]
    assert [omission.image_id for omission in plan.left_out] == [bound]
    with pytest.raises(ReleaseNameError, match="has images of commons in test2"):
        plan_release(two_origins, year=2027, order=ReleaseOrder(extends="VOC2026", test2="flickr"))


def test_an_edition_keeps_test2(two_origins: Party, tmp_path: Path) -> None:
    first = export_release(two_origins, tmp_path / "first", year=2026, at=NOW, order=COMMONS)
    correct(two_origins, 9, [MOVED_CAT])
    order = ReleaseOrder(corrects="VOC2026")
    edition = export_release(two_origins, tmp_path / "second", year=None, at=NOW, order=order)
    assert sets_of(edition.images) == sets_of(first.images)
    assert read_list(tmp_path / "second", "test2") == read_list(tmp_path / "first", "test2")
    assert verify_tree(tmp_path / "second") == []


def test_a_recorded_release_is_written_again_as_it_was(two_origins: Party, tmp_path: Path) -> None:
    export_release(two_origins, tmp_path / "first", year=2026, at=NOW, order=COMMONS)
    add_commons(two_origins, [12])
    export_release(two_origins, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "first")
    with pytest.raises(ReleaseNameError, match="recorded with commons in test2"):
        plan_release(two_origins, year=2026, order=ReleaseOrder(test2="flickr"))


def test_a_blind_release_withholds_the_labels_of_both_test_sets(
    two_origins: Party, tmp_path: Path
) -> None:
    blind = tmp_path / "blind"
    opened = tmp_path / "opened"
    export_release(two_origins, blind, year=2026, at=NOW, order=BLIND)
    assert verify_tree(blind) == []
    hidden = read_list(blind, "test2")
    assert len(hidden) == 3
    assert not (tree(blind) / "ImageSets/Main/cat_test2.txt").exists()
    for image_id in hidden:
        assert not (tree(blind) / "Annotations" / f"{image_id}.xml").exists()
    listed = {image["id"]: sorted(image) for image in manifest_of(blind)["images"]}
    assert all(listed[image_id] == ["id", "seal", "set"] for image_id in hidden)
    datasheet = (blind / "DATASHEET.md").read_text()
    assert "The annotation of its test sets is held back." in (blind / "README.md").read_text()
    assert "What differs" not in datasheet
    assert "Those of test and test2 are held back." in datasheet
    run("export", opened, "--open", "--party", two_origins.folder, "--year", 2026)
    report = check_opening(opened, blind)
    assert (report.images, report.violations) == (7, ())
    moved = tree(opened) / "ImageSets/Main/test2.txt"
    moved.write_text("".join(f"{image_id}\n" for image_id in read_list(opened, "test")))
    assert {violation.rule for violation in check_opening(opened, blind).violations} == {
        "seal-list"
    }


def test_an_image_of_both_test_sets_breaks_a_rule(two_origins: Party, tmp_path: Path) -> None:
    export_release(two_origins, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    both = [read_list(tmp_path / "out", "test")[0], *read_list(tmp_path / "out", "test2")]
    lines = "".join(f"{image_id}\n" for image_id in sorted(both))
    (tree(tmp_path / "out") / "ImageSets/Main/test2.txt").write_text(lines)
    rules = {violation.rule for violation in verify_tree(tmp_path / "out")}
    assert "two-sets" in rules


def test_a_tree_with_test2_is_imported_and_written_again_with_it(
    two_origins: Party, tmp_path: Path, party_template: Path
) -> None:
    export_release(two_origins, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    with open_party(Path(shutil.copytree(party_template, tmp_path / "other"))) as other:
        import_tree(other, DatasetOrder(tree(tmp_path / "out")), at=NOW)
        export_release(other, tmp_path / "again", year=2026, at=NOW)
    assert contents(tree(tmp_path / "again")) == contents(tree(tmp_path / "out"))


def test_test2_has_an_archive_of_its_own(two_origins: Party, tmp_path: Path) -> None:
    export_release(two_origins, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    written = write_archives(tree(tmp_path / "out"), tmp_path / "archives")
    names = ["VOC2026trainval.tar", "VOC2026test.tar", "VOC2026test2.tar"]
    assert [path.name for path in written] == names
    for path in written:
        shutil.unpack_archive(path, tmp_path / "unpacked")
    assert contents(tmp_path / "unpacked/VOCdevkit/VOC2026") == contents(tree(tmp_path / "out"))


def test_a_source_without_a_checked_image_is_refused_by_name(stocked: Party) -> None:
    with pytest.raises(NothingCheckedError, match=r"is of commons alone.*8 of flickr"):
        plan_release(stocked, year=2026, order=COMMONS)
    for word in ("museum", "commons:x", "table:"):
        result = run(
            "export", "--dry-run", "--year", 2026, "--test2", word, "--party", stocked.folder
        )
        assert result.exit_code == 2
        assert f"'{word}' is no source; expected flickr, commons, table" in result.output
    alone = run(
        "export", "x", "--corrects", "VOC2026", "--test2", "commons", "--party", stocked.folder
    )
    assert "give --corrects alone" in alone.output


def test_the_command_counts_test2_beside_the_other_sets(two_origins: Party, tmp_path: Path) -> None:
    party = ("--party", two_origins.folder, "--year", 2026, "--test2", "commons")
    result = run("export", tmp_path / "out", *party)
    assert result.exit_code == 0, result.output
    assert "11 images (2 train, 2 val, 4 test, 3 test2)" in result.output
    assert "Warning" not in result.output


def ask_about_cats_alone(party: Party, image_ids: Iterable[int]) -> Party:
    """The party where nobody said of these images, found for cats, that nothing is missing."""
    with party.catalogue.writing() as session:
        of_images = Review.annotation_id.in_(image_ids)
        session.execute(update(Review).where(of_images).values(is_complete=None))
    export = replace(party.settings.export, exhaustive="query")
    return replace(party, settings=replace(party.settings, export=export))


def test_what_differs_is_a_share_of_the_images_that_were_asked(
    two_origins: Party, tmp_path: Path
) -> None:
    correct(two_origins, 11, [CAT, DOG])
    party = ask_about_cats_alone(two_origins, (9, 10))
    plan = export_release(party, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    part = "2 of 11 images were not asked about every class, 0 of them in test, 2 of them in test2."
    assert part in list(iterate_lines(plan))
    datasheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert "is a share of those that were asked about it" in datasheet
    rows = {line.split(",")[0]: line for line in read_sets(tmp_path / "out")}
    assert rows["images that show cat"].endswith(",1.0")
    assert rows["images that show dog"].endswith(",1.0")  # of one that was asked about dogs
    counted = format_all_text(count_party(party, release="VOC2026"))
    assert "is a share of those that were asked about it" in counted
    assert verify_tree(tmp_path / "out") == []


def read_sets(out: Path) -> list[str]:
    return (out / "statistics/sets.csv").read_text().splitlines()


def test_no_share_is_said_of_a_class_that_no_image_was_asked_about(
    two_origins: Party, tmp_path: Path
) -> None:
    party = ask_about_cats_alone(two_origins, (9, 10, 11))
    export_release(party, tmp_path / "out", year=2026, at=NOW, order=COMMONS)
    (dogs,) = [
        line for line in read_sets(tmp_path / "out") if line.startswith("images that show dog,")
    ]
    assert dogs.endswith(",")


def test_a_blind_release_does_not_say_how_much_its_test_sets_were_asked(
    two_origins: Party,
) -> None:
    party = ask_about_cats_alone(two_origins, (*range(1, 9), 9))
    lines = [
        line
        for line in iterate_lines(plan_release(party, year=2026, order=BLIND))
        if "asked" in line
    ]
    assert len(lines) == 1
    assert lines[0].endswith("were not asked about every class.")


def test_a_source_that_all_images_are_of_leaves_nothing_to_train_on(party: Party) -> None:
    fill(party, [[CAT]] * 10)
    with pytest.raises(ExportError, match="all of them are of flickr and so in test2"):
        plan_release(party, year=2026, order=ReleaseOrder(test2="flickr"))
