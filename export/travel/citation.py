"""How a release is cited (Citation File Format 1.2.0), and its one-paragraph description."""

from __future__ import annotations

import json

from export.plan import ReleasePlan


def describe(plan: ReleasePlan) -> str:
    """What the release is, in two sentences."""
    objects = sum(len(image.row.objects) for image in plan.annotated)
    blind = " The annotation of its test set is held back." if plan.is_blind else ""
    return (
        f"{plan.recipe.database}, release {plan.name}: {len(plan.images)} photographs with "
        f"{objects} annotated objects of {len(plan.recipe.classes)} classes in the format of "
        f"PASCAL VOC. Objects have boxes{_extras(plan)}; each annotation was checked by a second "
        f"person.{blind}"
    )


def find_licences(plan: ReleasePlan) -> list[str]:
    """The URLs, else the names, of all licences of the photographs, sorted."""
    return sorted(
        {
            photo.licence_url or photo.licence_name or "unknown"
            for image in plan.annotated
            for photo in image.row.photos
        }
    )


def format_citation(plan: ReleasePlan) -> str:
    """The text of CITATION.cff."""
    return (
        "cff-version: 1.2.0\n"
        "message: Please cite this dataset as below, and credit the photographers in CREDITS.csv.\n"
        "type: dataset\n"
        f"title: {_quote(plan.recipe.database)}\n"
        f"version: {_quote(plan.name)}\n"
        f"abstract: {_quote(describe(plan))}\n"
        f"authors:\n  - name: {_quote(plan.recipe.annotation)}\n"
        "keywords:\n  - object detection\n  - PASCAL VOC\n"
    )


def _extras(plan: ReleasePlan) -> str:
    extras = [*plan.recipe.flags, "view"]
    extras += ["parts"] if plan.recipe.parts else []
    extras += ["actions"] if plan.recipe.actions else []
    return f" and {', '.join(extras)}"


def _quote(text: str) -> str:
    """A YAML scalar: JSON's strings are YAML's."""
    return json.dumps(text, ensure_ascii=False)
