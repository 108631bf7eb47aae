"""What a release says of its pictures: counted in the files that were written of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from export.notes import Facts
from export.plan import ReleasePlan
from export.tree_files import WrittenPicture
from vockit.format.metadata import KINDS, NAMING, list_naming
from vockit.format.plural import format_count

MOST_NAMED = 20
"""Pictures that the datasheet names for each kind of metadata; release.json has all."""


def summarize_pictures(pictures: Mapping[str, WrittenPicture]) -> Facts:
    """The facts of the written pictures, by public id."""
    return {
        "metadata": {
            public_id: list(picture.metadata)
            for public_id, picture in pictures.items()
            if picture.metadata
        },
        "profile": [public_id for public_id, picture in pictures.items() if picture.has_profile],
        "encoded": [public_id for public_id, picture in pictures.items() if picture.is_encoded],
    }


def find_kinds(plan: ReleasePlan) -> Mapping[str, Sequence[str]] | None:
    """By public id the metadata of the pictures that the release shows; None if not recorded.

    Those of a blind test set are written without any.
    """
    recorded = (plan.notes.facts or {}).get("pictures")
    if recorded is None:
        return None
    shown = {image.public_id for image in plan.images if not plan.hides(image)}
    return {
        public_id: kinds for public_id, kinds in recorded["metadata"].items() if public_id in shown
    }


def describe_metadata(plan: ReleasePlan) -> str:
    """What the pictures have that may name people or places, in a sentence or two."""
    kinds_of = find_kinds(plan)
    if kinds_of is None:
        return "Whether the pictures have metadata that name people or places was not recorded."
    naming = [public_id for public_id, kinds in kinds_of.items() if list_naming(tuple(kinds))]
    sentences = [
        "No picture has metadata that may name people or places (EXIF, XMP, IPTC, comments)."
    ]
    if naming:
        pictures = format_count(len(plan.images), "picture")
        which = "Pictures with metadata that may name people or places"
        sentences = [f"{which}: {len(naming)} of {pictures}."]
    counts = Counter(kind for kinds in kinds_of.values() for kind in kinds if kind not in NAMING)
    if counts:
        others = ", ".join(f"{kind} {counts[kind]}" for kind in KINDS if counts[kind])
        sentences.append(f"Pictures with other metadata: {others}.")
    return " ".join(sentences)


def list_metadata(plan: ReleasePlan) -> list[str]:
    """A line for each kind that may name people or places: how many pictures, and which."""
    lines = list[str]()
    kinds_of = find_kinds(plan) or {}
    for kind in NAMING:
        having = sorted(public_id for public_id, kinds in kinds_of.items() if kind in kinds)
        more = f" and {len(having) - MOST_NAMED} more" if len(having) > MOST_NAMED else ""
        if having:
            lines.append(f"{kind}: {len(having)} ({', '.join(having[:MOST_NAMED])}{more})")
    return lines


def describe_pixels(plan: ReleasePlan) -> str:
    """How many pictures have other pixels than the file that came in, and why."""
    shown = {image.public_id for image in plan.images}
    total = len(plan.images)
    remade = sum(image.row.original_sha256 is not None for image in plan.images)
    sentences = [
        "Stored as another file than came in (turned upright, rid of a request of EXIF to turn it, "
        f"or scaled down): {remade} of {format_count(total, 'picture')}."
    ]
    if (recorded := (plan.notes.facts or {}).get("pictures")) is not None:
        encoded, profiles = (
            len(shown.intersection(recorded[kind])) for kind in ("encoded", "profile")
        )
        sentences += [
            f"Encoded anew for the release, from what is no JPEG of 8-bit colour: {encoded}. "
            "The others have every pixel of the stored file.",
            f"With a colour profile: {profiles}.",
        ]
    return " ".join(sentences)
