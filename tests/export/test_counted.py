"""Each number of a release is counted over what it holds, when it is written."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from catalog.annotated import describe_looks
from catalog.party import Party
from catalog.states import ImageState, Verdict, View
from catalog.tables import Difficulty, Image, Object, Person, Photo, Query, Review
from export.errors import NothingCheckedError
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.plan import ReleasePlan
from export.planning import plan_release
from qa.difficulty import judge_difficulty, list_to_judge
from qa.tables import CountedImage, load_finished, load_released
from tests.exporting import contents, export_release, manifest_of, run, take_down, verify_tree
from tests.party_rows import (
    CAT,
    NOW,
    PERSON,
    Drawn,
    add_image,
    add_people,
    add_review,
    add_revision,
    fill,
    link,
)
from tests.trees import make_tree

CORRECTS = ReleaseOrder(corrects="VOC2026")
JUDGED = re.compile(
    r"Of the (\d+) objects that the last checker of their image passed, (\d+) were judged one by "
    r"one and (\d+) passed with their image"
)
LACKING = re.compile(r"Of (\d+) images? the checker said whether an object is missing: of (\d+)")


def judge(party: Party, image_id: int, *numbers: int) -> None:
    """An organiser's judgements of objects, which leave them as they are."""
    with party.catalogue.writing() as session:
        revision = session.get_one(Image, image_id).annotation_id
        for item in session.scalars(select(Object).where(Object.annotation_id == revision)):
            if item.number in numbers:
                looks = describe_looks(item.class_id, item.box)
                session.add(
                    Difficulty(
                        image_id=image_id,
                        object_key=item.object_key,
                        is_difficult=item.difficult,
                        looks_sha256=looks,
                        person_id=2,
                        judged_at=NOW,
                    )
                )


def look(party: Party, image_id: int, *keys: str, is_complete: bool | None = True) -> None:
    """A later verdict in which the checker judged these objects one by one."""
    with party.catalogue.writing() as session:
        revision = session.get_one(Image, image_id).annotation_id
        assert revision is not None
        items = session.scalars(select(Object).where(Object.annotation_id == revision))
        verdicts = [
            {"object_key": item.object_key, "verdict": "ok", "judged": item.object_key in keys}
            for item in items
        ]
        session.add(
            Review(
                annotation_id=revision,
                person_id=2,
                save_key=f"look-{image_id}-{len(keys)}",
                verdict=Verdict.ACCEPT,
                is_complete=is_complete,
                object_verdicts=verdicts,
                reviewed_at=NOW.replace(year=2027),
            )
        )


def read_datasheet(folder: Path) -> str:
    return (folder / "DATASHEET.md").read_text()


def count_objects(party: Party, plan: ReleasePlan, *wanted: Any) -> int:
    """Objects of the revisions that the release shows, counted in the table."""
    revisions = [image.row.annotation_id for image in plan.annotated]
    with party.catalogue.reading() as session:
        of_release = select(func.count()).where(Object.annotation_id.in_(revisions), *wanted)
        return session.scalar(of_release) or 0


def test_objects_that_nobody_judged_for_difficulty_are_counted(
    stocked: Party, tmp_path: Path
) -> None:
    """Ten objects: four dogs are set difficult; of the six cats an organiser judged two."""
    judge(stocked, 1, 1)
    judge(stocked, 2, 1)
    sentence = "4 of 10 objects were not judged for difficulty; they are released as not difficult."
    result = run("export", "--year", "2026", "--dry-run", "--party", stocked.folder)
    assert sentence in result.stderr
    assert sentence in "\n".join(iterate_warnings(stocked, plan_release(stocked, year=2026)))
    plan = export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    fields = manifest_of(tmp_path / "out")["fields"]
    difficult = count_objects(stocked, plan, Object.difficult)
    assert fields["difficult"] == {"decided": difficult + 2, "imported": 0, "objects": 10}
    assert "| difficult | 6 | 0 | 10 |" in read_datasheet(tmp_path / "out")
    assert "difficult (decided for 6 of 10)" in (tmp_path / "out" / "README.md").read_text()


def test_a_single_object_that_nobody_judged_is_told_of_as_one(stocked: Party) -> None:
    for image_id in range(1, 6):
        judge(stocked, image_id, 1)
    sentence = "1 of 10 objects was not judged for difficulty; it is released as not difficult."
    assert sentence in "\n".join(iterate_warnings(stocked, plan_release(stocked, year=2026)))


def test_a_judgement_of_another_box_does_not_count(stocked: Party) -> None:
    judge(stocked, 1, 1)
    with stocked.catalogue.writing() as session:
        revision = session.get_one(Image, 1).annotation_id
        item = session.scalars(select(Object).where(Object.annotation_id == revision)).one()
        item.xmax -= 1
    warnings = "\n".join(iterate_warnings(stocked, plan_release(stocked, year=2026)))
    assert "6 of 10 objects were not judged for difficulty" in warnings


def test_fields_are_those_of_the_written_files(party: Party, tmp_path: Path) -> None:
    """Points and actions are in a file where every object has them; else no figure names them."""
    bare = Drawn("person", actions=("running",))
    fill(party, [[CAT], [PERSON, bare]])
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    fields = manifest_of(tmp_path / "out")["fields"]
    written = "".join(path.read_text() for path in (tmp_path / "out").rglob("Annotations/*.xml"))
    assert ("<actions>" in written, "<part>" in written) == (True, True)
    assert fields["actions"] == {"decided": 2, "imported": 0, "objects": 2}
    assert fields["parts"] == {"decided": 1, "imported": 0, "objects": 2}
    assert "point" not in fields, "the second person has none, so that no file has any"
    lists = {path.name for path in (tmp_path / "out").rglob("ImageSets/*")}
    assert lists == {"Main", "Layout"}, "no image is in Action"
    tables = {path.name for path in (tmp_path / "out" / "statistics").iterdir()}
    assert {"parts.csv", "actions.csv"} <= tables


def test_a_tree_without_actions_has_no_figures_of_actions(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    text = read_datasheet(tmp_path / "out") + (tmp_path / "out" / "README.md").read_text()
    assert "actions (" not in text
    assert "person layout" not in text
    assert not list((tmp_path / "out").rglob("ImageSets/Action"))
    assert not list((tmp_path / "out").rglob("statistics/actions.csv"))


def test_each_released_object_counts_once_by_its_last_verdict(
    stocked: Party, tmp_path: Path
) -> None:
    """The first verdicts passed all; a later one judged an object, a fix drew one more."""
    look(stocked, 5, "key-1", is_complete=None)
    with stocked.catalogue.writing() as session:
        image = session.get_one(Image, 6)
        before = image.annotation_id
        assert image.annotation is not None
        drawn = [CAT] * (len(image.annotation.objects) + 1)
        fixed = add_revision(session, image, drawn, person_id=2, parent_id=before)
        judged = session.query(Review).filter_by(annotation_id=before).one().annotation
        add_review(session, judged, Verdict.FIXED, fixed=fixed)
    plan = export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    text = read_datasheet(tmp_path / "out")
    objects = count_objects(stocked, plan)
    assert (
        f"Of the {objects} objects that the last checker of their image passed, 1 were judged one "
        f"by one, 1 were drawn by the checker and {objects - 2} passed with their image."
    ) in text
    view = manifest_of(tmp_path / "out")["fields"]["view"]
    drawn_with_view = count_objects(stocked, plan, Object.view.not_in(("", "Unspecified")))
    assert view["decided"] == drawn_with_view + 1, "who draws an object without a view decides none"
    assert LACKING.findall(text) == [("7", "7")]


def test_an_opened_release_counts_all_images_and_a_blind_one_those_it_shows(
    stocked: Party, tmp_path: Path
) -> None:
    for image_id in range(1, 9):
        look(stocked, image_id, "key-1")
    order = ReleaseOrder(is_blind=True)
    plan = export_release(stocked, tmp_path / "blind", year=2026, at=NOW, order=order)
    assert (
        run(
            "export", tmp_path / "open", "--year", "2026", "--open", "--party", stocked.folder
        ).exit_code
        == 0
    )
    for folder, images in (("blind", plan.annotated), ("open", plan.images)):
        objects = sum(len(image.row.objects) for image in images)
        text = read_datasheet(tmp_path / folder)
        one_by_one = len(images)
        expected = f"{objects}", f"{one_by_one}", f"{objects - one_by_one}"
        assert JUDGED.findall(text) == [expected]
        assert f"Of {len(images)} images the checker said" in text
        assert manifest_of(tmp_path / folder)["fields"]["view"]["objects"] == objects
        credits = (tmp_path / folder / "CREDITS.csv").read_text().splitlines()[1:]
        assert len(credits) == len(images)
    card = (tmp_path / "blind" / "README.md").read_text()
    assert "who took each photograph, but those of test, which are held back, and its" in card
    assert "held back" not in (tmp_path / "open" / "README.md").read_text()


def test_figures_are_counted_again_after_a_takedown(stocked: Party, tmp_path: Path) -> None:
    look(stocked, 5, "key-1")
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    take_down(stocked, 5)
    plan = export_release(stocked, tmp_path / "again", year=2026, at=NOW)
    text = read_datasheet(tmp_path / "again")
    objects = sum(len(image.row.objects) for image in plan.images)
    assert objects == 8
    assert f"Of the {objects} objects that the last checker" in text
    assert f"{objects} passed with their image. Of 7 images" in text
    assert f"| view | 0 | 0 | {objects} |" in text


def test_an_imported_release_says_by_what_it_was_imported(party: Party, tmp_path: Path) -> None:
    report = import_tree(party, DatasetOrder(make_tree(tmp_path / "in")), at=NOW)
    plan = export_release(party, tmp_path / "out", year=2027, at=NOW)
    text = read_datasheet(tmp_path / "out")
    assert "Nobody annotated in this party. Nobody checked in this party." in text
    assert (
        f"{len(plan.images)} were imported with `vocparty import dataset` from {report.name}"
        in text
    )
    assert "Verdicts given in the party until this release was made: No reviews recorded." in text
    assert "the last checker of their image passed" not in text
    for count in manifest_of(tmp_path / "out")["fields"].values():
        assert count["decided"] == 0
    assert f"0 of {len(plan.images)} annotations were checked by a second person, others" in text


def test_a_correction_decides_only_what_it_changed_of_an_imported_image(
    party: Party, tmp_path: Path
) -> None:
    """Of two objects that a tree brought one gets another box and the other another view."""
    import_tree(party, DatasetOrder(make_tree(tmp_path / "in")), at=NOW)
    export_release(party, tmp_path / "before", year=2027, at=NOW)
    imported = manifest_of(tmp_path / "before")["fields"]
    assert all(count["imported"] == count["objects"] for count in imported.values())
    with party.catalogue.writing() as session:
        add_people(session)
        photo = session.scalars(select(Photo).where(Photo.source_id == "2012_000002")).one()
        assert photo.image is not None
        old = photo.image.annotation_id
        cat, person = session.scalars(select(Object).where(Object.annotation_id == old))
        assert (cat.view, cat.difficult, person.view) == (View.REAR, True, View.FRONTAL)
        head = ("head", (2, 3, 50, 30))
        drawn = [
            Drawn("cat", (4, 5, 40, 30), difficult=True, view=View.REAR, key=cat.object_key),
            Drawn("person", view=View.LEFT, parts=(head,), key=person.object_key),
        ]
        owner = session.scalars(select(Person).where(Person.name == "ann")).one()
        revision = add_revision(session, photo.image, drawn, person_id=owner.id, parent_id=old)
        photo.image.state = ImageState.CHECKED
        add_review(session, revision, Verdict.ACCEPT)
    order = ReleaseOrder(corrects="VOC2027")
    export_release(party, tmp_path / "edition", year=None, at=NOW, order=order)
    export_release(party, tmp_path / "after", year=2027, name="after", at=NOW)
    for folder in ("edition", "after"):
        fields = manifest_of(tmp_path / folder)["fields"]
        decided = {name: count["decided"] for name, count in fields.items() if count["decided"]}
        assert decided == {"view": 1}, "the person gave no other value"
        assert fields["view"]["imported"] == imported["view"]["objects"] - 1
        assert fields["parts"] == imported["parts"]
        undecided = fields["difficult"]["objects"] - fields["difficult"]["imported"]
        assert undecided == 1, "the tree may have said nothing of the person"


def test_the_table_of_queries_counts_photographs_that_are_still_there(
    stocked: Party, tmp_path: Path
) -> None:
    with stocked.catalogue.writing() as session:
        query = session.scalars(select(Query)).one()
        query.searches = 7
        query.draws = 30
        query.kept = 98
        session.get_one(Image, 8).state = ImageState.DUPLICATE
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert "| cat | kitten & co | flickr | 7 | 30 | 7 |" in read_datasheet(tmp_path / "out")


def judge_released(party: Party, image_id: int, *, is_difficult: bool) -> None:
    """An organiser's judgement of every object of a released image, as the page makes it."""
    with party.catalogue.writing() as session:
        seen_id = session.get_one(Image, image_id).annotation_id
        assert seen_id is not None
        of_image = select(Object.object_key).where(Object.annotation_id == seen_id)
        for key in list(session.scalars(of_image)):
            judge_difficulty(
                session, image_id, key, is_difficult, seen_id=seen_id, person_id=2, at=NOW
            )


def count_decided(folder: Path) -> tuple[int, int]:
    """For how many objects of a release difficult was decided, and for how many it was not."""
    field = manifest_of(folder)["fields"]["difficult"]
    return field["decided"], field["objects"] - field["decided"]


@pytest.mark.parametrize("is_difficult", [True, False])
def test_an_edition_takes_judgements_of_released_objects(
    stocked: Party, tmp_path: Path, is_difficult: bool
) -> None:
    first = export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    image = next(image for image in first.images if not any(o.difficult for o in image.row.objects))
    judge_released(stocked, image.row.id, is_difficult=is_difficult)
    edition = export_release(stocked, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert edition.name == "VOC2026.1"
    judged = len(image.row.objects)
    decided, undecided = count_decided(tmp_path / "first")
    assert count_decided(tmp_path / "next") == (decided + judged, undecided - judged)
    name = f"VOCdevkit/VOC2026/Annotations/{image.public_id}.xml"
    text = contents(tmp_path / "next")[name].decode()
    assert text.count(f"<difficult>{int(is_difficult)}</difficult>") == judged
    changes = [
        correction["field"] for correction in manifest_of(tmp_path / "next").get("corrections", [])
    ]
    assert changes == ["difficult"] * judged * is_difficult
    assert verify_tree(tmp_path / "next") == []
    for folder, year, order in (("next", None, CORRECTS), ("first", 2026, None)):
        export_release(stocked, tmp_path / "again" / folder, year=year, at=NOW, order=order)
        assert contents(tmp_path / "again" / folder) == contents(tmp_path / folder)


def test_a_later_release_and_an_extension_have_what_was_judged_of_released_objects(
    stocked: Party, tmp_path: Path
) -> None:
    first = export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    image = first.images[0]
    judge_released(stocked, image.row.id, is_difficult=True)
    for name, order in (("VOC2027", ReleaseOrder()), ("VOC2028", ReleaseOrder(extends="VOC2026"))):
        folder = tmp_path / name
        year = int(name[3:])
        plan = export_release(stocked, folder, year=year, at=NOW, order=order)
        later = next(planned for planned in plan.images if planned.row.id == image.row.id)
        assert all(item.difficult for item in later.row.objects)
        assert manifest_of(folder)["release"] == name
        assert run("verify", folder, "--party", stocked.folder).exit_code == 0


def test_tables_count_a_difficult_object_as_the_files_of_a_release_and_the_last_judgement_do(
    stocked: Party, tmp_path: Path
) -> None:
    first = export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    image = next(image for image in first.images if not any(o.difficult for o in image.row.objects))
    judge_released(stocked, image.row.id, is_difficult=True)
    export_release(stocked, tmp_path / "next", year=None, at=NOW, order=CORRECTS)

    def count_difficult(images: Iterable[CountedImage]) -> int:
        return sum(item.difficult for counted in images for item in counted.objects)

    with stocked.catalogue.reading() as session:
        for name, folder in (("VOC2026", "first"), ("VOC2026.1", "next")):
            files = (tmp_path / folder).rglob("Annotations/*.xml")
            written = sum(path.read_text().count("<difficult>1<") for path in files)
            assert count_difficult(load_released(session, name)) == written
        assert count_difficult(load_finished(session)) == written


def test_objects_that_an_extension_took_over_are_judged_for_its_edition(
    stocked: Party, tmp_path: Path
) -> None:
    first = export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    extends = ReleaseOrder(extends="VOC2026")
    export_release(stocked, tmp_path / "second", year=2027, at=NOW, order=extends)
    with stocked.catalogue.reading() as session:
        asked = {item.image_id for item in list_to_judge(session, [])}
    image = first.images[0]
    assert image.row.id in asked
    judge_released(stocked, image.row.id, is_difficult=True)
    order = ReleaseOrder(corrects="VOC2027")
    edition = export_release(stocked, tmp_path / "next", year=None, at=NOW, order=order)
    name = f"VOCdevkit/VOC2027/Annotations/{image.public_id}.xml"
    text = contents(tmp_path / "next")[name].decode()
    assert edition.name == "VOC2027.1"
    assert text.count("<difficult>1</difficult>") == len(image.row.objects)
    assert verify_tree(tmp_path / "next") == []


def test_what_people_changed_of_an_imported_image_is_judged_after_its_release_too(
    party: Party, tmp_path: Path
) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
    import_tree(party, DatasetOrder(make_tree(tmp_path / "tree")), at=NOW)
    with party.catalogue.writing() as session:
        image = session.scalars(select(Image).order_by(Image.id)).first()
        assert image is not None
        revision = add_revision(session, image, [CAT], person_id=1, parent_id=image.annotation_id)
        add_review(session, revision, Verdict.ACCEPT)
        image.state = ImageState.CHECKED
        image_id = image.id
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    with party.catalogue.reading() as session:
        assert {item.image_id for item in list_to_judge(session, [])} == {image_id}
    judge_released(party, image_id, is_difficult=True)
    edition = export_release(party, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    public_id = next(image.public_id for image in edition.images if image.row.id == image_id)
    text = contents(tmp_path / "next")[f"VOCdevkit/VOC2026/Annotations/{public_id}.xml"].decode()
    assert text.count("<difficult>1</difficult>") == 1


def test_without_a_new_judgement_there_is_no_edition(stocked: Party, tmp_path: Path) -> None:
    judge(stocked, 1, 1)
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    with pytest.raises(NothingCheckedError):
        plan_release(stocked, year=None, order=CORRECTS)


def test_only_released_images_are_said_to_be_near_duplicates_of_one_another(
    stocked: Party, tmp_path: Path
) -> None:
    """One that dedup removed keeps two images in one set, and is itself in no release."""
    with stocked.catalogue.writing() as session:
        removed = add_image(session, stocked, 20, [CAT], state=ImageState.DUPLICATE).id
        for image_id in (1, 2):
            session.add(link(removed, image_id, "duplicate"))
    for name, is_near in (("first", False), ("second", True)):
        if is_near:
            with stocked.catalogue.writing() as session:
                session.add(link(1, 2, "duplicate"))
        plan = export_release(stocked, tmp_path / name, year=2026, name=name, at=NOW)
        assert removed not in {image.row.id for image in plan.images}
        text = read_datasheet(tmp_path / name)
        assert "1 group of images may not be parted (near-duplicate: 1)" in text
        assert ("1 of the groups above holds images that are near-duplicates" in text) == is_near
