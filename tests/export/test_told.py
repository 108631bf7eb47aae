"""Each sentence of datasheet and card, with data for which it is true and data for which not."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.origins import ObjectOrigin
from catalog.preset import load_preset
from catalog.settings import make_settings
from catalog.states import ImageState, Source, Suggested, SuggestionKind, Verdict
from catalog.suggested import Detector, SuggestedObject
from export import split_report
from export.accompanying_files import datasheet
from export.arranging import plan_export
from export.forms import FileForm
from export.groups import Link
from export.notes import BoundGroup, Notes
from export.plan import PlannedImage, ReleasePlan
from export.recipe import make_recipe
from export.rows import (
    DrawingRow,
    ImageRow,
    PersonRow,
    PhotoRow,
    ReleaseJpegs,
    ReviewRow,
    RevisionRow,
)
from vockit.format.image_sets import Split

TEMPLATES = Path(datasheet.__file__).parent / "templates"
NOW = datetime(2026, 5, 4, tzinfo=UTC)
ABOUT = {
    "authors": ["Ada"],
    "affiliation": "Zoo Lab",
    "contact": "zoo@example.org",
    "homepage": "https://example.org",
    "doi": "10.1234/zoo",
    "funding": "A fund",
    "annotation_licence": "CC0",
    "intended_use": "Finding animals.",
}
PEOPLE = {"people": 3, "simulated": 0, "rows": 40, "active_hours": 5.0}
FACTS: dict[str, Any] = {
    "party": "Zoo",
    "target": {"dates": "upload", "first_date": "2010-01-01", "last_date": "2024-12-31"},
    "queries": [
        {
            "source": "flickr",
            "class_name": "cat",
            "keyword": "kitten",
            "searches": 9,
            "matches": 90,
            "draws": 12,
            "kept": 30,
        }
    ],
    "photos": {"fetched": 30, "gone": 2},
    "discarded": {"no_object": 4},
    "duplicates": {"duplicate": 5},
    "verdicts": {"accept": 28, "returned": 2},
    "annotators": PEOPLE,
    "checkers": PEOPLE,
    "checks": [{"name": "touching", "severity": "hint", "verdicts": {"open": 3}}],
    "agreement": {"images annotated twice, blind": 12, "same class": "1.0 (0.9-1.0)"},
    "drawn": {"void_width_px": 5, "difficult_masks": "void", "check_inputs": {}, "overlaps": {}},
}
TABLE: dict[str, Any] = {
    "name": "yfcc",
    "sha256": "abc",
    "sample_sha256": "def",
    "passed_at": "2026-05-04T12:00:00Z",
    "format": "csv",
    "files": 1,
    "seed": 7,
    "photos_per_month": 3,
    "dates": "upload",
    "rows": 900,
    "answers": 40,
    "photos_of_all_months": 360,
}
NOTHING: dict[str, Any] = {
    "photos": {},
    "discarded": {},
    "duplicates": {},
    "verdicts": {},
    "checks": [],
    "agreement": None,
    "queries": [],
}


def make_row(number: int, class_name: str = "cat", **photo: Any) -> ImageRow:
    """An image drawn by ann and checked by chris; its photo was drawn alone by a search."""
    uploaded_at = datetime(2010 + number % 15, 7, 1, tzinfo=UTC)
    known: dict[str, Any] = {
        "source": Source.FLICKR,
        "source_id": str(number),
        "owner_id": f"o{number}",
        "owner_name": "the Zoo",
        "licence_name": "CC BY 2.0",
        "page_url": "https://example.org/1",
        "query_class": "cat",
        "sampling": "upload",
        "uploaded_at": uploaded_at,
        "found_at": NOW,
        "window_start_at": uploaded_at,
        "result_page": number,
    }
    item = AnnotatedObject(1, "a", class_name, Box(1, 1, 60, 40))
    return ImageRow(
        number,
        f"{number:064d}",
        60,
        40,
        ImageState.CHECKED,
        (PhotoRow(**(known | photo)),),
        (RevisionRow(number, None, PersonRow("ann"), NOW, (item,)),),
        (ReviewRow(number, number, PersonRow("chris"), Verdict.ACCEPT, None, NOW),),
    )


def plan_of(
    images: list[ImageRow] | None = None, *, is_bare: bool = False, **more: Any
) -> ReleasePlan:
    """A release of these images; a bare one has one class without parts and actions."""
    recipe = make_recipe(make_settings({"name": "Zoo"}), load_preset("voc2012"))
    recipe = replace(recipe, classes=("cat",), parts=(), actions=()) if is_bare else recipe
    recipe = replace(recipe, test2=more.pop("test2", ""))
    links = more.pop("links", ())
    is_unbound = more.pop("is_unbound", False)
    return plan_export(
        ReleasePlan("VOC2026", 2026, recipe, (), notes=Notes(**more)),
        rows() if images is None else images,
        jpegs=ReleaseJpegs(),
        links=links,
        given_ids=(),
        forms={},
        masked=frozenset(),
        most_off_points=2.0,
        is_unbound=is_unbound,
    )


def rows(count: int = 30, **photo: Any) -> list[ImageRow]:
    return [make_row(number, **photo) for number in range(1, count + 1)]


def write(plan: ReleasePlan, **facts: Any) -> str:
    """Datasheet and card of the release."""
    plan = replace(plan, notes=replace(plan.notes, facts=FACTS | facts))
    tables = tuple(datasheet.iterate_tables(plan))
    sheet = datasheet.format_datasheet(plan, tables[0])
    return sheet + datasheet.format_card(plan, tables[0])


IMPORT: dict[str, Any] = {
    "query_class": None,
    "sampling": None,
    "source": Source.FOLDER,
    "window_start_at": None,
}


def bare() -> str:
    return write(plan_of(is_bare=True))


def searched() -> str:
    """All is known: photographs found by searches, annotated and checked by people."""
    return write(plan_of(about=ABOUT))


def active() -> str:
    """People with parts who do something."""
    head = AnnotatedPart("head", Box(2, 2, 9, 9))
    item = AnnotatedObject(
        1, "a", "person", Box(1, 1, 60, 40), actions=("running",), parts=(head,), point_xy=(5, 5)
    )
    images = [make_row(number) for number in range(1, 31)]
    return write(
        plan_of(
            [
                replace(image, revisions=(image.revisions[0]._replace(objects=(item,)),))
                for image in images
            ]
        )
    )


def judge_imported(images: Iterable[PlannedImage]) -> dict[str, Any]:
    """The images' annotations came with a tree."""
    return {
        image.public_id: {"tree": "VOC2007", "brought": image.row.annotation_id} for image in images
    }


def imported() -> str:
    """Nothing is known: photographs of a folder, imported with their annotations."""
    bare = [replace(row, photos=(PhotoRow(Source.FOLDER, f"{row.id}"),)) for row in rows()]
    plan = plan_of(bare)
    images = tuple(replace(image, row=replace(image.row, reviews=())) for image in plan.images)
    judgements = judge_imported(images)
    nobody = {"people": 0, "simulated": 0, "rows": 0, "active_hours": 0.0}
    facts = {"judgements": judgements, "annotators": nobody, "checkers": nobody}
    return write(replace(plan, images=images), **NOTHING | facts)


def mixed() -> str:
    """Some were imported, some checked, some put in two sets by an earlier tree."""
    plan = plan_of([*rows(20), *(make_row(number, **IMPORT) for number in range(21, 31))])
    images = [
        replace(image, row=replace(image.row, reviews=())) if number < 10 else image
        for number, image in enumerate(plan.images)
    ]
    judgements = judge_imported(images[:10])
    return write(replace(plan, images=tuple(images)), judgements=judgements)


def judged() -> str:
    """Of 30 objects 20 were judged one by one, 3 drawn by checkers, and 6 judged for difficulty."""
    return write(
        plan_of(),
        judgements={
            image.public_id: {
                "is_checked": True,
                "judged": [1] if number < 20 else [],
                "drawn": [1] if number >= 27 else [],
                "is_complete": number < 8 if number < 10 else None,
                "difficult": [1] if number < 6 else [],
                "tree": None,
            }
            for number, image in enumerate(plan_of().images)
        },
    )


def rechecked(count: int) -> str:
    """A second person accepted so many annotations as they had come with a tree."""
    plan = plan_of()
    return write(plan, judgements=judge_imported(plan.images[:count]))


def labelled() -> str:
    """Of five images with labels of a tool one was accepted, one changed, and two drawn twice."""
    plan = plan_of(rows(5))
    origins = {"a": ObjectOrigin("COCO", "labels.json, annotation 1", {"hue": "red"})}
    images = [replace(image, row=replace(image.row, origins=origins)) for image in plan.images]
    images[2:] = [replace(image, row=replace(image.row, reviews=())) for image in images[2:]]
    judgements = judge_imported(images)
    for number, image in enumerate(images):
        came = {"tool": "COCO", "is_doubled": number < 2, "brought": image.row.annotation_id}
        judgements[image.public_id] |= came
    judgements[images[1].public_id] |= {"brought": 0, "tree": None}
    return write(replace(plan, images=tuple(images)), judgements=judgements)


def with_masks(plan: ReleasePlan) -> ReleasePlan:
    images = [
        replace(
            image,
            form=FileForm(
                plan.recipe.style,
                plan.record(image),
                segmentation_id=number,
                masks={"SegmentationClass": "a" * 64},
            ),
        )
        for number, image in enumerate(plan.images, start=1)
    ]
    return replace(plan, images=tuple(images))


def segmented() -> str:
    """Nine objects were drawn by people, the others imported; two images were drawn twice."""
    plan = with_masks(plan_of())
    drawings = {
        number: DrawingRow(number, number, PersonRow("ann"), NOW, (), {"a": (30.0, 24.0)})
        for number in range(1, 10)
    }
    overlaps = {
        plan.images[0].public_id: [("cat", 0.8)] * 8,
        plan.images[1].public_id: [("cat", 1.0), ("dog", 0.9)],
    }
    drawn = {
        "void_width_px": 5,
        "difficult_masks": "void",
        "overlaps": overlaps,
        "check_inputs": {image.public_id: [2] for image in plan.images},
    }
    return write(replace(plan, drawings=drawings), drawn=drawn)


def second_annotated(*, is_annotated: bool = True) -> str:
    """Two people annotated three test images once more, unless masks alone are there."""
    plan = plan_of()
    ids = [image.public_id for image in plan.images if image.split.is_test][:3]
    given = ids if is_annotated else []
    images = {key: {"person": 1 + at % 2, "objects": []} for at, key in enumerate(given)}
    return write(plan, people={"discarded": 1, "images": images, "masks": {ids[0]: 3}})


def imported_masks() -> str:
    return write(with_masks(plan_of()))


def labelled_masks() -> str:
    drawn = {"void_width_px": 5, "difficult_masks": "labelled", "check_inputs": {}, "overlaps": {}}
    return write(with_masks(plan_of()), drawn=drawn)


def extended_masks() -> str:
    plan = with_masks(plan_of())
    return write(replace(plan, notes=replace(plan.notes, extends="VOC2025")))


def asked_in_part() -> str:
    plan = plan_of()
    asked: dict[str, tuple[str, ...]] = {image.public_id: ("cat",) for image in plan.images[:10]}
    return write(replace(plan, notes=replace(plan.notes, asked=asked)))


def plan_bound() -> ReleasePlan:
    return plan_of([*rows(), make_row(31, owner_id="o1")], links=[Link(2, 3)])


def bound() -> str:
    return write(plan_bound())


def blind_and_bound() -> str:
    """Groups may not be parted, and the file that lists them would tell of the test set."""
    return write(replace(plan_bound(), is_blind=True))


def bridged() -> str:
    """Two owners with 8 images each, and one photograph that both have."""
    related = [make_row(number, owner_id="ann" if number < 9 else "bob") for number in range(1, 17)]
    return write(plan_of([*related, *rows(40)[16:]], links=[Link(1, 16)], is_unbound=True))


def drawn_by(sampling: str, **more: Any) -> str:
    target = {**FACTS["target"], "dates": sampling}
    return write(plan_of(rows(sampling=sampling, **more)), target=target)


def uploaded(*years: int) -> str:
    """600 photographs, which take these years in rotation."""
    return write(
        plan_of(
            [
                make_row(number, uploaded_at=datetime(years[number % len(years)], 7, 1, tzinfo=UTC))
                for number in range(1, 601)
            ]
        )
    )


def suggested(sets: Iterable[Split]) -> str:
    """A release of which the objects of these sets were accepted as a model suggested them."""
    detector = Detector(3, "net", "1", "ab" * 32, SuggestionKind.FILE, "MIT", NOW)
    accepted = {"a": SuggestedObject(Suggested.ACCEPTED, detector)}
    plan = plan_of()
    images = [
        replace(image, row=replace(image.row, suggested=accepted if image.split in sets else {}))
        for image in plan.images
    ]
    return write(replace(plan, images=tuple(images)))


def grouped() -> str:
    """A release in which every object is a box around a group."""
    plan = plan_of()
    images = [
        replace(image, row=group_all(image.row)) if plan.shows(image) else image
        for image in plan.images
    ]
    return write(replace(plan, images=tuple(images)))


def group_all(row: ImageRow) -> ImageRow:
    newest, *others = row.revisions
    objects = tuple(replace(item, group_of=True, difficult=True) for item in newest.objects)
    return replace(row, revisions=(newest._replace(objects=objects), *others))


def planned(**values: Any) -> str:
    return write(replace(plan_of(), **values))


def noted(**notes: Any) -> str:
    return write(plan_of(**notes))


def extended(*, torn: int = 0, parted: int = 0) -> str:
    """An extension that left out images, and one that took over groups in two sets."""
    plan = plan_of([*rows(), make_row(31, owner_id="o1")])
    left_out = {"image_id": 40, "stored_sha256": "b" * 64, "kept": ["2026_000001"]}
    groups = [
        BoundGroup((f"2026_{number:06d}", f"2026_{number + 1:06d}"), ("owner",))
        for number in (1, 3, 5)
    ]
    notes = replace(
        plan.notes, extends="VOC2025", torn=(left_out,) * torn, parted=tuple(groups[:parted])
    )
    return write(replace(plan, notes=notes))


def with_test2(*links: Link) -> str:
    """Two photographs of Commons in a test set of their own, but for those that links bind."""
    apart = [make_row(number, source=Source.COMMONS) for number in (31, 32)]
    return write(plan_of([*rows(), *apart], links=links, test2="commons"))


CASES: dict[str, tuple[Callable[[], str], Callable[[], str]]] = {
    # sentence: data that make it true, data that do not
    "each annotation was checked by a second person.": (searched, mixed),
    "20 of 30 annotations were checked by a second person, others imported.": (mixed, searched),
    "The annotation of its test set is held back.": (lambda: planned(is_blind=True), searched),
    "classification and detection.": (searched, active),
    "person layout and action classification": (active, searched),
    "Finding animals.": (searched, imported),
    "The annotation party “Zoo”: Ada (Zoo Lab).": (searched, imported),
    "A fund": (searched, imported),
    "A sample of photographs that were published with the words": (searched, imported),
    ", and of photographs that were imported.": (mixed, searched),
    "What was imported, annotated and checked.": (imported, mixed),
    "Of the images that were annotated and checked it has those with cat or dog.": (
        lambda: noted(part={"classes": ["cat", "dog"]}),
        searched,
    ),
    "It has at most 30 of the images that could be in it.": (
        lambda: noted(part={"limit": 30}),
        searched,
    ),
    "1 image was left out, because near-duplicates in it bound": (bridged, bound),
    "1 image was left out, because images of VOC2025 in two sets have the same owner": (
        lambda: extended(torn=1),
        searched,
    ),
    "2 images were left out, because images of VOC2025 in two sets have the same owner": (
        lambda: extended(torn=2),
        searched,
    ),
    "1 image was left out, because images of another set have the same owner": (
        lambda: with_test2(Link(31, 1)),
        with_test2,
    ),
    "No group lies in two of train, val, test and test2": (
        lambda: with_test2(Link(31, 32)),
        bound,
    ),
    "train, val (together trainval), test and test2. test2 is a second test set, of another "
    "origin: 2 images that come from commons alone.": (with_test2, searched),
    "What differs between the test sets?": (with_test2, searched),
    "whose column `set` says train, val, test or test2;": (with_test2, searched),
    "metadata-test2.parquet": (with_test2, searched),
    "No group lies in two of train, val and test; splits.json lists them.": (
        bound,
        lambda: extended(parted=1),
    ),
    "No group lies in two of train, val and test.": (blind_and_bound, bound),
    "say when photographs were uploaded, but not those of test.": (blind_and_bound, bound),
    "who annotated and checked it; of those of test, which set they are in": (
        blind_and_bound,
        bound,
    ),
    "None of these lies in two of train, val and test; splits.json lists them. 1 group of images": (
        lambda: extended(parted=1),
        bound,
    ),
    "3 groups of images of VOC2025 lie in two sets or more, where that release had put them": (
        lambda: extended(parted=3),
        bound,
    ),
    "parts (head hand foot)": (active, searched),
    "actions (jumping": (active, searched),
    "Those of test are held back.": (lambda: planned(is_blind=True), searched),
    "The owner's name is known of 30 of 30 photographs.": (searched, imported),
    "30 of 30 images have segmentation masks.": (segmented, searched),
    "Nothing is segmented.": (searched, segmented),
    "outlines of 9 objects, in 30.0 active seconds and 24.0 inputs each (medians); another person "
    "checked them with 2 inputs an image.": (segmented, imported_masks),
    "IoU of cat in two blind drawings: 0.822 (": (segmented, imported_masks),
    ", with 95 %; 9 objects)": (segmented, imported_masks),
    "0.900 (one image, no interval; 1 object)": (segmented, imported_masks),
    "No image was drawn twice.": (imported_masks, segmented),
    "holds what 2 second annotators drew on 3 test images without seeing what is released, and "
    "second masks of 1 image that 1 person drew in the released boxes": (
        second_annotated,
        searched,
    ),
    "holds second masks of 1 image that 1 person drew": (
        lambda: second_annotated(is_annotated=False),
        second_annotated,
    ),
    "as results of a method that `vocparty evaluate`": (second_annotated, searched),
    "Void is derived: 5 pixels wide": (segmented, extended_masks),
    "In new masks, void is derived: 5 pixels wide": (extended_masks, segmented),
    "along each border, difficult objects, and regions": (segmented, labelled_masks),
    "Difficult objects carry their label.": (labelled_masks, segmented),
    "10 of 30 images were not asked about every class:": (asked_in_part, searched),
    "| dog | 0 | 20 | 10 |": (asked_in_part, searched),
    "1 image came with names that the development kit does not read.": (
        lambda: planned(notes=replace(plan_of().notes, renamed={"2026_000001": "a b"})),
        searched,
    ),
    "2 groups of images may not be parted (near-duplicate: 1, owner: 1); the largest have 2, 2": (
        bound,
        searched,
    ),
    "No images of one owner, event or near-duplicate group were found.": (searched, bound),
    "The share of a class in a set is off the wanted one by": (
        searched,
        lambda: planned(is_blind=True),
    ),
    "How far a class of fewer than ten images is off is not told; there is 1.": (
        lambda: write(plan_of([*rows(30), make_row(31, "dog")])),
        searched,
    ),
    "How far a class of fewer than ten images is off is not told; there are 2.": (
        lambda: write(plan_of([*rows(9), make_row(31, "dog")])),
        searched,
    ),
    "30 of 30 annotations were accepted or corrected by a second person. See": (searched, mixed),
    "20 of 30 annotations were accepted or corrected by a second person; 10 were imported with": (
        mixed,
        searched,
    ),
    "1 of the groups above holds images that are near-duplicates": (bound, searched),
    "No two of its images are known to be near-duplicates.": (searched, bound),
    "near-duplicates. Only 28 of 30 images were compared.": (
        lambda: write(plan_of(), not_compared=["2026_000001", "2026_000002"]),
        searched,
    ),
    "Whether images are near-duplicates of one another was not looked at.": (
        lambda: write(plan_of(), not_compared=[f"2026_{n:06d}" for n in range(1, 31)]),
        searched,
    ),
    "(who took it is known of 0, the licence of 0 of 30 photographs)": (imported, searched),
    "CREDITS.csv links to the photographs' pages": (searched, imported),
    "The photographs had been published.": (searched, mixed),
    "Yes: person is one of the classes.": (searched, bare),
    "Not by design; people may be": (bare, searched),
    "say when photographs were uploaded.": (searched, imported),
    "say when photographs were uploaded and taken.": (
        lambda: drawn_by("taken", taken_at="2012-05-06 07:08:09"),
        searched,
    ),
    "By searches with a keyword. All searches of the party, as it was when this release "
    "was made:": (
        searched,
        imported,
    ),
    "By searches with a keyword; 10 of 30 photographs were imported. All": (mixed, searched),
    "| cat | kitten | flickr | 9 | 12 | 30 |": (searched, imported),
    "Searches of the source `table` are of samples of these tables. A sample has photographs of "
    "each query and month by lot, and of one owner no more than the party allows:": (
        lambda: write(plan_of(), tables=[TABLE]),
        searched,
    ),
    "| yfcc | abc | 900 | 40 | 3 | 7 | 2026-05-04T12:00:00Z |": (
        lambda: write(plan_of(), tables=[TABLE]),
        searched,
    ),
    "| yfcc | abc | 900 | 40 | 360, all months together | 7 | 2026-05-04T12:00:00Z |": (
        lambda: write(plan_of(), tables=[{**TABLE, "dates": "none"}]),
        searched,
    ),
    "Photographs were imported; no search found any of them.": (imported, mixed),
    "Each search was for a random window of time": (searched, lambda: drawn_by("none")),
    "The searches asked for no dates; a page of what they showed was drawn": (
        lambda: drawn_by("none"),
        searched,
    ),
    "Nothing was sampled here.": (imported, mixed),
    "Target: as many photographs uploaded in each year from 2010-01-01 to 2024-12-31.": (
        searched,
        imported,
    ),
    "Target: as many photographs taken in each year from": (
        lambda: drawn_by("taken", taken_at="2012-05-06 07:08:09"),
        searched,
    ),
    "Target: no dates; which photographs came first was left to the source.": (
        lambda: drawn_by("none"),
        searched,
    ),
    "By year of upload: 2010 2, 2011 2,": (searched, imported),
    "By year of taking: 2010 0, 2011 0, 2012 30,": (
        lambda: drawn_by("taken", taken_at="2012-05-06 07:08:09"),
        searched,
    ),
    "; 30 images without a date in this range": (lambda: uploaded(*[2010] * 19, 2009), searched),
    "Uniform dates would give 2.0 a year.": (searched, imported),
    "The last 5 of 15 years hold 33% of these 30 images; uniform dates would give 33%.": (
        searched,
        imported,
    ),
    "The last 5 of 15 years hold 50% of these 600 images; uniform dates would give 33%.": (
        lambda: uploaded(2023, 2010),
        searched,
    ),
    "found until this release was made: fetched 30, gone 2.": (searched, imported),
    "No photographs recorded.": (imported, searched),
    "3 annotated: 40 revisions in 5.0 people-hours of measured work.": (
        searched,
        lambda: write(plan_of(), annotators=PEOPLE | {"simulated": 1}),
    ),
    "3 annotated, 1 of them simulated:": (
        lambda: write(plan_of(), annotators=PEOPLE | {"simulated": 1}),
        searched,
    ),
    "3 checked, all of them simulated:": (
        lambda: write(plan_of(), checkers=PEOPLE | {"simulated": 3}),
        searched,
    ),
    "in 30 minutes of": (
        lambda: write(plan_of(), checkers=PEOPLE | {"active_hours": 0.5}),
        searched,
    ),
    "in 5.5 minutes of": (
        lambda: write(plan_of(), checkers=PEOPLE | {"active_hours": 5.5 / 60}),
        searched,
    ),
    "Photographs were found or imported on 2026-05-04.": (searched, imported),
    "They were uploaded between 2010-07-01 and 2024-07-01.": (searched, imported),
    "Through the sources above, where the photographers had published it.": (searched, mixed),
    "Photographers published under the licences": (searched, mixed),
    "20 of 30 images were labelled as GUIDELINES.md says": (mixed, searched),
    "Relations that dedup found in the party: duplicate 5.": (searched, imported),
    "No pairs recorded.": (imported, searched),
    "Verdicts given in the party until this release was made: accept 28, returned 2.": (
        searched,
        imported,
    ),
    "No reviews recorded.": (imported, searched),
    "Of the 30 objects that the last checker of their image passed, 20 were judged one by one, 3 "
    "were drawn by the checker and 7 passed with their image. Of 10 images "
    "the checker said whether an object is missing: of 8 none is.": (judged, searched),
    "truncated (decided for 20 of 30)": (judged, searched),
    "difficult (decided for 6 of 30)": (judged, searched),
    "| difficult | 6 | 0 | 30 |": (judged, imported),
    "| difficult | 0 | 30 | 30 |": (imported, judged),
    "Objects have boxes, view, truncated, occluded, difficult;": (imported, searched),
    "Nobody annotated in this party. Nobody checked in this party. What was imported was "
    "annotated": (
        imported,
        mixed,
    ),
    "30 were imported with `vocparty import dataset` from VOC2007, as its makers had checked "
    "them.": (
        imported,
        searched,
    ),
    "Of 5 annotations that came with labels of other tools, 1 was accepted by a person here as "
    "they came, 1 changed here, and 3 taken as they came without a check; 2 of the 5 were also "
    "annotated by another person who did not see them.": (labelled, imported),
    "2 of 5 annotations were checked by a second person, others imported.": (labelled, imported),
    "5 objects have attributes of an imported dataset that VOC has no field for;": (
        labelled,
        imported,
    ),
    "30 annotated objects of 1 of 20 classes in": (searched, bare),
    "30 annotated objects of 1 class in": (bare, searched),
    "30 of 30 annotations were accepted or corrected by a second person, 2 of them exactly as "
    "imported.": (lambda: rechecked(2), searched),
    "28 of 30 images were labelled as GUIDELINES.md says": (lambda: rechecked(2), searched),
    "What was imported was read from folders, addresses or trees.": (imported, searched),
    "vocparty asked the public interfaces of the sources in the table": (searched, imported),
    "People annotated in a browser.": (searched, imported),
    "`GUIDELINES.md`: the rules for annotators of the party": (imported, searched),
    "what changed since an earlier release, once the test set is opened": (
        lambda: planned(is_blind=True),
        searched,
    ),
    "Of all images of the party, when this release was made:": (searched, imported),
    "Some searches were for a random window of time": (
        lambda: write(
            plan_of([*rows(9), *(make_row(number, sampling="none") for number in (10, 11))])
        ),
        searched,
    ),
    "Photographers are named with their photographs, as licences ask.": (searched, imported),
    "Photographers are named with their photographs.": (
        lambda: write(plan_of(rows(licence_name=None))),
        searched,
    ),
    "but those of test, which are held back,": (lambda: planned(is_blind=True), searched),
    "Of the images whose annotation is shown: By year": (lambda: planned(is_blind=True), searched),
    "Discarded: no object 4.": (searched, imported),
    "No images, by reason recorded.": (imported, searched),
    "| touching | hint | open 3 |": (searched, imported),
    "No findings are recorded; `vocparty qa` records them.": (imported, searched),
    "- same class: 1.0 (0.9-1.0)": (searched, imported),
    "Not measured: `vocparty agreement` does it.": (imported, searched),
    "See https://example.org.": (searched, imported),
    "The searches and the licences decided which photographs are in it": (searched, imported),
    "What was imported decided which photographs are in it.": (imported, mixed),
    "Yes, at https://example.org.": (searched, imported),
    "Its page: https://example.org.": (searched, imported),
    "DOI: 10.1234/zoo.": (searched, imported),
    "- CC BY 2.0": (searched, imported),
    "- unknown": (imported, searched),
    "Of the annotations: CC0": (searched, imported),
    "This product uses the Flickr API": (searched, imported),
    "30 photographs of this release are under licences that forbid": (
        lambda: write(plan_of(rows(licence_name="CC BY-ND 2.0"))),
        searched,
    ),
    "zoo@example.org": (searched, imported),
    "What was withdrawn since?**\n\n1: 2026_000099.": (
        lambda: planned(withdrawn=("2026_000099",)),
        searched,
    ),
    "Yes: 2 images are not checked.": (
        lambda: noted(forced=("2 images are not checked",)),
        searched,
    ),
    "metadata-val.parquet": (searched, lambda: write(plan_of(rows(1)))),
    "**Were objects suggested by a model?**": (lambda: suggested([Split.TRAIN]), searched),
    "Suggestions of net 1 (set 3, digest abababababab, MIT).": (
        lambda: suggested([Split.TRAIN]),
        searched,
    ),
    "Objects of the test sets were made of suggestions of net 1 (set 3, digest": (
        lambda: suggested([Split.TEST]),
        lambda: suggested([Split.TRAIN]),
    ),
    "Boxes around a group of more than ten that touch: ": (grouped, searched),
    "`splits.json`: what each set holds": (searched, lambda: planned(is_blind=True)),
    "- doi: 10.1234/zoo": (searched, imported),
}


@cache
def print_case(make: Callable[[], str]) -> str:
    return make()


@pytest.mark.parametrize("sentence", CASES)
def test_each_sentence_is_printed_exactly_when_it_is_true(sentence: str) -> None:
    is_true, is_not = CASES[sentence]
    assert sentence in print_case(is_true)
    assert sentence not in print_case(is_not)


def test_every_conditional_sentence_has_a_case() -> None:
    """Every conditional text is printed by one case and left out by another."""
    texts = {print_case(make) for makers in CASES.values() for make in makers}
    for path in ("DATASHEET.md", "README.md"):
        for text in list_conditional(path):
            assert any(text in output for output in texts), text
            assert not all(text in output for output in texts), text


def test_a_class_of_one_image_is_not_told_to_be_off() -> None:
    """Half of its images are in no set."""
    plan = plan_of([*rows(40), make_row(41, "dog")])
    report = split_report.report_splits(plan)
    assert report.max_deviation is not None
    assert report.max_deviation < 3
    assert report.few == ("dog",)
    *_, balance, few = split_report.iterate_lines(plan)
    assert balance.startswith("Class balance across splits: off by 0.")
    assert few == "Class balance is not told of 1 class with fewer than ten images."


def list_conditional(path: str) -> list[str]:
    """The conditional texts of the template, piece by piece, as they are printed."""
    depth = 0
    texts = list[str]()
    before = ""
    for _, kind, value in Environment().lex((TEMPLATES / path).read_text()):
        if kind == "name" and before == "block_begin" and value in ("if", "for"):
            depth += 1
        if kind == "name" and before == "block_begin" and value in ("endif", "endfor"):
            depth -= 1
        if kind == "string" or (kind == "data" and depth):
            texts += re.split(r"(?m)\n|%\.?\w+|^\? ", value.strip("\"'"))
        before = before if kind == "whitespace" else kind
    return [text.strip() for text in texts if re.search(r"[a-z]{3} [a-z]", text)]
