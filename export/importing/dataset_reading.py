"""One image of a labelled dataset: its picture, and its objects in the party's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.group_limits import describe_too_many
from catalog.image_store import digest_of
from catalog.licences import Licence, find_licence
from catalog.states import ImageState, View
from vockit.foreign.corrections import UncorrectableError
from vockit.foreign.datasets.fitting import FittedImage, fit_image
from vockit.foreign.datasets.shapes import FLAGS
from vockit.foreign.datasets.values import ForeignImage, ForeignObject, Note, NoteKind
from vockit.foreign.tree_files import read_bytes
from vockit.format.masks import VOID
from vockit.format.pictures import PictureError, make_jpeg
from vockit.format.records import VocSize
from vockit.format.rings import MOST_CORNERS, Outline
from vockit.format.text import escape_unstorable

from .dataset_image import DatasetImage
from .import_run import Import
from .known_images import describe_twin
from .reading import read_picture
from .tree_image import StoredFile

LEFT_OUT = "class left out"
HOW_TO_KEEP = "; `negatives = true` under [export] of party.toml keeps such images as negatives"
NONE_TAKEN = "none of its objects could be taken"


@dataclass(frozen=True)
class Admission:
    """What decides of one image: the party's class of each of the dataset's, and the licences."""

    classes: Mapping[str, str | None]
    licences: Mapping[str, Licence]
    default: Licence | None
    is_required: bool
    is_dry: bool
    keeps_negatives: bool

    def find_licence(self, foreign: ForeignImage, notes: list[Note]) -> Licence | None:
        """The licence of the photograph; UncorrectableError where it keeps the image out."""
        text = foreign.licence
        licence = find_licence(text) if text else None
        if text and licence is None:
            message = f"vocparty does not know its licence {text[:100]!r}"
            notes.append(Note(NoteKind.NOT_KEPT, "licence", foreign.place, message))
        licence = licence or self.default
        if licence is None and self.is_required:
            raise UncorrectableError("it has no licence, and this import requires one")
        if licence is not None and licence.id not in self.licences:
            raise UncorrectableError(f"its licence {licence.name} is not among collect.licences")
        return licence


def prepare(admission: Admission, run: Import, image: DatasetImage) -> None:
    """Store the picture, and give the image its objects or the reason why it is left out."""
    try:
        _prepare(run, admission, image)
    except UncorrectableError as error:
        image.reason = str(error)


def _prepare(run: Import, admission: Admission, image: DatasetImage) -> None:
    foreign = image.foreign
    notes = list(foreign.notes)
    image.notes = notes
    if foreign.reason or foreign.picture is None:
        raise UncorrectableError(foreign.reason or "it has no picture")
    if not foreign.objects:
        _require_negative(admission, foreign)
    image.licence = admission.find_licence(foreign, notes)
    data = read_bytes(foreign.picture)
    if isinstance(data, str):
        raise UncorrectableError(f"its picture: {data}")
    max_pixels = run.party.settings.collect.max_pixels
    try:
        jpeg, image.made_of = make_jpeg(data, max_pixels)
    except PictureError as error:
        raise UncorrectableError(f"its picture is {error}") from error
    size = VocSize(*foreign.size_wh, 3) if foreign.size_wh else None
    picture = read_picture(jpeg, size, max_pixels, as_seen=True)
    wanted = _choose_objects(admission, foreign, notes)
    fitted = fit_image(replace(foreign, objects=wanted, notes=tuple(notes)), picture.size_wh)
    _take_objects(run, admission, image, fitted)
    original = None if picture.data is data else digest_of(data)
    _refuse_taken_down(run, picture.data, data)
    put = digest_of if admission.is_dry else run.party.store.put
    image.file = StoredFile(put(picture.data), *picture.size_wh, len(picture.data), original)


def _require_negative(admission: Admission, foreign: ForeignImage) -> None:
    """Raise UncorrectableError unless the dataset says that the image shows nothing, as is kept."""
    if any(note.kind is NoteKind.OBJECT for note in foreign.notes):
        raise UncorrectableError(NONE_TAKEN)
    if not foreign.is_labelled:
        raise UncorrectableError("nothing says what it shows, not even that it has no object")
    if not admission.keeps_negatives:
        raise UncorrectableError(f"it has no object{HOW_TO_KEEP}")


def compare_picture(image: DatasetImage) -> None:
    """Give a reason to an image that was there, where its picture is another file now."""
    picture = image.foreign.picture
    data = read_bytes(picture) if picture else ""
    if isinstance(data, bytes) and digest_of(data) not in image.known_digests:
        image.was_there = False
        image.reason = (
            "an image of that name came before with another picture; give the import another name "
            "with --name"
        )


def _refuse_taken_down(run: Import, *files: bytes) -> None:
    """Raise UncorrectableError where one of these files was taken down from the party."""
    for data in files:
        if run.taken_down and (image_id := run.taken_down.get(digest_of(data))) is not None:
            raise UncorrectableError(describe_twin(image_id, ImageState.TAKEN_DOWN))


def _choose_objects(
    admission: Admission, foreign: ForeignImage, notes: list[Note]
) -> tuple[ForeignObject, ...]:
    """The objects whose classes come in; nothing else is told of those that are left out."""
    wanted: list[ForeignObject] = []
    for item in foreign.objects:
        if admission.classes.get(item.class_name) is not None:
            wanted.append(item)
            continue
        message = f"{item.class_name} is mapped to nothing"
        notes.append(Note(NoteKind.OBJECT, LEFT_OUT, item.place, message))
    return tuple(wanted)


def _take_objects(
    run: Import, admission: Admission, image: DatasetImage, fitted: FittedImage
) -> None:
    """Give the image its objects and outlines in the party's words; UncorrectableError."""
    objects: list[AnnotatedObject] = []
    outlines: list[Outline] = []
    origins: dict[str, dict[str, Any]] = {}
    notes = list(fitted.notes)
    keys = Counter[str]()
    for item in fitted.objects:
        source = item.source
        class_name = admission.classes[source.class_name]
        assert class_name is not None, "the object was chosen"
        key = _number_key(source.key, keys)
        number = len(objects) + 1
        corners = (item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax)
        objects.append(
            AnnotatedObject(
                number=number,
                key=key,
                class_name=class_name,
                box=Box(*map(int, corners)),
                view=_find_view(run, source, notes),
                truncated=source.truncated,
                occluded=source.occluded,
                difficult=source.difficult,
                group_of=source.group_of and run.party.settings.annotate.groups,
            )
        )
        origins[key] = {"place": escape_unstorable(source.place)}
        if stated := _list_stated(source, objects[-1]):
            origins[key]["stated"] = stated
        if item.attributes:
            origins[key]["attributes"] = dict(item.attributes)
        if item.rings:
            outlines.append(Outline(key, number, list(item.rings)))
    image.notes = notes
    was_lost = any(note.kind is NoteKind.OBJECT and note.rule != LEFT_OUT for note in notes)
    if not objects and (was_lost or not admission.keeps_negatives):
        raise UncorrectableError(NONE_TAKEN)
    image.objects = tuple(objects)
    image.origins = origins
    too_many = describe_too_many(run.party.preset)
    image.outlines = _limit_outlines(image, outlines, notes, too_many)
    image.outlined = len(image.outlines)


def _number_key(key: str, keys: Counter[str]) -> str:
    """The key as the catalogue has it, numbered where other objects of the image have the same."""
    keys[key] += 1
    numbered = f"{key}-{keys[key]}" if keys[key] > 1 else key
    return escape_unstorable(numbered)[-64:]


def _list_stated(source: ForeignObject, item: AnnotatedObject) -> list[str]:
    """The flags that the file has for the object, and the view where it has one of the party's."""
    flags = {flag for flag in FLAGS if flag in source.stated or getattr(source, flag)}
    has_view = item.view != View.UNSPECIFIED or bool(source.view)
    return sorted(flags | ({"view"} if has_view else set()))


def _find_view(run: Import, item: ForeignObject, notes: list[Note]) -> str:
    """The party's view of that name; the first one, which says nothing, where it has none."""
    if not item.view:
        return View.UNSPECIFIED.value
    names = {view.name.casefold(): view.name for view in run.party.preset.views}
    view = names.get(item.view.casefold())
    if view is None:
        message = f"the party has no view {item.view[:60]!r}"
        notes.append(Note(NoteKind.NOT_KEPT, "view", item.place, message))
    return view or View.UNSPECIFIED.value


def _limit_outlines(
    image: DatasetImage, outlines: list[Outline], notes: list[Note], too_many: str | None
) -> list[Outline]:
    """The outlines, or none where they are too many to edit, or the classes `too_many`."""
    corners = sum(len(ring) for outline in outlines for ring in outline.rings)
    if outlines and too_many:
        message = too_many
    elif corners > MOST_CORNERS:
        message = (
            f"its outlines have {corners:,} corners, more than the {MOST_CORNERS:,} that can be "
            "edited"
        )
    elif len(outlines) >= VOID:
        message = f"it has {len(outlines)} outlines, more than the {VOID - 1} that can be edited"
    else:
        return outlines
    message += "; boxes came in"
    notes.append(Note(NoteKind.NOT_KEPT, "outlines", image.foreign.place, message))
    return []
