"""What, besides the rows, decides every byte of a release; recorded with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from catalog.preset import AnnotationStyle, Preset
from catalog.settings import FILE_NAME, ExportSettings, Settings
from catalog.states import Split

from .errors import ReleaseTextError
from .voc import tree
from .voc.styles import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle
from .voc.text import fit_text, is_plain_text

FORMAT = 2
"""Of the releases made now."""

STYLES = {
    AnnotationStyle.VOC2007: STYLE_2007,
    AnnotationStyle.VOC2008: STYLE_2008,
    AnnotationStyle.VOC2012: STYLE_2012,
}
FLAGS_OF = {
    AnnotationStyle.VOC2007: ("truncated", "difficult"),
    AnnotationStyle.VOC2008: ("truncated", "occluded", "difficult"),
    AnnotationStyle.VOC2012: ("truncated", "occluded", "difficult"),
}
"""Which flags files of a style carry; occluded came in 2008."""
VOC_CLASSES = (
    *("aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow"),
    *("diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa"),
    *("train", "tvmonitor"),
)
FLICKR = ExportSettings().image
"""What `image` says unless the organiser chose something."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a release, frozen; `classes` are in label order.

    `flags` are those that files carry; `actions` and `parts` are empty where there are none.
    `format` says which files the release has: those of 1 had only sets of Main and no report.
    `tasks` are its folders of sets; where `lists` names files of sets, it has those alone, as an
    imported tree had. `has_label_map` tells readers the classes that are not VOC's own.
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
    format: int = 1
    tasks: tuple[str, ...] = (tree.MAIN,)
    has_label_map: bool = False
    lists: tuple[str, ...] = ()

    @property
    def voc_style(self) -> VocStyle:
        """The order of elements in annotation files."""
        return STYLES[self.style]

    @property
    def shares(self) -> dict[Split, float]:
        """What part of the images each set gets."""
        return {
            Split.TRAIN: self.train_share,
            Split.VAL: self.val_share,
            Split.TEST: self.test_share,
        }

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them; those of format 1 are told as they were then."""
        later = () if self.format >= FORMAT else ("format", "tasks", "has_label_map", "lists")
        return {key: _plain(value) for key, value in asdict(self).items() if key not in later}


def make_recipe(settings: Settings, preset: Preset, style: AnnotationStyle | None = None) -> Recipe:
    """The recipe that a party's settings and preset give for a new release.

    `style` stands in for the preset's. Raises ReleaseTextError where a setting holds text that
    annotation files cannot carry; the party's own name, which stands in for settings left empty,
    is made to fit.
    """
    export = settings.export
    style = style or preset.style
    actions = _actions(preset, style)
    parts = tuple(part.name for part in preset.parts)
    return Recipe(
        preset=preset.name,
        style=style,
        database=_text("database", export.database) or fit_text(f"The {settings.name} Database"),
        annotation=_text("annotation", export.annotation) or fit_text(settings.name) or "?",
        image=_text("image", export.image) or FLICKR,
        classes=preset.class_names,
        flags=tuple(it.name for it in preset.flags if it.name in FLAGS_OF[style]),
        parts=parts,
        actions=actions,
        train_share=export.train_share,
        val_share=export.val_share,
        test_share=export.test_share,
        seed=export.seed,
        format=FORMAT,
        has_label_map=preset.class_names != VOC_CLASSES,
        tasks=(tree.MAIN, *([tree.LAYOUT] if parts else []), *([tree.ACTION] if actions else [])),
    )


def parse_recipe(values: Mapping[str, Any]) -> Recipe:
    """The recipe that `to_json` gave."""
    return TypeAdapter(Recipe).validate_python(dict(values))


def _text(key: str, text: str) -> str:
    if text and not is_plain_text(text):
        raise ReleaseTextError(
            f"{FILE_NAME}: export.{key} = {text!r} is wrong: expected one line without <, > and &, "
            "which the development kit cannot read."
        )
    return text


def _actions(preset: Preset, style: AnnotationStyle) -> tuple[str, ...]:
    """Annotation files have had actions since 2011 only."""
    if style is not AnnotationStyle.VOC2012:
        return ()
    return tuple(action.name for action in preset.actions)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
