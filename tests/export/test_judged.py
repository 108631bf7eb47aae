"""Judgements of released objects that came later, and who let a revision pass."""

from dataclasses import replace

import pytest

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.preset import AnnotationStyle
from catalog.states import ImageState, Verdict
from export.forms import FileForm
from export.judged import apply_judged, judge_form
from export.rows import ImageRow, PersonRow, ReviewRow, RevisionRow
from tests.party_rows import NOW
from vockit.format.records import VocBox, VocImage, VocObject

ANN = PersonRow("ann")
BOB = PersonRow("bob")
CHRIS = PersonRow("chris")
CAT = AnnotatedObject(1, "a", "cat", Box(1, 1, 60, 40))
DOG = AnnotatedObject(2, "b", "dog", Box(2, 2, 9, 9), difficult=True)
FIRST = RevisionRow(6, None, ANN, NOW, (CAT,))
NEWEST = RevisionRow(7, 6, BOB, NOW, (CAT, DOG))


def make_row(*reviews: ReviewRow) -> ImageRow:
    """An image that ann drew and bob drew again, with these verdicts."""
    return ImageRow(
        id=3,
        sha256="0" * 64,
        width=60,
        height=40,
        state=ImageState.CHECKED,
        photos=(),
        revisions=(NEWEST, FIRST),
        reviews=reviews,
    )


def list_difficult(row: ImageRow) -> list[list[bool]]:
    """By revision, whether each of its objects is difficult."""
    return [[item.difficult for item in revision.objects] for revision in row.revisions]


def test_a_judgement_changes_the_released_objects_and_no_earlier_revision() -> None:
    judged = apply_judged(make_row(), {3: {"a": True, "b": False}})
    assert list_difficult(judged) == [[True, False], [False]]
    assert judged.revisions[1] is FIRST
    assert replace(judged, revisions=(NEWEST, FIRST)) == make_row()


@pytest.mark.parametrize("judged", [{}, {4: {"a": True}}, {3: {}}, {3: {"c": True}}])
def test_what_was_not_judged_stays(judged: dict[int, dict[str, bool]]) -> None:
    assert apply_judged(make_row(), judged) == make_row()


@pytest.mark.parametrize(
    ("shown", "is_difficult", "written"),
    [
        (None, False, None),  # the file of an import does not say, and need not
        (None, True, True),
        (False, False, False),
        (False, True, True),
        (True, False, False),
    ],
)
def test_a_form_says_what_was_judged_and_else_what_its_file_said(
    shown: bool | None, is_difficult: bool, written: bool | None
) -> None:
    item = VocObject(name="cat", box=VocBox(1, 1, 60, 40), difficult=shown)
    form = make_form(item)
    revision = NEWEST._replace(objects=(replace(CAT, difficult=is_difficult),))
    judged = judge_form(form, replace(make_row(), revisions=(revision,)))
    assert judged == make_form(replace(item, difficult=written))


def make_form(item: VocObject) -> FileForm:
    """The file of an imported image with this object."""
    record = VocImage(filename="a.jpg", objects=(item,))
    return FileForm(AnnotationStyle.VOC2012, record)


def review(number: int, verdict: Verdict, person: PersonRow = CHRIS) -> ReviewRow:
    """A verdict on the revision with this number; a fix leads to the newest."""
    fixed = NEWEST.id if verdict is Verdict.FIXED else None
    return ReviewRow(1, number, person, verdict, fixed, NOW)


@pytest.mark.parametrize(
    ("verdict", "is_accepted", "has_second_look"),
    [
        (review(7, Verdict.ACCEPT), True, True),
        (review(6, Verdict.ACCEPT), False, False),  # of what was drawn before
        (review(7, Verdict.RETURNED), False, False),
        (review(6, Verdict.FIXED, BOB), True, True),  # ann drew it, and bob fixed it
        (review(6, Verdict.FIXED, ANN), True, False),
        (review(7, Verdict.ACCEPT, BOB), True, False),
        (review(5, Verdict.FIXED), True, False),  # nobody knows who drew what was judged
        (review(7, Verdict.ACCEPT)._replace(is_set_aside=True), False, False),
    ],
)
def test_a_second_look_is_by_another_person_than_who_drew_what_was_judged(
    verdict: ReviewRow, is_accepted: bool, has_second_look: bool
) -> None:
    row = make_row(verdict)
    assert (row.is_accepted, row.has_second_look) == (is_accepted, has_second_look)
