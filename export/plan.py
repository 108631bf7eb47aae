"""What a release would hold, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from catalog.states import Taster
from vockit.foreign.tree_images import TASTERS
from vockit.format import tree
from vockit.format.image_sets import BALANCED, Split
from vockit.format.records import VocImage, VocObject
from vockit.format.tree import PERSON
from vockit.format.write import format_annotation

from .forms import FileForm, make_record
from .groups import Bridge
from .notes import Facts, Notes
from .recipe import STYLES, Recipe
from .rows import DrawingRow, ImageRow


@dataclass(frozen=True, slots=True)
class PlannedImage:
    """One image of a release; `form` says how its files are written if not by the recipe."""

    public_id: str
    split: Split
    row: ImageRow
    jpeg_sha256: str
    form: FileForm | None = None
    is_taken_over: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether the tree that it was imported from held its annotation back."""
        return self.form is not None and self.form.is_blind


def has_masks(image: PlannedImage) -> bool:
    """Whether the image's masks are in the release, or held back with its annotation."""
    return image.form is not None and bool(image.form.masks)


def is_taster(image: PlannedImage) -> bool:
    """Whether Layout and Action alone list the image, so that no class list has it."""
    if image.form is None:
        return image.row.taster is not None
    sets = image.form.sets
    return bool(sets) and TASTERS.issuperset(sets)


def voids_difficult(image: PlannedImage) -> bool:
    """Whether the image has masks that show difficult objects as void, as far as is known.

    Masks of an imported tree count as such.
    """
    return image.form is not None and bool(image.form.masks) and not image.form.labels_difficult


def is_labelled(image: PlannedImage, item: VocObject) -> bool:
    """Whether an object of an image with masks has its label there, rather than being void."""
    return not (item.difficult and voids_difficult(image))


@dataclass(frozen=True)
class LeftOut:
    """An image that passed checking and still cannot be in a release, and why."""

    image_id: int
    reason: str


@dataclass(frozen=True)
class ReleasePlan:
    """A release in full, images in order of their public ids, and what is not in it and why."""

    name: str
    year: int
    recipe: Recipe
    images: tuple[PlannedImage, ...]
    left_out: tuple[LeftOut, ...] = ()
    kept_back: tuple[LeftOut, ...] = ()
    withdrawn: tuple[str, ...] = ()
    is_recorded: bool = False
    newer_images: int = 0
    notes: Notes = field(default_factory=Notes)
    is_blind: bool = False
    bridges: tuple[Bridge, ...] = ()
    unmasked: tuple[LeftOut, ...] = ()
    drawings: Mapping[int, DrawingRow] = field(default_factory=dict)

    @property
    def facts(self) -> Facts:
        """What the catalogue knew when the release was made; nothing of an imported one."""
        return self.notes.facts or {}

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """The sets of the release; few have test2."""
        used = {image.split for image in self.images}
        for image in self.images:
            used.update(image.form.splits.values() if image.form else ())
        return tuple(Split) if self.recipe.test2 or Split.TEST2 in used else BALANCED

    @property
    def torn_from(self) -> str:
        """What the new images that were left out as torn are bound to, in words."""
        if Split.TEST2 in self.splits:
            return "images of another set"
        return f"images of {self.notes.extends} in two sets"

    @cached_property
    def annotated(self) -> tuple[PlannedImage, ...]:
        """The images whose annotation the release shows."""
        return tuple([image for image in self.images if self.shows(image)])

    @cached_property
    def has_suggestions(self) -> bool:
        """Whether any object or outline was made of a suggestion; others say nothing of them."""
        has_outlines = any(drawing.outlined for drawing in self.drawings.values())
        return has_outlines or any(image.row.suggested for image in self.images)

    def find_drawing(self, image: PlannedImage) -> DrawingRow | None:
        """The drawing of which the masks of an image were made; None where it has none."""
        return self.drawings.get((image.form and image.form.segmentation_id) or 0)

    @cached_property
    def groups(self) -> int:
        """How many objects that the release shows are boxes around a group."""
        return sum(item.group_of for image in self.annotated for item in image.row.objects)

    @cached_property
    def held_back(self) -> tuple[PlannedImage, ...]:
        """The others: of what they show the release says nothing, not that there is no object."""
        return tuple([image for image in self.images if not self.shows(image)])

    @cached_property
    def masked(self) -> tuple[PlannedImage, ...]:
        """Those of them with masks."""
        return tuple([image for image in self.annotated if has_masks(image)])

    def asked(self, image: PlannedImage) -> tuple[str, ...] | None:
        """The classes that the image was asked about; None where it was about all of them."""
        if is_taster(image):
            return ()
        if image.form is not None:
            return image.form.asked
        return self.notes.asked.get(image.public_id)

    @cached_property
    def asked_in_part(self) -> tuple[PlannedImage, ...]:
        """The shown images that were not asked about every class."""
        return tuple([image for image in self.annotated if self.asked(image) is not None])

    def shows(self, image: PlannedImage) -> bool:
        """Whether the release shows the image's annotation."""
        return not (image.is_blind or self.hides(image))

    def hides(self, image: PlannedImage) -> bool:
        """Whether the release itself holds the image's annotation back, under a seal."""
        return self.is_blind and image.split.is_test

    @cached_property
    def second_looks(self) -> int:
        """How many of the shown images were checked by another person than who annotated them."""
        return sum(image.row.has_second_look for image in self.annotated)

    @cached_property
    def layout_has_points(self) -> bool:
        """Whether Layout's files have points, as those taken over, else as most images."""
        counts: Counter[bool] = Counter()
        for image in self.images:
            if image.is_blind:  # whether its annotation has points is not known
                continue
            if image.form is not None and tree.LAYOUT in image.form.sets:
                return self.has_points(image)
            if image.row.taster is Taster.LAYOUT:  # people set no points on these
                return False
            if any(item.class_name == PERSON and item.parts for item in image.row.objects):
                counts[self.has_points(image)] += 1
        return counts[True] > counts[False]

    def has_points(self, image: PlannedImage) -> bool:
        """Whether the image's annotation file has points."""
        return any(item.point is not None for item in self.record(image).objects)

    @cached_property
    def records(self) -> Mapping[str, VocImage]:
        """What each annotation file says, by public id."""
        return {image.public_id: self.record(image) for image in self.images}

    def record(self, image: PlannedImage) -> VocImage:
        """What the image's annotation file says; a withdrawn photo's owner is named no more."""
        if image.form is None:
            return make_record(image.row, self.recipe, self.year, image.public_id)
        return image.form.record if image.row.photos else image.form.without_owner()

    def annotation(self, image: PlannedImage) -> str:
        """The text of the image's annotation file."""
        style = image.form.style if image.form else self.recipe.style
        return format_annotation(
            self.records[image.public_id], STYLES[style], may_be_empty=self.recipe.negatives
        )
