"""Croissant metadata of a release (MLCommons Croissant format 1.0, JSON-LD).

The records lie in Parquet, because readers of CSV and JSON Lines take 2009_000026 for a number.
The pictures are files beside it, bound to their records by their names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from export.files import tree_path
from export.plan import ReleasePlan
from export.voc import tree

from .citation import describe, find_licences

IMAGES_PATH, OBJECTS_PATH = "data/images.parquet", "data/objects.parquet"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
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
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": plan.name.replace(" ", "_"),
        "description": describe(plan),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": find_licences(plan) or ["unknown"],
        "version": f"{plan.year}.0.0",
        "citeAs": f"{plan.recipe.database}, release {plan.name}, {plan.year}.",
        "distribution": [
            _file(IMAGES_PATH, images),
            _file(OBJECTS_PATH, objects),
            _make_file_set(plan),
        ],
        "recordSet": [
            _record_set("images", IMAGES_PATH, _IMAGE_FIELDS, ["image_id"], {}),
            _record_set(
                "objects",
                OBJECTS_PATH,
                _OBJECT_FIELDS,
                ["image_id", "object_number"],
                {"image_id": "images/image_id"},
            ),
            _make_pictures(),
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _file(path: str, data: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "application/x-parquet",
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _make_file_set(plan: ReleasePlan) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": _PHOTOGRAPHS,
        "name": _PHOTOGRAPHS,
        "encodingFormat": "image/jpeg",
        "includes": f"{tree_path(plan)}/{tree.JPEG_IMAGES}/*.jpg",
    }


def _make_pictures() -> dict[str, Any]:
    """The picture of each image, with its identifier and its set."""
    files = {"fileSet": {"@id": _PHOTOGRAPHS}}
    image_id = {
        "dataType": _TEXT,
        "source": files
        | {"extract": {"fileProperty": "filename"}, "transform": {"regex": _ID_OF_NAME}},
        "references": {"field": {"@id": "images/image_id"}},
    }
    picture = {
        "dataType": "sc:ImageObject",
        "source": files | {"extract": {"fileProperty": "content"}},
    }
    fields = (
        _field(PICTURES, "image_id", "The image's identifier.") | image_id,
        _field(PICTURES, "set", "train, val or test.")
        | {"dataType": _TEXT, "source": {"field": {"@id": "images/set"}}},
        _field(PICTURES, "picture", "The photograph.") | picture,
    )
    return {
        "@type": "cr:RecordSet",
        "@id": PICTURES,
        "name": PICTURES,
        "key": {"@id": f"{PICTURES}/image_id"},
        "field": list(fields),
    }


def _field(record_set: str, name: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "description": description,
    }


def _record_set(
    name: str,
    path: str,
    columns: Mapping[str, tuple[str, str]],
    keys: Sequence[str],
    references: Mapping[str, str],
) -> dict[str, Any]:
    fields = []
    for column, (data_type, description) in columns.items():
        field = _field(name, column, description) | {
            "dataType": data_type,
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
        }
        if column in references:
            field["references"] = {"field": {"@id": references[column]}}
        fields.append(field)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{column}"} for column in keys],
        "field": fields,
    }
