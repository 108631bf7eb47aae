"""A dataset opened in the form that its files show."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from vockit.errors import TreeNotFoundError
from vockit.foreign.listed_images import SET_FOLDERS
from vockit.foreign.tree_files import find_trees, is_apple_double, list_names
from vockit.format.image_sets import SETS
from vockit.format.shortage import refuse_shortage

from .coco import CocoDataset
from .cvat import CvatDataset
from .label_studio import LabelStudioDataset
from .labelme import LabelmeDataset
from .labelme_xml import LabelmeXmlDataset
from .open_images import BOX_COLUMNS, OpenImagesDataset
from .values import DatasetError, ForeignDataset, Note, NoteKind
from .voc import VocDataset
from .yolo import CLASS_LISTS, YoloDataset

_HEAD_BYTES = 1 << 20
_COCO = re.compile(rb'"(?:categories|annotations|images)"\s*:')
_RESULTS = re.compile(rb'\s*\[\s*\{[^{}]*"image_id"\s*:')
_YOLO = re.compile(rb"^names\s*:", re.MULTILINE)
_LABELME = re.compile(rb'"(?:shapes|imagePath)"\s*:')
_STUDIO = re.compile(rb'"(?:annotations|predictions)"\s*:')
_CVAT = re.compile(rb"<annotations\b")
_LABELME_XML = re.compile(rb"<(?:imagesize|sourceImage|deleted|polygon|segm)\b")
_VOC = re.compile(rb"<annotation[\s>]")
_LABEL_FILES = (".json", ".xml", ".csv", ".yaml", ".yml", *CLASS_LISTS)


def open_dataset(path: Path, form: str | None = None) -> ForeignDataset:
    """The dataset in a folder, or of one file; DatasetError. `form` names one of FORMS.

    Without it the form is the one that the files show.
    """
    if not path.exists():
        raise DatasetError(f"{path} is not there; name a folder with labels, or a file of them.")
    if path.is_file() and path.suffix.lower() in (".zip", ".tar", ".gz", ".tgz", ".7z"):
        raise DatasetError(f"{path} is an archive; unpack it and name the folder.")
    path = path.absolute() if path.is_file() else path  # for the folder above its own
    files = [path] if path.is_file() else list(_list_files(path))
    notes: list[Note] = []
    shown = _find_forms(files, notes)
    if form is None:
        if not shown:
            raise DatasetError(
                f"{path} holds no labels in a form that is known: {', '.join(FORMS)}."
            )
        form, *others = shown
    else:
        others = [other for other in shown if other != form]
    root = path if path.is_dir() else _find_root(path)
    dataset = FORMS[form](root, shown.get(form, []))
    dataset.notes += notes
    for other in others:
        message = (
            f"files of {NAMES[other]} are there, too, such as {shown[other][0].name}; --format "
        )
        note = Note(NoteKind.FILE, "another form", str(path), f"{message}{other} reads them")
        dataset.notes.append(note)
    return dataset


def is_voc_tree(path: Path) -> bool:
    """Whether the folder is a VOC tree with lists of sets, or one above such trees.

    CVAT lists its images in default.txt, which is no set.
    """
    try:
        roots = [tree_.root for tree_ in find_trees(path)]
    except TreeNotFoundError:
        return False
    folders = (root / folder for root in roots for folder in SET_FOLDERS)
    names = {name for folder in folders for name in list_names(folder, ".txt")}
    return not names.isdisjoint(SETS)


def _list_files(root: Path) -> Iterator[Path]:
    """The files that may hold labels, in the order of their paths; those of macOS are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(_LABEL_FILES) and not is_apple_double(name):
                yield Path(folder, name)


def _find_forms(files: list[Path], notes: list[Note]) -> dict[str, list[Path]]:
    """The files by the form that their beginnings show, in the order of FORMS.

    Files that cannot be read, or hold nothing, are noted.
    """
    by_form: dict[str, list[Path]] = {}
    for path in files:
        try:
            form = _find_form(path)
        except OSError as error:
            refuse_shortage(error)
            message = f"it cannot be read: {error.strerror}"
            notes.append(Note(NoteKind.FILE, "unreadable", str(path), message))
            continue
        if form:
            by_form.setdefault(form, []).append(path)
        elif path.is_file() and not path.stat().st_size:
            notes.append(Note(NoteKind.FILE, "empty", str(path), "it holds nothing"))
    return {form: by_form[form] for form in FORMS if form in by_form}


def _find_form(path: Path) -> str | None:
    if path.name in CLASS_LISTS:
        return "yolo"
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe must not be waited for
        return None
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if path.suffix.lower() in (".yaml", ".yml"):
        return "yolo" if _YOLO.search(head) else None
    if path.suffix.lower() == ".xml":
        return _find_xml_form(head)
    if path.suffix.lower() == ".csv":
        columns = head.partition(b"\n")[0].decode("utf-8-sig", "replace").split(",")
        is_table = set(BOX_COLUMNS) <= {column.strip(' "\r') for column in columns}
        return "open-images" if is_table else None
    return _find_json_form(head.lstrip(b"\xef\xbb\xbf \t\r\n"))


def _find_xml_form(head: bytes) -> str | None:
    if _CVAT.search(head):
        return "cvat"
    if not _VOC.search(head):
        return None
    is_of_labelme = _LABELME_XML.search(head) and b"<bndbox" not in head
    return "labelme-xml" if is_of_labelme else "voc"


def _find_json_form(head: bytes) -> str | None:
    if head.startswith(b"["):
        return "label-studio" if _STUDIO.search(head) and not _RESULTS.match(head) else None
    if _LABELME.search(head):
        return "labelme"
    return "coco" if _COCO.search(head) else None


def _find_root(file: Path) -> Path:
    """The folder of a dataset of which one file of labels is named."""
    is_below = file.parent.name in ("annotations", "labels")
    return file.parent.parent if is_below else file.parent


_Reader = (
    CocoDataset
    | YoloDataset
    | CvatDataset
    | LabelmeDataset
    | LabelmeXmlDataset
    | LabelStudioDataset
    | OpenImagesDataset
    | VocDataset
)
FORMS: Mapping[str, type[_Reader]] = {
    "coco": CocoDataset,
    "yolo": YoloDataset,
    "cvat": CvatDataset,
    "labelme": LabelmeDataset,
    "labelme-xml": LabelmeXmlDataset,
    "label-studio": LabelStudioDataset,
    "open-images": OpenImagesDataset,
    "voc": VocDataset,
}
"""The readers by the names of --format."""
NAMES = {name: reader.form for name, reader in FORMS.items()}
