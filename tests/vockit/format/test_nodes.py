"""Files of any writer are read as nodes that know their lines; what is no XML is refused."""

import pytest

from vockit.format.nodes import NotXmlError, iterate_unknown_elements, parse_nodes
from vockit.format.read import read_annotation

from .test_read import TOOL_WRITTEN, VALID, rules_at


def test_nodes_have_the_line_of_their_tag_and_their_own_trimmed_text() -> None:
    root = parse_nodes(VALID.encode())
    assert (root.tag, root.line, root.text) == ("annotation", 1, "")
    (item,) = root.find_all("object")
    assert item.line == 15
    pose = item.find("pose")
    assert pose is not None
    assert (pose.line, pose.text, pose.children) == (17, "Left", [])
    assert root.find("pose") is None


def test_elements_that_no_release_has_are_named_with_line_and_path() -> None:
    text = VALID.replace("\t\t<pose>", "\t\t<score>1</score>\n\t\t<pose>").replace(
        "\t<segmented>", "\t<path>/a.jpg</path>\n\t<segmented>"
    )
    unknown = list(iterate_unknown_elements(parse_nodes(text.encode())))
    assert unknown == [(14, "path"), (18, "object/score")]


def test_actions_may_have_any_name() -> None:
    text = VALID.replace("\t\t<part>", "\t\t<actions><flying>1</flying></actions>\n\t\t<part>")
    assert list(iterate_unknown_elements(parse_nodes(text.encode()))) == []


NO_XML = [
    (VALID.removesuffix("</annotation>\n"), (37, "xml")),
    ("", (1, "xml")),
    ("a picture", (1, "xml")),
    ("<html>\n</html>\n", (1, "xml")),
    ('<!DOCTYPE a [<!ENTITY b "c">]>\n<annotation>&b;</annotation>\n', (1, "xml")),
]


@pytest.mark.parametrize(("text", "planted"), NO_XML)
def test_what_is_no_xml_is_refused_with_its_line(text: str, planted: tuple[int, str]) -> None:
    assert planted in rules_at(text)


def test_a_document_type_is_refused_before_an_entity_is_read() -> None:
    with pytest.raises(NotXmlError, match="a document type or an entity") as caught:
        parse_nodes(b'<!DOCTYPE a [<!ENTITY b "c">]>\n<annotation>&b;</annotation>\n')
    assert caught.value.line == 1


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_a_declared_encoding_is_followed(encoding: str) -> None:
    text = TOOL_WRITTEN.replace("?>", f'encoding="{encoding}"?>', 1).replace("a b", "Zoë")
    image = read_annotation(text.encode(encoding)).image
    assert image is not None
    assert image.filename == "Zoë & c.png"


@pytest.mark.parametrize("encoding", ["gb2312", "shift_jis", "euc-kr", "windows-1252", "utf-16"])
def test_a_declared_encoding_that_python_knows_is_read(encoding: str) -> None:
    word = {"gb2312": "汽车", "shift_jis": "自動車", "euc-kr": "자동차"}.get(encoding, "vélo")
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + VALID.replace("flickr", word)
    image = read_annotation(text.encode(encoding)).image
    assert image is not None
    assert image.source is not None
    assert image.source.image == word


@pytest.mark.parametrize("encoding", ["no-such", "zip", "gb2312"])
def test_a_declared_encoding_that_is_wrong_leaves_no_record(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + VALID
    reading = read_annotation(text.encode().replace(b"flickr", b"\xff\xff"))
    assert reading.image is None
    assert any(remark.rule == "xml" for remark in reading.remarks)
