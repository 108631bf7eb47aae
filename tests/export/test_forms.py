"""Rows become records: the fields of each style, and what cannot be released."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.preset import load_preset
from catalog.settings import make_settings
from catalog.states import ImageState, Source, Verdict, View
from export import forms
from export.errors import ReleaseNameError
from export.forms import find_fault
from export.recipe import STYLES, Recipe, make_recipe
from export.releases import parse_settings
from export.rows import ImageRow, PersonRow, PhotoRow, ReviewRow, RevisionRow
from tests.kit_reader import read_record
from tests.party_rows import NOW
from vockit.format.records import VocImage, VocOwner
from vockit.format.write import format_annotation

CAT = AnnotatedObject(1, "a", "cat", Box(1, 1, 60, 40), View.LEFT, truncated=True, difficult=True)
WALKER = AnnotatedObject(
    number=1,
    key="b",
    class_name="person",
    box=Box(2, 2, 9, 9),
    occluded=True,
    actions=("walking",),
    point_xy=(60, 40),
    parts=(AnnotatedPart("head", Box(2, 2, 3, 3)),),
)
PHOTO = PhotoRow(Source.FLICKR, "5001", "12@N01", "Tom & <Jerry>\n")

PRESETS = {name: load_preset(name) for name in ("voc2007", "voc2012")}


def recipe(preset: str = "voc2012", **export: object) -> Recipe:
    settings = make_settings({"name": "Tom & Jerry's <zoo>", "export": export})
    return make_recipe(settings, PRESETS[preset])


def row(*objects: AnnotatedObject, photo: PhotoRow | None = PHOTO) -> ImageRow:
    revision = RevisionRow(7, None, PersonRow("ann"), NOW, objects)
    review = ReviewRow(1, 7, PersonRow("chris"), Verdict.ACCEPT, None, NOW)
    photos = () if photo is None else (photo,)
    return ImageRow(3, "0" * 64, 60, 40, ImageState.CHECKED, photos, (revision,), (review,))


def make_record(row: ImageRow, preset: str = "voc2012", **export: object) -> VocImage:
    return forms.make_record(row, recipe(preset, **export), 2026, "2026_000001")


def test_actions_and_points_are_written_only_if_all_objects_have_them() -> None:
    record = make_record(row(WALKER, CAT))
    assert [(item.actions, item.point) for item in record.objects] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("photo", "owner"),
    [
        (PHOTO._replace(owner_name=None), VocOwner("12@N01", "?")),
        (PHOTO._replace(owner_name="\x07"), VocOwner("12@N01", "?")),
        (PHOTO._replace(owner_id=None), VocOwner("?", "Tom and (Jerry)")),
        (None, VocOwner("?", "?")),
    ],
)
def test_files_of_2007_name_the_owner_or_a_mark(photo: PhotoRow | None, owner: VocOwner) -> None:
    assert make_record(row(CAT, photo=photo), "voc2007").owner == owner


def test_a_photograph_of_a_table_has_the_number_that_flickr_gave_it() -> None:
    listed = PHOTO._replace(source=Source.TABLE, source_id="museum:1")
    pages = ["https://www.flickr.com/photos/12@N01/77", "https://www.flickr.com/photos/12@N01/"]
    sources = [
        make_record(row(CAT, photo=listed._replace(page_url=page)), "voc2007").source
        for page in pages
    ]
    assert [source and (source.image, source.flickrid) for source in sources] == [
        ("flickr", "77"),
        ("table", None),
    ]


def test_the_source_of_the_photograph_is_written() -> None:
    folder = PHOTO._replace(source=Source.FOLDER)
    images = [
        make_record(row(CAT, photo=folder), **export).source
        for export in ({}, {"image": "zoo cameras"})
    ]
    assert [source and source.image for source in images] == ["folder", "zoo cameras"]


def test_settings_that_files_cannot_hold_are_refused_by_name() -> None:
    with pytest.raises(ReleaseNameError, match=r"export\.database = 'Zoo & Co' is wrong"):
        recipe(database="Zoo & Co")


def test_a_recipe_is_read_back_as_recorded() -> None:
    settings = {"recipe": recipe().to_json(), "encoded": {}}
    assert parse_settings(settings)[0] == recipe()


FAULTS = [
    (row(), "no object"),
    (replace(row(CAT), reviews=()), "no checker accepted"),
    (row(replace(CAT, class_name="unicorn")), "'unicorn' of object 1"),
    (row(CAT, replace(CAT, box=Box(1, 1, 61, 40))), "box of object 2 leaves"),
    (
        row(replace(WALKER, parts=(AnnotatedPart("head", Box(1, 1, 2, 41)),))),
        "box of object 1 leaves",
    ),
    (row(replace(WALKER, parts=(AnnotatedPart("tail", Box(1, 1, 2, 2)),))), "part of object 1"),
    (row(replace(WALKER, actions=("flying",))), "action of object 1"),
    (row(replace(WALKER, point_xy=(0, 1))), "point of object 1"),
]


@pytest.mark.parametrize(("image", "reason"), FAULTS)
def test_an_image_that_cannot_be_released_has_a_reason(image: ImageRow, reason: str) -> None:
    assert reason in str(find_fault(image, recipe()))


def test_only_the_checkers_fix_of_a_fixed_image_is_accepted() -> None:
    image = row(CAT)
    fixed = ReviewRow(1, 6, PersonRow("chris"), Verdict.FIXED, 7, NOW)
    assert replace(image, reviews=(fixed,)).is_accepted
    assert not replace(image, reviews=(fixed._replace(fixed_annotation_id=8),)).is_accepted
    assert not replace(image, reviews=(fixed._replace(verdict=Verdict.RETURNED),)).is_accepted


names = st.text(max_size=40)


@given(names, names, names, st.sampled_from(["voc2007", "voc2012"]))
@example("\x07", "\x07", "\x07", "voc2007")
def test_hostile_text_is_sanitised(party: str, owner_id: str, owner_name: str, preset: str) -> None:
    settings = make_settings({"name": party if party.strip() else "x"})
    made = make_recipe(settings, PRESETS[preset])
    photo = PhotoRow(Source.FLICKR, owner_name or "x", owner_id or "x", owner_name)
    record = forms.make_record(row(CAT, photo=photo), made, 2026, "2026_000001")
    text = format_annotation(record, STYLES[made.style])
    assert read_record(text.encode()).objects[0].name == "cat"
