"""Later releases: editions that correct one, and extensions of one."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.states import ImageState, Verdict
from catalog.tables import Image, ReleaseImage, Review
from export.errors import ExportError, ReleaseNameError
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.planning import plan_release
from export.release import write_release
from tests.exporting import (
    contents,
    export_release,
    manifest_of,
    run,
    states,
    take_down,
    verify_tree,
)
from tests.party_rows import (
    CAT,
    DOG,
    NOW,
    Drawn,
    add_image,
    add_people,
    add_review,
    add_revision,
    fill,
    link,
)
from tests.trees import make_tree
from vockit.format.image_sets import Split
from vockit.verify.opening import check_opening
from vocparty import main

from .test_release import add_finding

CORRECTS = ReleaseOrder(corrects="VOC2026")
EXTENSION = ("--year", "2027", "--extend", "VOC2026")
MOVED_CAT = Drawn("cat", (4, 5, 40, 30))


def correct(party: Party, image_id: int, drawn: Sequence[Drawn], *, checked: bool = True) -> None:
    """Write a new revision of a released image, as the pages do after reopening it."""
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        revision = add_revision(session, image, drawn, person_id=1, parent_id=image.annotation_id)
        image.state = ImageState.CHECKED if checked else ImageState.ANNOTATED
        if checked:
            add_review(session, revision, Verdict.ACCEPT)


def names_of(party: Party) -> dict[int, str]:
    with party.catalogue.reading() as session:
        rows = session.execute(select(ReleaseImage.image_id, ReleaseImage.public_id))
        return dict(rows.tuples().all())


def export(party: Party, folder: Path, *options: str, succeeds: bool = True) -> str:
    command = ["export", str(folder), "--party", str(party.folder), *options]
    done = CliRunner().invoke(main, command)
    assert (done.exit_code == 0) is succeeds, done.output
    return done.output


def test_a_dry_run_of_a_made_release_or_an_edition_blames_no_option(
    stocked: Party, tmp_path: Path
) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    with stocked.catalogue.writing() as session:
        add_image(session, stocked, 99, [Drawn("cow")])
    again = export(stocked, tmp_path / "again", "--year", "2026", "--dry-run")
    assert "1 image: not in VOC2026 when it was made; objects: cow 1" in again
    correct(stocked, 1, [MOVED_CAT])
    edition = export(stocked, tmp_path / "next", "--corrects", "VOC2026", "--dry-run")
    assert "1 image: not in VOC2026, and an edition adds no images; objects: cow 1" in edition


def test_an_edition_has_the_same_images_as_its_release(any_stocked: Party, tmp_path: Path) -> None:
    export_release(any_stocked, tmp_path / "first", year=2026, at=NOW)
    correct(any_stocked, 1, [MOVED_CAT, DOG])
    correct(any_stocked, 2, [DOG], checked=False)
    plan = export_release(any_stocked, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert plan.name == "VOC2026.1"
    assert [image.image_id for image in plan.kept_back] == [2]
    assert verify_tree(tmp_path / "next") == []

    before = contents(tmp_path / "first")
    after = contents(tmp_path / "next")
    name = names_of(any_stocked)[1]
    assert before.keys() == after.keys()
    changed = {
        path for path in before if path.startswith("VOCdevkit") and before[path] != after[path]
    }
    labels = {path for path in changed if "/ImageSets/Main/dog_" in path}
    assert changed - labels == {f"VOCdevkit/VOC2026/Annotations/{name}.xml"}
    manifest = json.loads(after["release.json"])
    assert (manifest["release"], manifest["corrects"]) == ("VOC2026.1", "VOC2026")
    fields = [
        (correction["image_id"], correction["field"], correction["was"], correction["is_now"])
        for correction in manifest["corrections"]
    ]
    boxes = [2, 3, 50, 30], [4, 5, 40, 30]
    assert fields == [(name, "box", *boxes), (name, "object", None, "dog")]
    said = after["CHANGELOG.md"].decode()
    assert f"- {name}, object 1: box was {boxes[0]}, is {boxes[1]}" in said
    assert states(any_stocked) == {ImageState.RELEASED: 7, ImageState.ANNOTATED: 1}

    for folder, year, order in (("next", None, CORRECTS), ("first", 2026, None)):
        export_release(any_stocked, tmp_path / "again" / folder, year=year, at=NOW, order=order)
        assert contents(tmp_path / "again" / folder) == contents(tmp_path / folder)


def test_each_edition_corrects_the_one_before(stocked: Party, tmp_path: Path) -> None:
    export(stocked, tmp_path / "first", "--year", "2026")
    correct(stocked, 1, [MOVED_CAT])
    said = export(stocked, tmp_path / "second", "--corrects", "VOC2026")
    assert "Corrected since VOC2026: 1 change in 1 image; CHANGELOG.md lists them." in said
    correct(stocked, 1, [MOVED_CAT, DOG])
    correct(stocked, 2, [CAT], checked=False)
    said = export(stocked, tmp_path / "third", "--corrects", "VOC2026")
    assert "Image 2 stays as in VOC2026.1: its correction has not passed checking yet." in said
    listed = run("release", "list", "--party", stocked.folder).output
    assert "VOC2026.2: 2026" in listed
    assert "corrects VOC2026.1" in listed
    shown = run("release", "diff", "VOC2026", "VOC2026.2", "--party", stocked.folder).output
    name = names_of(stocked)[1]
    assert f"{name}, object 1: box was [2, 3, 50, 30], is [4, 5, 40, 30]" in shown
    assert f"{name}, object 2: dog added" in shown


def test_an_edition_has_the_facts_of_today_and_says_which_changed(
    stocked: Party, tmp_path: Path
) -> None:
    write_facts(stocked, 'authors = ["Ada Byron"]', 'doi = "10.1234/OLD"')
    export(stocked, tmp_path / "first", "--year", "2026")
    write_facts(stocked, 'authors = ["Ada Byron", "Zoo Lab"]', 'contact = "zoo@example.org"')
    changed = "Facts of [release] that changed since VOC2026: authors, contact, doi.\n"
    for folder, options in (("dry", ("--dry-run",)), ("next", ())):
        assert changed in export(stocked, tmp_path / folder, "--corrects", "VOC2026", *options)
    assert not (tmp_path / "dry").exists()
    before = contents(tmp_path / "first")
    after = contents(tmp_path / "next")
    assert all(before[path] == after[path] for path in before if path.startswith("VOCdevkit"))
    manifest = json.loads(after["release.json"])
    assert manifest["about"] == {"authors": ["Ada Byron", "Zoo Lab"], "contact": "zoo@example.org"}
    assert "- facts about the dataset changed: authors, contact, doi\n" in (
        after["CHANGELOG.md"].decode()
    )
    assert "Zoo Lab" in after["CITATION.cff"].decode()
    shown = run("release", "diff", "VOC2026", "VOC2026.1", "--party", stocked.folder).output
    assert shown.startswith("Facts of [release] that changed: authors, contact, doi.\n")
    again = export(stocked, tmp_path / "again", "--corrects", "VOC2026")
    assert "that changed" not in again
    assert contents(tmp_path / "again") == after
    assert "VOC2026.2" not in run("release", "list", "--party", stocked.folder).output


def write_facts(party: Party, *lines: str) -> None:
    """Let [release] of party.toml say this and nothing else."""
    path = party.folder / "party.toml"
    text = path.read_text().partition("\n[release]\n")[0]
    path.write_text("\n".join([text, "[release]", *lines, ""]))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--corrects", "VOC2026"], "No annotation of VOC2026 was corrected and checked since"),
        (["--corrects", "VOC1999"], "There is no release VOC1999 to correct"),
        (["--corrects", "VOC2026", "--year", "2027"], "The release VOC2026 is of 2026"),
        (["--corrects", "VOC2026", "--blind"], "give --corrects alone"),
        (["--corrects", "VOC2026", "--limit", "3"], "give --corrects alone"),
        (["--corrects", "VOC2026", "--name", "VOC2026"], "is recorded and corrects none"),
        (
            ["--corrects", "VOC2026", "--name", "VOC2050.1"],
            "VOC2050.1 is the name of an edition of VOC2050, and this one corrects VOC2026",
        ),
        (
            ["--year", "2050", "--name", "VOC2050.1"],
            "there is no release VOC2050, so give another name",
        ),
        (["--year", "2026", "--name", "VOC2026.9"], "make one with --corrects VOC2026"),
        ([], "The year is missing"),
    ],
)
def test_an_impossible_edition_is_refused(
    stocked: Party, tmp_path: Path, options: list[str], sentence: str
) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    assert sentence in export(stocked, tmp_path / "next", *options, succeeds=False)
    assert not (tmp_path / "next").exists()


def test_an_edition_of_another_release_is_not_written_for_this_one(
    stocked: Party, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        export_release(stocked, tmp_path / name, year=2026, at=NOW, name=name)
    correct(stocked, 1, [MOVED_CAT])
    export(stocked, tmp_path / "corrected", "--corrects", "first", "--name", "fixed")
    refused = export(
        stocked, tmp_path / "more", "--corrects", "second", "--name", "fixed", succeeds=False
    )
    assert "The release fixed is an edition of first, not of second" in refused
    refused = export(
        stocked, tmp_path / "more", "--corrects", "second", "--name", "first.7", succeeds=False
    )
    assert "first.7 is the name of an edition of first, and this one corrects second" in refused


def test_an_edition_is_corrected_by_its_own_name(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    correct(stocked, 1, [MOVED_CAT])
    export(stocked, tmp_path / "second", "--corrects", "VOC2026")
    correct(stocked, 2, [MOVED_CAT])
    written = export(stocked, tmp_path / "third", "--corrects", "VOC2026.1")
    assert "Wrote the release VOC2026.2: " in written
    notes = manifest_of(tmp_path / "third")
    assert (notes["release"], notes["corrects"]) == ("VOC2026.2", "VOC2026.1")


def test_an_extension_includes_earlier_corrections(any_stocked: Party, tmp_path: Path) -> None:
    first = export_release(any_stocked, tmp_path / "first", year=2026, at=NOW)
    correct(any_stocked, 1, [MOVED_CAT])
    correct(any_stocked, 2, [DOG], checked=False)
    with any_stocked.catalogue.writing() as session:
        add_image(session, any_stocked, 20, [CAT])
    order = ReleaseOrder(extends="VOC2026", is_forced=True)
    plan = export_release(any_stocked, tmp_path / "next", year=2027, at=NOW, order=order)
    assert [correction["image_id"] for correction in plan.notes.corrections] == [
        names_of(any_stocked)[1]
    ]
    assert [image.image_id for image in plan.kept_back] == [2]
    assert len(plan.images) == 9
    splits = {image.public_id: image.split for image in plan.images}
    assert {image.public_id: image.split for image in first.images}.items() <= splits.items()
    changes = (tmp_path / "next" / "CHANGELOG.md").read_text()
    assert "- images with a corrected annotation: 1\n" in changes
    assert verify_tree(tmp_path / "next") == []
    assert states(any_stocked) == {ImageState.RELEASED: 8, ImageState.ANNOTATED: 1}


def test_an_extension_corrects_layout_sets_too(party: Party, tmp_path: Path) -> None:
    person = Drawn("person", parts=(("head", (3, 3, 10, 10)),))
    fill(party, [[person]] * 8)
    export_release(party, tmp_path / "first", year=2026, at=NOW)
    for image_id in (1, 2):
        correct(party, image_id, [replace(person, box=(1, 1, 58, 39))])
    order = ReleaseOrder(extends="VOC2026")
    export_release(party, tmp_path / "next", year=2027, at=NOW, order=order)
    texts = [path.read_text() for path in (tmp_path / "next").rglob("Annotations/*.xml")]
    assert sum("<xmax>58</xmax>" in text for text in texts) == 2


def test_open_findings_on_released_images_are_reported(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    add_finding(stocked, "a", "error", None, image_id=2)
    plan = plan_release(stocked, year=2026, name="whole")
    assert len(plan.images) == 8
    (warning,) = (warning for warning in iterate_warnings(stocked, plan) if "finding" in warning)
    assert warning.startswith("1 finding of severity error is open on images that are released")
    assert names_of(stocked)[2] in warning
    correct(stocked, 1, [MOVED_CAT])
    assert plan_release(stocked, year=None, order=CORRECTS).name == "VOC2026.1"
    add_finding(stocked, "b", "error", None, image_id=1)
    with pytest.raises(ExportError, match="1 finding of severity error is open"):
        plan_release(stocked, year=None, order=CORRECTS)
    forced = ReleaseOrder(corrects="VOC2026", is_forced=True)
    assert plan_release(stocked, year=None, order=forced).notes.forced


def test_work_after_the_plan_does_not_stop_an_edition(any_stocked: Party, tmp_path: Path) -> None:
    export_release(any_stocked, tmp_path / "first", year=2026, at=NOW)
    correct(any_stocked, 1, [MOVED_CAT])
    correct(any_stocked, 3, [MOVED_CAT])
    plan = plan_release(any_stocked, year=None, order=CORRECTS)
    correct(any_stocked, 2, [CAT, DOG])
    write_release(any_stocked, plan, tmp_path / "next", at=NOW)
    assert states(any_stocked) == {ImageState.RELEASED: 7, ImageState.CHECKED: 1}
    plan = plan_release(any_stocked, year=None, order=CORRECTS)
    assert [image.row.id for image in plan.images if not image.is_taken_over] == [2]
    take_down(any_stocked, 2)
    with pytest.raises(ExportError, match="worked on image"):
        write_release(any_stocked, plan, tmp_path / "late", at=NOW)


def test_a_blind_edition_hides_corrections_of_test_images(stocked: Party, tmp_path: Path) -> None:
    export(stocked, tmp_path / "blind", "--year", "2026", "--blind")
    plan = plan_release(stocked, year=2026)
    hidden, shown = (
        next(image for image in plan.images if (image.split is Split.TEST) is is_test)
        for is_test in (True, False)
    )
    for image in (hidden, shown):
        correct(stocked, image.row.id, [MOVED_CAT])
    export(stocked, tmp_path / "next", "--corrects", "VOC2026")
    corrections = manifest_of(tmp_path / "next")["corrections"]
    assert {correction["image_id"] for correction in corrections} == {shown.public_id}
    assert not list((tmp_path / "next").rglob(f"{hidden.public_id}.xml"))
    opened = export(stocked, tmp_path / "open", "--year", "2026", "--name", "VOC2026.1", "--open")
    assert "VOC2026.1 as it was recorded" in opened
    assert check_opening(tmp_path / "open", tmp_path / "next").violations == ()
    corrections = manifest_of(tmp_path / "open")["corrections"]
    assert {correction["image_id"] for correction in corrections} == {
        hidden.public_id,
        shown.public_id,
    }


def test_a_sealed_edition_points_only_to_files_that_say_so(stocked: Party, tmp_path: Path) -> None:
    export(stocked, tmp_path / "blind", "--year", "2026", "--blind")
    plan = plan_release(stocked, year=2026)
    shown = next(image for image in plan.images if image.split is not Split.TEST)
    correct(stocked, shown.row.id, [MOVED_CAT])
    output = export(stocked, tmp_path / "next", "--corrects", "VOC2026")
    assert "release.json lists those of images whose annotation it shows" in output
    assert "CHANGELOG.md lists" not in output
    datasheet = (tmp_path / "next/DATASHEET.md").read_text()
    assert "CREDITS.csv names the licence of each photograph, but those of test:" in datasheet
    assert "Photographers are named with their photographs, but those of test," in datasheet


def test_a_corrected_import_keeps_other_fields_of_its_file(party: Party, tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "in")
    with party.catalogue.writing() as session:
        add_people(session)
    import_tree(party, DatasetOrder(tree), at=NOW)
    image_of = {name: image_id for image_id, name in names_of(party).items()}
    correct(party, image_of["2012_000004"], [Drawn("cat", (5, 6, 20, 20), key="voc-1")])
    correct(party, image_of["2012_000001"], [CAT, DOG])
    order = ReleaseOrder(corrects="VOC2012")
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=order)
    assert [image.reason for image in plan.kept_back] == [
        "its correction cannot be released: its segmentation masks show the objects as they were"
    ]
    assert verify_tree(tmp_path / "next") == []
    text = (tmp_path / "next/VOCdevkit/VOC2012/Annotations/2012_000004.xml").read_text()
    assert "<database>The Example Database</database>" in text
    assert text.count("<object>") == 1
    assert "<xmin>5</xmin>" in text


def test_a_correction_with_an_undone_review_is_left_out(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    correct(stocked, 1, [MOVED_CAT])
    with stocked.catalogue.writing() as session:
        newest = session.scalars(select(Review).order_by(Review.id.desc())).first()
        assert newest is not None
        newest.set_aside_at = NOW
    correct(stocked, 2, [MOVED_CAT])
    plan = plan_release(stocked, year=None, order=CORRECTS)
    assert [image.row.id for image in plan.images if not image.is_taken_over] == [2]
    assert "no checker accepted" in plan.kept_back[0].reason


EXTEND = ReleaseOrder(extends="VOC2026")


def files_of(folder: Path, year: int) -> dict[str, bytes]:
    """Annotations and pictures by name."""
    root = f"VOCdevkit/VOC{year}/"
    return {
        name.removeprefix(root): data
        for name, data in contents(folder).items()
        if name.endswith((".xml", ".jpg"))
    }


def test_earlier_images_keep_name_set_and_bytes(any_stocked: Party, tmp_path: Path) -> None:
    first = export_release(any_stocked, tmp_path / "one", year=2026, at=NOW)
    with any_stocked.catalogue.writing() as session:
        for number in range(20, 36):
            add_image(session, any_stocked, number, [CAT, DOG])
    settings = replace(any_stocked.settings, name="Another name")
    changed = replace(any_stocked, settings=settings)
    order = replace(EXTEND, style=AnnotationStyle.VOC2008)
    later = export_release(changed, tmp_path / "two", year=2027, at=NOW, order=order)
    assert verify_tree(tmp_path / "two") == []
    assert len(later.images) == 24
    assert files_of(tmp_path / "one", 2026).items() <= files_of(tmp_path / "two", 2027).items()
    sets = {image.public_id: image.split for image in later.images}
    assert {image.public_id: image.split for image in first.images}.items() <= sets.items()
    assert sorted(sets.values()).count(Split.TEST) == 12
    export_release(any_stocked, tmp_path / "again", year=2027, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "two")
    assert states(any_stocked) == {ImageState.RELEASED: 24}


def test_new_images_join_the_set_of_their_group(any_stocked: Party, tmp_path: Path) -> None:
    first = export_release(any_stocked, tmp_path / "one", year=2026, at=NOW)
    with any_stocked.catalogue.writing() as session:
        by_owner = [
            add_image(session, any_stocked, number, [CAT], owner_id=f"owner-{number - 20}").id
            for number in range(21, 29)
        ]
        alike = add_image(session, any_stocked, 50, [CAT]).id
        session.add(link(alike, first.images[0].row.id))
    later = plan_release(any_stocked, year=2027, order=EXTEND)
    set_of = {image.row.id: image.split for image in later.images}
    owner_of = {image.row.photos[0].owner_id: image.split for image in first.images}
    for place, image_id in enumerate(by_owner, start=1):
        assert set_of[image_id] is owner_of[f"owner-{place}"]
    assert set_of[alike] is first.images[0].split
    relations = {group.relations for group in later.notes.groups}
    assert relations == {("owner",), ("owner", "same event")}


def test_a_new_image_related_to_two_sets_is_left_out(stocked: Party, tmp_path: Path) -> None:
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    train = next(image for image in first.images if image.split is Split.TRAIN)
    test = next(image for image in first.images if image.split is Split.TEST)
    with stocked.catalogue.writing() as session:
        owner = test.row.photos[0].owner_id
        torn = add_image(session, stocked, 20, [CAT], owner_id=owner).id
        session.add(link(torn, train.row.id))
    later = export_release(stocked, tmp_path / "two", year=2027, at=NOW, order=EXTEND)
    (left_out,) = later.left_out
    assert left_out.image_id == torn
    assert f"{test.public_id} in test and {train.public_id} in train" in left_out.reason
    assert len(later.images) == 8
    assert verify_tree(tmp_path / "two") == []


def test_an_image_linked_to_two_sets_is_said_and_binds_nothing(
    stocked: Party, tmp_path: Path
) -> None:
    """Of a chain of new images only the one that would join two sets is left out."""
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    train, test = (
        next(image for image in first.images if image.split is split)
        for split in (Split.TRAIN, Split.TEST)
    )
    with stocked.catalogue.writing() as session:
        torn, follower = (
            add_image(session, stocked, number, [CAT], owner_id="new").id for number in (20, 21)
        )
        session.add(link(torn, train.row.id, "duplicate"))
        session.add(link(torn, test.row.id, "duplicate"))
    result = run("export", "--party", stocked.folder, *EXTENSION, "--dry-run")
    assert f"Skipped image {torn}: it is bound" in result.stderr
    assert "1 image is left out, because images of VOC2026 in two sets have" in result.stderr
    later = export_release(stocked, tmp_path / "two", year=2027, at=NOW, order=EXTEND)
    assert [image.image_id for image in later.left_out] == [torn]
    assert follower in {image.row.id for image in later.images}
    (noted,) = manifest_of(tmp_path / "two")["torn"]
    assert noted["image_id"] == torn
    assert set(noted["kept"]) == {train.public_id, test.public_id}
    datasheet = (tmp_path / "two" / "DATASHEET.md").read_text()
    assert "1 image was left out, because images of VOC2026 in two sets have the same" in datasheet
    verified = run("verify", tmp_path / "two", "--party", stocked.folder)
    assert verified.exit_code == 0, verified.output


def test_released_images_that_belong_together_are_said_to_be_parted(
    stocked: Party, tmp_path: Path
) -> None:
    """They keep their sets, since the release has given them; no file denies it."""
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    train, test = (
        next(image for image in first.images if image.split is split)
        for split in (Split.TRAIN, Split.TEST)
    )
    with stocked.catalogue.writing() as session:
        session.add(link(train.row.id, test.row.id, "duplicate"))
        follower = add_image(session, stocked, 20, [CAT], owner_id=train.row.photos[0].owner_id).id
    result = run("export", tmp_path / "two", "--party", stocked.folder, *EXTENSION)
    assert "1 group of images of VOC2026 is in two sets or more already" in result.stderr
    assert f"Skipped image {follower}" in result.stderr
    (parted,) = json.loads((tmp_path / "two" / "splits.json").read_text())["parted"]
    assert parted["sets"] == {train.public_id: "train", test.public_id: "test"}
    datasheet = (tmp_path / "two" / "DATASHEET.md").read_text()
    assert "1 group of images of VOC2026 lies in two sets or more" in datasheet
    assert "no group lies in two" not in datasheet
    assert "No images of one owner, event or near-duplicate group" not in datasheet
    assert "1 of the groups above holds images that are near-duplicates" in datasheet


def test_taken_down_images_are_not_in_an_extension(stocked: Party, tmp_path: Path) -> None:
    first = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    take_down(stocked, first.images[0].row.id)
    later = plan_release(stocked, year=2027, order=EXTEND)
    kept = [image.public_id for image in first.images[1:]]
    assert [image.public_id for image in later.images] == kept


def test_an_unknown_release_cannot_be_extended(stocked: Party) -> None:
    with pytest.raises(ReleaseNameError, match="no release VOC2026 to extend"):
        plan_release(stocked, year=2027, order=EXTEND)


def test_an_extension_can_be_extended(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    export_release(stocked, tmp_path / "two", year=2027, at=NOW, order=EXTEND)
    order = ReleaseOrder(extends="VOC2027")
    export_release(stocked, tmp_path / "three", year=2028, at=NOW, order=order)
    assert files_of(tmp_path / "three", 2028) == files_of(tmp_path / "one", 2026)
    assert verify_tree(tmp_path / "three") == []
