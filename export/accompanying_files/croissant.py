"""Croissant metadata of a release (MLCommons Croissant format 1.0, JSON-LD).

The records lie in Parquet, because readers of CSV and JSON Lines take 2009_000026 for a number.
The pictures are files next to it, bound to their records by their names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from export.plan import ReleasePlan
from export.tree_files import tree_path
from voc import tree

from .texts import UNKNOWN, describe, find_licences, list_authors, list_notices

IMAGES_PATH, OBJECTS_PATH = "data/images.parquet", "data/objects.parquet"
_OURS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
} | {name: f"cr:{name}" for name in _OURS}
PICTURES = "pictures"
_PHOTOGRAPHS = "photographs"
_ID_OF_NAME = r"^(.+?)(?:\.jpg)?$"
"""Of a file's name, and of an identifier, to which mlcroissant applies it once more."""
_TEXT, _INTEGER, _BOOLEAN = "sc:Text", "sc:Integer", "sc:Boolean"
_IMAGE_FIELDS = {
    "image_id": (_TEXT, "The image's identifier."),
    "set": (_TEXT, "train, val or test."),
    "file_name": (_TEXT, "The photograph's path in the release."),
    "width": (_INTEGER, "Pixels across."),
    "height": (_INTEGER, "Pixels down."),
    "sha256": (_TEXT, "Digest of the photograph's file."),
    "owner_name": (_TEXT, "Who took the photograph."),
    "title": (_TEXT, "What the source calls it."),
    "licence": (_TEXT, "Under which licence it is used."),
    "licence_url": (_TEXT, "Where the licence is."),
    "page_url": (_TEXT, "Where the photograph comes from."),
    "uploaded_at": ("sc:DateTime", "When it was uploaded, in UTC."),
    "taken_at": (_TEXT, "When it was taken, by the camera's clock."),
    "sampling": (_TEXT, "By which date the search drew: upload, taken or none."),
}
_OBJECT_FIELDS = {
    "image_id": (_TEXT, "The image that shows the object."),
    "object_number": (_INTEGER, "Its place in the annotation file, from 1."),
    "class": (_TEXT, "What it is."),
    "label": (_INTEGER, "The number of its class, from 1."),
    "xmin": (_INTEGER, "First column of the box, from 1."),
    "ymin": (_INTEGER, "First row of the box, from 1."),
    "xmax": (_INTEGER, "Last column of the box."),
    "ymax": (_INTEGER, "Last row of the box."),
    "pose": (_TEXT, "The side that is seen."),
    "truncated": (_BOOLEAN, "Whether the box does not hold the whole object."),
    "occluded": (_BOOLEAN, "Whether something in front hides a part of it."),
    "difficult": (_BOOLEAN, "Whether evaluation leaves it out."),
}


def format_croissant(plan: ReleasePlan, images: bytes, objects: bytes) -> str:
    """The metadata's text, with the digests of the two Parquet files."""
    about, authors = plan.notes.about, list_authors(plan)
    organisations = {"publisher": about.get("affiliation"), "funder": about.get("funding")}
    usage = [*filter(None, [about.get("annotation_licence")]), *list_notices(plan)]
    told: dict[str, Any] = {
        **{key: _name_organisation(name) for key, name in organisations.items() if name},
        "url": about.get("homepage"),
        "identifier": about.get("doi"),
        "usageInfo": "; ".join(usage),
    }
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": plan.name.replace(" ", "_"),
        "description": describe(plan),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": find_licences(plan) or [UNKNOWN],
        "version": f"{plan.year}.0.0",
        "citeAs": f"{', '.join(authors)}: {plan.recipe.database}, {plan.name}, {plan.year}.",
        "creator": [_name_organisation(name) for name in authors],
        **{key: value for key, value in told.items() if value},
        "distribution": [
            _make_file(IMAGES_PATH, images),
            _make_file(OBJECTS_PATH, objects),
            _node(
                "FileSet",
                _PHOTOGRAPHS,
                encodingFormat="image/jpeg",
                includes=f"{tree_path(plan)}/{tree.JPEG_IMAGES}/*.jpg",
            ),
        ],
        "recordSet": [
            _make_records("images", IMAGES_PATH, _IMAGE_FIELDS, ["image_id"]),
            _make_records("objects", OBJECTS_PATH, _OBJECT_FIELDS, ["image_id", "object_number"]),
            _make_pictures(),
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _name_organisation(name: str) -> dict[str, str]:
    return {"@type": "sc:Organization", "name": name}


def _node(kind: str, node_id: str, **values: Any) -> dict[str, Any]:
    return {"@type": f"cr:{kind}", "@id": node_id, "name": node_id} | values


def _make_file(path: str, data: bytes) -> dict[str, Any]:
    return _node(
        "FileObject",
        path,
        contentUrl=path,
        contentSize=f"{len(data)} B",
        encodingFormat="application/x-parquet",
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _make_pictures() -> dict[str, Any]:
    """The picture of each image, with its identifier and its set."""
    files = {"fileSet": {"@id": _PHOTOGRAPHS}}
    name = {"extract": {"fileProperty": "filename"}, "transform": {"regex": _ID_OF_NAME}}
    of_images = {"field": {"@id": "images/image_id"}}
    image_id = {"dataType": _TEXT, "source": files | name, "references": of_images}
    set_name = {"dataType": _TEXT, "source": {"field": {"@id": "images/set"}}}
    content = {"extract": {"fileProperty": "content"}}
    picture = {"dataType": "sc:ImageObject", "source": files | content}
    fields = [
        _make_field(PICTURES, "image_id", "The image's identifier.", image_id),
        _make_field(PICTURES, "set", "train, val or test.", set_name),
        _make_field(PICTURES, "picture", "The photograph.", picture),
    ]
    return _node("RecordSet", PICTURES, key={"@id": f"{PICTURES}/image_id"}, field=fields)


def _make_field(
    record_set: str, name: str, description: str, values: dict[str, Any]
) -> dict[str, Any]:
    node = _node("Field", f"{record_set}/{name}", description=description)
    return node | {"name": name} | values


def _make_records(
    name: str, path: str, columns: Mapping[str, tuple[str, str]], keys: Sequence[str]
) -> dict[str, Any]:
    fields = []
    for column, (data_type, description) in columns.items():
        source = {"fileObject": {"@id": path}, "extract": {"column": column}}
        values: dict[str, Any] = {"dataType": data_type, "source": source}
        if column == "image_id" and name != "images":
            values["references"] = {"field": {"@id": "images/image_id"}}
        fields.append(_make_field(name, column, description, values))
    key = [{"@id": f"{name}/{column}"} for column in keys]
    return _node("RecordSet", name, key=key, field=fields)
