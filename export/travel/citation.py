"""How a release is cited (Citation File Format 1.2.0), and its one-paragraph description."""

from __future__ import annotations

from functools import lru_cache

from catalog.plural import format_count
from export.plan import ReleasePlan

from .escapes import MOST_CHARS, escape_markdown, fit_line, quote_yaml

UNKNOWN = "unknown"
SAFE_SCHEMES = ("http://", "https://")
"""Of addresses that a page may link to."""


def describe(plan: ReleasePlan) -> str:
    """What the release is, in two sentences."""
    images = format_count(len(plan.images), "photograph")
    drawn = sum(len(image.row.objects) for image in plan.annotated)
    objects = format_count(drawn, "annotated object")
    blind = " The annotation of its test set is held back." if plan.is_blind else ""
    return (
        f"{plan.recipe.database}, release {plan.name}: {images} with {objects} of "
        f"{len(plan.recipe.classes)} classes in the format of PASCAL VOC. "
        f"Objects have boxes{_extras(plan)}; {_checking(plan)}{blind}"
    )


def find_licences(plan: ReleasePlan) -> list[str]:
    """The URLs, else the names, of all licences of the photographs, sorted."""
    return sorted(
        {
            _name_licence(photo.licence_url or "", photo.licence_name or "")
            for image in plan.annotated
            for photo in image.row.photos
        }
    )


def list_licences(plan: ReleasePlan) -> str:
    """The same as a Markdown list."""
    names = find_licences(plan) or [UNKNOWN]
    return "\n".join(f"- {escape_markdown(name, MOST_CHARS)}" for name in names)


def count_second_looks(plan: ReleasePlan) -> int:
    """How many of the shown images were checked by another person than who annotated them.

    An imported image has the one word of its release.
    """
    return plan.second_looks


def format_citation(plan: ReleasePlan) -> str:
    """The text of CITATION.cff; the year is the one that the organisers gave the release."""
    title, author = quote_yaml(plan.recipe.database), quote_yaml(plan.recipe.annotation)
    version = quote_yaml(plan.name)
    return (
        "cff-version: 1.2.0\n"
        "message: Please cite this dataset as below, and credit the photographers in CREDITS.csv.\n"
        "type: dataset\n"
        f"title: {title}\n"
        f"version: {version}\n"
        f"abstract: {quote_yaml(describe(plan))}\n"
        f"authors:\n  - name: {author}\n"
        "keywords:\n  - object detection\n  - PASCAL VOC\n"
        "preferred-citation:\n  type: data\n"
        f"  title: {title}\n  authors:\n    - name: {author}\n"
        f"  year: {plan.year}\n  version: {version}\n"
    )


@lru_cache
def _name_licence(url: str, name: str) -> str:
    """An address that is none, or none for a browser, is not passed on."""
    address = fit_line(url)
    return address if address.startswith(SAFE_SCHEMES) else fit_line(name) or UNKNOWN


def _checking(plan: ReleasePlan) -> str:
    checked, shown = count_second_looks(plan), len(plan.annotated)
    if checked == shown:
        return "each annotation was checked by a second person."
    return f"{checked} of {shown} annotations were checked by a second person, others imported."


def _extras(plan: ReleasePlan) -> str:
    extras = [", view", *(f", {flag}" for flag in plan.recipe.flags)]
    extras += [", parts"] if plan.recipe.parts else []
    extras += [", actions"] if plan.recipe.actions else []
    return "".join(extras)
