"""What a release records besides its rows: the settings that decide its bytes, and notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from catalog.preset import AnnotationStyle, Preset
from catalog.settings import FILE_NAME, ExportSettings, Settings
from catalog.states import Split
from voc import tree
from voc.read_object import ACTIONS
from voc.styles import STYLE_2007, STYLE_2008, STYLE_2012
from voc.text import fit_text, is_plain_text

from .errors import ReleaseNameError

STYLES = {
    AnnotationStyle.VOC2007: STYLE_2007,
    AnnotationStyle.VOC2008: STYLE_2008,
    AnnotationStyle.VOC2012: STYLE_2012,
}
FLAGS = ("truncated", "occluded", "difficult")
IMPORTED = "imported"
"""The key by which a release's settings say that it came with a tree."""
PERSON = "person"
"""Of whom there are layouts and actions."""
FLICKR = ExportSettings().image
"""What `image` says unless the organiser chose something."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a release, frozen; `classes` are in label order.

    `tasks` are its folders of sets; `lists` names its set files where an imported tree had others.
    """

    preset: str
    style: AnnotationStyle
    database: str
    annotation: str
    image: str
    classes: tuple[str, ...]
    flags: tuple[str, ...]
    parts: tuple[str, ...]
    actions: tuple[str, ...]
    train_share: float
    val_share: float
    test_share: float
    seed: int
    format: int = 2
    tasks: tuple[str, ...] = (tree.MAIN,)
    has_label_map: bool = False
    lists: tuple[str, ...] = ()
    classes_number: int = 0

    @property
    def shares(self) -> dict[Split, float]:
        """What part of the images each set gets."""
        shares = self.train_share, self.val_share, self.test_share
        return dict(zip(Split, shares, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them; a number where classes changed."""
        return {key: it for key, it in asdict(self).items() if key != "classes_number" or it}


def make_recipe(
    settings: Settings,
    preset: Preset,
    style: AnnotationStyle | None = None,
    classes_number: int = 0,
) -> Recipe:
    """The recipe that a party's settings and preset give; raises ReleaseNameError."""
    export = settings.export
    style = style or preset.style
    # annotation files have had actions since 2011 only
    is_2012 = style is AnnotationStyle.VOC2012
    actions = tuple(it.name for it in preset.actions) if is_2012 else ()
    parts = tuple(part.name for part in preset.parts)
    flags = ("truncated", "difficult") if style is AnnotationStyle.VOC2007 else FLAGS
    return Recipe(
        preset=preset.name,
        style=style,
        database=_text("database", export.database) or fit_text(f"The {settings.name} Database"),
        annotation=_text("annotation", export.annotation) or fit_text(settings.name) or "?",
        image=_text("image", export.image) or FLICKR,
        classes=preset.class_names,
        flags=tuple(it.name for it in preset.flags if it.name in flags),
        parts=parts,
        actions=actions,
        train_share=export.train_share,
        val_share=export.val_share,
        test_share=export.test_share,
        seed=export.seed,
        classes_number=classes_number,
        has_label_map=preset.class_names != tree.VOC_CLASSES or not set(actions) <= set(ACTIONS),
        tasks=(tree.MAIN, *([tree.LAYOUT] if parts else []), *([tree.ACTION] if actions else [])),
    )


def parse_recipe(values: Mapping[str, Any]) -> Recipe:
    """The recipe that `to_json` gave."""
    return TypeAdapter(Recipe).validate_python(dict(values))


Facts = dict[str, Any]
"""What the datasheet tells of a party's queries, people, checks and agreement, as JSON has it."""


@dataclass(frozen=True)
class BoundGroup:
    """Images that no split may part, by their public ids, and what binds them."""

    images: tuple[str, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Notes:
    """How a release came about.

    `corrections` are those since `corrects`, `forced` what it was made in spite of, `renamed` has
    old names of an imported tree, `unbound` what bound owners, `kept` files by path.
    """

    extends: str | None = None
    corrects: str | None = None
    corrections: tuple[dict[str, Any], ...] = ()
    forced: tuple[str, ...] = ()
    groups: tuple[BoundGroup, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    part: dict[str, Any] = field(default_factory=dict)
    unbound: tuple[dict[str, Any], ...] = ()
    blind_salt: str | None = None
    facts: Facts | None = None
    kept: dict[str, str] = field(default_factory=dict)

    def without(self, withdrawn: Collection[str]) -> Notes:
        """The notes without these identifiers; a single image is no group."""
        left = [
            replace(group, images=tuple(it for it in group.images if it not in withdrawn))
            for group in self.groups
        ]
        return replace(
            self,
            groups=tuple(group for group in left if len(group.images) > 1),
            renamed={new: old for new, old in self.renamed.items() if new not in withdrawn},
            unbound=tuple(
                it | {"kept": [kept for kept in it["kept"] if kept not in withdrawn]}
                for it in self.unbound
            ),
        )


def parse_notes(settings: Mapping[str, Any]) -> Notes:
    """The notes in a release's row; an older one has none."""
    return TypeAdapter(Notes).validate_python(settings.get("notes", {}))


def _text(key: str, text: str) -> str:
    if text and not is_plain_text(text):
        raise ReleaseNameError(
            f"{FILE_NAME}: export.{key} = {text!r} is wrong: expected one line without <, > and &, "
            "which the development kit cannot read."
        )
    return text
