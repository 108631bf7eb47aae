"""What a release records of how it came about."""

from dataclasses import asdict

import pytest

from catalog.settings import ReleaseSettings
from export.notes import BoundGroup, Notes, describe_release, list_changed_facts, parse_notes

GROUP = BoundGroup(
    ("2026_000001", "2026_000002", "2026_000003"),
    ("near-duplicate", "owner"),
    (("2026_000001", "2026_000002"), ("2026_000002", "2026_000003")),
)
PAIR = BoundGroup(("2026_000003", "2026_000004"), ("owner",))


def test_a_withdrawn_image_leaves_its_groups_and_a_single_image_is_no_group() -> None:
    left = Notes(groups=(GROUP, PAIR), parted=(PAIR,)).without({"2026_000003"})
    assert left.groups == (
        BoundGroup(
            ("2026_000001", "2026_000002"),
            ("near-duplicate", "owner"),
            (("2026_000001", "2026_000002"),),
        ),
    )
    assert left.parted == ()


def test_a_withdrawn_image_is_not_named_by_what_was_left_out_or_renamed() -> None:
    left_out = ({"image_id": 9, "kept": ["2026_000001", "2026_000002"]},)
    names = {"2026_000001": "img 1", "2026_000002": "img 2"}
    notes = Notes(renamed=names, unbound=left_out, torn=left_out, forced=("2 images",))
    left = notes.without(["2026_000001"])
    assert left.renamed == {"2026_000002": "img 2"}
    assert left.unbound == left.torn == ({"image_id": 9, "kept": ["2026_000002"]},)
    assert left.forced == notes.forced
    assert notes.without([]) == notes


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ({}, {}, ()),
        ({"doi": "10.1234/a"}, {"doi": "10.1234/a"}, ()),
        ({"doi": "10.1234/a"}, {"doi": "10.1234/b"}, ("doi",)),
        ({}, {"annotation_licence": "CC0"}, ("annotation licence",)),
        ({"authors": ["Ann", "Bo"]}, {"authors": ("Ann", "Bo")}, ()),  # as JSON has it, and as TOML
        ({"authors": ["Ann", "Bo"]}, {"authors": ["Bo", "Ann"]}, ("authors",)),
        ({"authors": ["Ann"], "contact": "a@b.org"}, {}, ("authors", "contact")),
        ({"a key of another version": "1"}, {}, ()),
    ],
)
def test_facts_of_which_two_releases_say_something_else_are_listed_as_words(
    before: dict[str, object], after: dict[str, object], names: tuple[str, ...]
) -> None:
    assert sorted(list_changed_facts(before, after)) == sorted(names)


def test_empty_keys_are_not_recorded() -> None:
    assert describe_release(ReleaseSettings()) == {}
    settings = ReleaseSettings(authors=("Ann",), doi="10.1234/a")
    assert describe_release(settings) == {"authors": ("Ann",), "doi": "10.1234/a"}


def test_notes_are_read_as_they_were_recorded_and_a_row_without_them_has_none() -> None:
    notes = Notes(extends="VOC2025", groups=(GROUP,), judged={7: {"a": True}}, kept={"a.txt": "b"})
    assert parse_notes({"notes": asdict(notes)}) == notes
    assert parse_notes({}) == Notes()
