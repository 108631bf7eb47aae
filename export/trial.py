"""A preset tried out: made images with all of its words are exported and read back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image as Picture

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.image_store import open_image_store
from catalog.preset import ClassSpec, Preset
from catalog.settings import make_settings
from catalog.states import ImageState, Verdict
from vockit.foreign.tree_files import Tree
from vockit.verify.check import CONTENT_RULES, check_tree

from .arranging import plan_export
from .errors import ExportError
from .plan import ReleasePlan
from .recipe import make_recipe
from .release import write_tree
from .rows import ImageRow, PersonRow, ReleaseJpegs, ReviewRow, RevisionRow
from .tree_files import tree_path, write_pictures

SIDE_PX = 64
SETTINGS = {
    "name": "preset check",
    "export": {"train_share": 1.0, "val_share": 0.0, "test_share": 0.0},
}
"""All in one set: to balance sets of hundreds of classes takes most of a minute, and says nothing
of a preset's words."""


def try_preset(preset: Preset) -> int:
    """The number of made images that a release of this preset holds, and that broke no rule.

    Each class has one, with every view, flag, part and action that the preset gives it. Raises
    ExportError with the first rule that a release would break.
    """
    with TemporaryDirectory(prefix="vocparty-preset-") as folder:
        store = open_image_store(str(Path(folder, "images")))
        images = [
            _make_image(preset, spec, number, store.put(make_picture(number)))
            for number, spec in enumerate(preset.classes, start=1)
        ]
        recipe = make_recipe(make_settings(SETTINGS), preset)
        plan = plan_export(
            ReleasePlan("preset", preset.year, recipe, ()),
            images,
            jpegs=ReleaseJpegs(),
            links=(),
            given_ids=(),
            forms={},
            masked=frozenset(),
            most_off_points=100,
            is_unbound=False,
        )
        if plan.left_out:
            raise ExportError(f"No release could hold an object of it: {plan.left_out[0].reason}.")
        out = Path(folder, "out")
        write_pictures(plan, store, out, lambda count: None)
        write_tree(plan, store, out)
        report = check_tree(Tree(out / tree_path(plan), plan.year))
    if errors := [error for error in report.errors if error.rule not in CONTENT_RULES]:
        raise ExportError(
            f"A release with its words would break {len(errors)} rules of the format, first "
            f"{errors[0].rule}: {errors[0].message}."
        )
    return len(plan.images)


def make_picture(number: int) -> bytes:
    """A grey picture whose file is that of no other number."""
    target = io.BytesIO()
    Picture.new("RGB", (SIDE_PX, SIDE_PX), "grey").save(target, "JPEG", comment=f"{number}")
    return target.getvalue()


def _make_image(preset: Preset, spec: ClassSpec, number: int, sha256: str) -> ImageRow:
    """An accepted image whose objects have each word of the class at least once."""
    objects = tuple(_make_objects(preset, spec))
    at = datetime(preset.year, 1, 1, tzinfo=UTC)
    person = PersonRow("preset check", is_simulated=True)
    review = ReviewRow(
        id=number,
        annotation_id=number,
        person=person,
        verdict=Verdict.ACCEPT,
        fixed_annotation_id=None,
        reviewed_at=at,
    )
    return ImageRow(
        id=number,
        sha256=sha256,
        width=SIDE_PX,
        height=SIDE_PX,
        state=ImageState.CHECKED,
        photos=(),
        revisions=(RevisionRow(number, None, person, at, objects),),
        reviews=(review,),
    )


def _make_objects(preset: Preset, spec: ClassSpec) -> Iterator[AnnotatedObject]:
    """As many objects as the class needs to show all views and all sets of actions."""
    box = Box(1, 1, SIDE_PX, SIDE_PX)
    views = preset.views if spec.has_views else preset.views[:1]
    performed = list(_list_performed(preset)) if spec.has_actions else [()]
    parts = tuple(
        AnnotatedPart(part.name, box)
        for part in (preset.parts if spec.has_parts else ())
        for _ in range(part.max_count)
    )
    flags = {flag.name: True for flag in preset.flags}
    for place in range(max(len(views), len(performed))):
        yield AnnotatedObject(
            number=place + 1,
            key=f"object-{place + 1}",
            class_name=spec.name,
            box=box,
            view=views[place % len(views)].name,
            truncated=flags.get("truncated", False),
            occluded=flags.get("occluded", False),
            actions=performed[place % len(performed)],
            point_xy=(1, 1),
            parts=parts,
        )


def _list_performed(preset: Preset) -> Iterator[tuple[str, ...]]:
    """The sets of actions of an object: all that go together, and each that holds alone."""
    together = tuple(sorted(action.name for action in preset.actions if not action.is_exclusive))
    if together:
        yield together
    for action in preset.actions:
        if action.is_exclusive:
            yield (action.name,)
