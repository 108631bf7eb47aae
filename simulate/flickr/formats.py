"""Writing a reply as JSON or as XML; Flickr derives the one from the other by fixed rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from .failures import FlickrFailure, make_failure
from .messages import Response

JSON_TYPE = "application/json; charset=utf-8"
SCRIPT_TYPE = "text/javascript; charset=utf-8"
XML_TYPE = "text/xml; charset=utf-8"
NOT_FOR_ROBOTS = ("x-robots-tag", "noindex")

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_XML_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


def format_reply(shape: Mapping[str, Any], args: Mapping[str, str]) -> Response:
    """A successful reply in the format that the arguments ask for.

    Raises FlickrFailure (code 111) for a format that Flickr does not know.
    """
    form = args.get("format", "rest")
    if form == "json":
        return _as_json({**shape, "stat": "ok"}, args)
    if form == "rest":
        return _as_xml("ok", shape)
    raise make_failure(111, f'Format "{form}" not found')


def format_failure(failure: FlickrFailure, args: Mapping[str, str]) -> Response:
    """A refusal, with HTTP status 200; XML unless JSON was asked for."""
    if args.get("format") == "json":
        shape = {"stat": "fail", "code": failure.code, "message": failure.message}
        return _as_json(shape, args)
    return _as_xml("fail", {"err": {"code": failure.code, "msg": failure.message}})


def _as_json(shape: Mapping[str, Any], args: Mapping[str, str]) -> Response:
    text = json.dumps(shape, separators=(",", ":"))
    if args.get("nojsoncallback") == "1":
        return _reply(JSON_TYPE, text.encode())
    return _reply(SCRIPT_TYPE, f"jsonFlickrApi({text})".encode())


def _as_xml(stat: str, shape: Mapping[str, Any]) -> Response:
    root = ET.Element("rsp", {"stat": stat})
    _add(root, shape)
    return _reply(XML_TYPE, ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _add(element: ET.Element, shape: Mapping[str, Any]) -> None:
    """Scalars become attributes, `_content` becomes text, mappings and lists become children."""
    for key, value in shape.items():
        if not _XML_NAME.fullmatch(key):
            continue  # flickr.test.echo repeats whatever names it was sent
        if key == "_content":
            element.text = _clean(value)
        elif isinstance(value, Mapping):
            _add(ET.SubElement(element, key), value)
        elif isinstance(value, list):
            for item in value:
                _add(ET.SubElement(element, key), item)
        else:
            element.set(key, "" if value is None else _clean(value))


def _clean(value: object) -> str:
    return _NOT_IN_XML.sub("", str(value))


def _reply(content_type: str, body: bytes) -> Response:
    return Response(content_type=content_type, body=body, headers=(NOT_FOR_ROBOTS,))
