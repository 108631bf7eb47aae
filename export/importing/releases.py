"""The imported release: identifiers and sets as the tree has them, so that they stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.states import Split
from catalog.tables import Release, ReleaseImage, as_table
from export.form import FileForm
from export.freeze import freeze_settings
from export.recipe import Recipe, make_recipe
from export.voc.records import VocSource
from export.voc.text import is_plain_text

from .begin import IMPORTED
from .bulk_insert import bulk_insert
from .lists import TASKS

_FLAGS = ("truncated", "occluded", "difficult")


class ReleasedImage(NamedTuple):
    """One image of the imported release."""

    image_id: int
    annotation_id: int
    split: Split
    public_id: str
    form: FileForm


def record_release(
    session: Session,
    name: str,
    year: int,
    settings: Mapping[str, Any],
    images: Sequence[ReleasedImage],
    at: datetime,
) -> set[str]:
    """The public ids of the release that is recorded when this returns.

    A release is never changed: one that an earlier import recorded stays as it is.
    """
    release = session.scalar(select(Release).where(Release.name == name))
    if release is None and images:
        release = Release(name=name, year=year, settings=dict(settings), created_at=at)
        session.add(release)
        session.flush()
        columns = ("image_id", "annotation_id", "split", "public_id", "form")
        texts: dict[int, _Once] = {}
        rows = ((*it[:-1], _to_json(it.form, texts)) for it in images)
        shared = {"release_id": release.id}
        bulk_insert(session.connection(), as_table(ReleaseImage), shared, columns, rows)
        return {it.public_id for it in images}
    if release is None:
        return set()
    of_release = ReleaseImage.release_id == release.id
    return set(session.scalars(select(ReleaseImage.public_id).where(of_release)))


class _Once(dict[str, Any]):
    """JSON that many rows have: it is known by its identity, and so converted once."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def _to_json(form: FileForm, known: dict[int, _Once]) -> _Once:
    found = known.get(id(form))
    if found is None:
        found = known[id(form)] = _Once(form.to_json())
    return found


def make_tree_recipe(
    party: Party, year: int, forms: Sequence[FileForm], has_label_map: bool
) -> Recipe:
    """What decides every byte of the release besides rows and forms, as the tree has it."""
    recipe = _make_recipe(party, year, forms)
    return replace(recipe, tasks=TASKS, has_label_map=has_label_map)


def make_settings(recipe: Recipe, encoded: Mapping[str, str]) -> dict[str, Any]:
    """What the release's row keeps, so that export can write it again as the tree had it."""
    return {**freeze_settings(recipe, encoded), IMPORTED: True}


def _make_recipe(party: Party, year: int, forms: Sequence[FileForm]) -> Recipe:
    """The party's recipe with the style of the year, and the flags and words of the files."""
    recipe = make_recipe(party.settings, party.preset)
    style = find_style(year)
    counted = _count(forms)
    sources = [(form.source, count) for form, count in counted]
    held = {flag for form, _ in counted for flags in form.flags for flag in flags}
    is_2012 = style is AnnotationStyle.VOC2012
    return replace(
        recipe,
        style=style,
        flags=tuple(flag for flag in _FLAGS if flag in held),
        actions=recipe.actions if is_2012 else (),
        database=_find_word(sources, "database") or recipe.database,
        annotation=_find_word(sources, "annotation") or recipe.annotation,
        image=_find_word(sources, "image") or recipe.image,
    )


def _count(forms: Sequence[FileForm]) -> list[tuple[FileForm, int]]:
    """Each form and how many files have it; many files share one value."""
    known = {id(form): form for form in forms}
    counts = Counter(map(id, forms))
    return [(known[key], count) for key, count in counts.items()]


def find_style(year: int) -> AnnotationStyle:
    """The style of a year's own images."""
    if year <= 2007:
        return AnnotationStyle.VOC2007
    return AnnotationStyle.VOC2008 if year == 2008 else AnnotationStyle.VOC2012


def _find_word(sources: Iterable[tuple[VocSource, int]], key: str) -> str | None:
    """What most files say in that child of their <source>."""
    counts: Counter[str | None] = Counter()
    for source, count in sources:
        counts[getattr(source, key)] += count
    words = sorted((word for word in counts if word), key=lambda word: (-counts[word], word))
    return next((word for word in words if is_plain_text(word)), None)
