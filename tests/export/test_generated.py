"""Whole catalogues made at random: written, imported and written again, a release is the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.party import Party, make_party, open_party
from catalog.states import View
from export.importing.job import TreeOrder, import_tree
from export.planning import ReleaseOrder
from export.release import export_release
from export.verify.check import verify_tree

from .outcome import contents
from .rows import HEIGHT, NOW, WIDTH, Drawn, add_image, add_people
from .test_goldens import STYLES, picture

pytestmark = pytest.mark.slow

CLASSES = ("aeroplane", "person", "train", "tvmonitor")
ACTIONS = ("jumping", "phoning", "walking")
PARTS = ("head", "hand", "hand", "foot", "foot")  # as many as the preset lets one person have

Owner = tuple[str, str, str]


@st.composite
def boxes(draw: st.DrawFn) -> tuple[int, int, int, int]:
    (xmin, xmax), (ymin, ymax) = (
        sorted((draw(st.integers(1, side)), draw(st.integers(1, side)))) for side in (WIDTH, HEIGHT)
    )
    return xmin, ymin, xmax, ymax


def drawn(has_actions: bool) -> st.SearchStrategy[Drawn]:
    performed = st.sets(st.sampled_from(ACTIONS), min_size=1).map(lambda it: tuple(sorted(it)))
    return st.builds(
        Drawn,
        class_name=st.sampled_from(CLASSES),
        box=boxes(),
        difficult=st.booleans(),
        truncated=st.booleans(),
        occluded=st.booleans(),
        view=st.sampled_from(View),
        actions=performed if has_actions else st.just(()),
        point_xy=st.none() | st.tuples(st.integers(1, WIDTH), st.integers(1, HEIGHT)),
        parts=parts,
    )


numbered = st.tuples(st.sampled_from(range(len(PARTS))), boxes())
parts = st.lists(numbered, max_size=3, unique_by=lambda it: it[0]).map(
    lambda some: tuple((PARTS[number], box) for number, box in some)
)


images = st.booleans().flatmap(lambda it: st.lists(drawn(it), min_size=1, max_size=3))
texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)
owners = st.tuples(st.sampled_from(["", "12@N00", "34@N00"]), texts, texts)
photographs = st.lists(st.tuples(images, owners), min_size=2, max_size=6)


@settings(max_examples=6)
@given(photographs, st.sampled_from(sorted(STYLES)))
def test_a_generated_catalogue_comes_back_file_by_file(
    photographs: list[tuple[list[Drawn], Owner]], year: int
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        make_party(folder / "party", name="Test party", preset="voc2012")
        with open_party(folder / "party") as party:
            fill(party, photographs)
            order = ReleaseOrder(style=STYLES[year])
            plan = export_release(party, folder / "out", year=year, at=NOW, order=order)
        tree = folder / "out" / "VOCdevkit" / f"VOC{year}"
        assert len(plan.images) == len(photographs)
        assert verify_tree(tree) == []
        make_party(folder / "other", name="Other", preset="voc2012")
        with open_party(folder / "other") as other:
            report = import_tree(other, TreeOrder(tree), at=NOW)
            export_release(other, folder / "again", year=year, at=NOW)
        assert [str(it) for it in (*report.corrections, *report.skipped)] == []
        assert contents(folder / "again" / "VOCdevkit" / f"VOC{year}") == contents(tree)


def fill(party: Party, photographs: list[tuple[list[Drawn], Owner]]) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        for number, (objects, (owner_id, name, title)) in enumerate(photographs, start=1):
            image = add_image(session, party, number, objects, data=picture(number))
            (photo,) = image.photos
            photo.owner_id, photo.owner_name, photo.title = owner_id or None, name, title
