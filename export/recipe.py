"""The settings of a release that decide its bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from catalog.party import Party
from catalog.preset import AnnotationStyle, Preset
from catalog.settings import FILE_NAME, ExportSettings, Settings
from catalog.states import WordKind
from vockit.format import tree, write
from vockit.format.image_sets import BALANCED, Split
from vockit.format.read import ACTIONS, EXCLUSIVE_ACTION, PERSON_PARTS, POSES
from vockit.format.text import fit_text, is_plain_text

from .errors import ReleaseNameError
from .rows import ImageRow

STYLES = dict(zip(AnnotationStyle, write.STYLES, strict=True))
FLAGS = ("truncated", "occluded", "difficult")
FLAGS_OF = dict.fromkeys(AnnotationStyle, FLAGS) | {
    AnnotationStyle.VOC2007: ("truncated", "difficult")
}
_FLAG = "flag"
IMPORTED = "imported"
"""The key by which a release's settings say that it came with a tree."""
FLICKR = ExportSettings().image
"""What `image` says unless the organiser chose something."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a release, frozen."""

    preset: str
    style: AnnotationStyle
    database: str
    annotation: str
    image: str
    classes: tuple[str, ...]  # in label order
    flags: tuple[str, ...]
    parts: tuple[str, ...]
    actions: tuple[str, ...]
    train_share: float
    val_share: float
    test_share: float
    seed: int
    format: int = 2
    tasks: tuple[str, ...] = (tree.MAIN,)  # folders of sets
    has_label_map: bool = False
    lists: tuple[str, ...] = ()  # set files, where an imported tree had others
    classes_number: int = 0
    negatives: bool = False  # images without objects are in the release
    retired: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words by kind that left the preset, while objects of the release still have them.

    They are among classes, parts and actions too.
    """
    test2: str = ""
    """The source whose images alone are in test2; empty where there is no such set."""

    @property
    def shares(self) -> dict[Split, float]:
        """What part of the images each set gets; test2 has no share, but a source."""
        shares = self.train_share, self.val_share, self.test_share
        return dict(zip(BALANCED, shares, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them; what few releases have only where there is any."""
        values = asdict(self)
        empty = {
            key for key in ("classes_number", "retired", "negatives", "test2") if not values[key]
        }
        return {key: value for key, value in values.items() if key not in empty}


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
    actions = tuple(action.name for action in preset.actions) if is_2012 else ()
    parts = tuple(part.name for part in preset.parts)
    return Recipe(
        preset=preset.name,
        style=style,
        database=_text("database", export.database) or fit_text(f"The {settings.name} Database"),
        annotation=_text("annotation", export.annotation) or fit_text(settings.name) or "?",
        image=_text("image", export.image) or FLICKR,
        classes=preset.class_names,
        flags=tuple(flag.name for flag in preset.flags if flag.name in FLAGS_OF[style]),
        parts=parts,
        actions=actions,
        train_share=export.train_share,
        val_share=export.val_share,
        test_share=export.test_share,
        seed=export.seed,
        classes_number=classes_number,
        negatives=export.negatives,
        has_label_map=_has_own_words(preset, actions),
        tasks=_list_tasks(parts, actions),
    )


def keep_labels(recipe: Recipe, earlier: Recipe, party: Party) -> Recipe:
    """The recipe with the retired classes of an earlier one, in the order of its masks' labels."""
    retired = party.words[WordKind.CLASS].retired.values()
    kept = [name for name in earlier.classes if name in retired]
    return replace(
        recipe,
        classes=_add_words(recipe.classes, kept),
        has_label_map=recipe.has_label_map or bool(kept),
    )


def keep_retired(recipe: Recipe, rows: Iterable[ImageRow], party: Party) -> Recipe:
    """The recipe with the words that left the preset while objects of these images have them.

    Classes that it has stay, also where no object has them any more: masks are numbered by them.
    """
    retired = _list_retired(recipe, rows, party)
    if not retired:
        return replace(recipe, retired={})
    parts = _add_words(recipe.parts, retired.get(WordKind.PART, ()))
    actions = _add_words(recipe.actions, retired.get(WordKind.ACTION, ()))
    return replace(
        recipe,
        classes=_add_words(recipe.classes, retired.get(WordKind.CLASS, ())),
        parts=parts,
        actions=actions,
        has_label_map=recipe.has_label_map or retired.keys() != {_FLAG},
        tasks=_add_words(recipe.tasks, _list_tasks(parts, actions)),
        retired=retired,
    )


def _list_retired(
    recipe: Recipe, rows: Iterable[ImageRow], party: Party
) -> dict[str, tuple[str, ...]]:
    """By kind the words, flags among them, that objects have and the preset has no more."""
    used = defaultdict[str, set[str]](set)
    for item in (item for row in rows for item in row.objects):
        used[WordKind.CLASS].add(item.class_name)
        used[WordKind.VIEW].add(item.view)
        used[WordKind.PART].update(part.word for part in item.parts)
        used[WordKind.ACTION].update(item.actions)
        used[_FLAG].update(flag for flag in FLAGS_OF[recipe.style] if getattr(item, flag))
    gone: dict[str, set[str]] = {kind: {*party.words[kind].retired.values()} for kind in WordKind}
    gone[_FLAG] = {*FLAGS} - {*recipe.flags} - {flag.name for flag in party.preset.flags}
    if recipe.style is not AnnotationStyle.VOC2012:  # its files have no actions
        del gone[WordKind.ACTION]
    kept = {kind: used[kind] & names for kind, names in gone.items()}
    return {str(kind): tuple(sorted(names)) for kind, names in kept.items() if names}


def list_retired(recipe: Recipe) -> list[str]:
    """What left the preset while objects of the release have it, each word with its kind."""
    return [f"the {kind} {word}" for kind, words in recipe.retired.items() for word in words]


def _add_words(words: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """The words, then those that they lack."""
    return tuple(dict.fromkeys((*words, *more)))


def _list_tasks(parts: Collection[str], actions: Collection[str]) -> tuple[str, ...]:
    """The folders of image sets that a release has besides that of its masks."""
    tasks = [tree.MAIN]
    if parts:
        tasks.append(tree.LAYOUT)
    if actions:
        tasks.append(tree.ACTION)
    return tuple(tasks)


def _has_own_words(preset: Preset, actions: Collection[str]) -> bool:
    """Whether a preset has words that VOC has not, which a release's labelmap.txt announces."""
    most = {part.name: part.max_count for part in preset.parts}
    return (
        preset.class_names != tree.VOC_CLASSES
        or not set(actions) <= set(ACTIONS)
        or not {view.name for view in preset.views} <= set(POSES)
        or any(count > PERSON_PARTS.get(name, 0) for name, count in most.items())
        or any(
            action.name == EXCLUSIVE_ACTION and not action.is_exclusive
            for action in preset.actions
            if action.name in actions
        )
    )


def _text(key: str, text: str) -> str:
    if text and not is_plain_text(text):
        raise ReleaseNameError(
            f"{FILE_NAME}: export.{key} = {text!r} is wrong: expected one line without <, > and &, "
            "which the development kit cannot read."
        )
    return text
