"""One reader reads files of every year and program, and names deviations from the norm."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.kit_reader import KitError, read_record
from tests.strategies import images, kit_view
from vockit.format.read import read_annotation
from vockit.format.records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from vockit.format.write import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle, format_annotation

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"

VALID = """\
<annotation>
	<folder>VOC2012</folder>
	<filename>2008_000002.jpg</filename>
	<source>
		<database>The Example Database</database>
		<annotation>Example team</annotation>
		<image>flickr</image>
	</source>
	<size>
		<width>500</width>
		<height>375</height>
		<depth>3</depth>
	</size>
	<segmented>0</segmented>
	<object>
		<name>person</name>
		<pose>Left</pose>
		<truncated>1</truncated>
		<occluded>0</occluded>
		<bndbox>
			<xmin>34</xmin>
			<ymin>12</ymin>
			<xmax>251</xmax>
			<ymax>375</ymax>
		</bndbox>
		<difficult>0</difficult>
		<part>
			<name>head</name>
			<bndbox>
				<xmin>101</xmin>
				<ymin>12</ymin>
				<xmax>170</xmax>
				<ymax>98</ymax>
			</bndbox>
		</part>
	</object>
</annotation>
"""
HEAD = VocPart("head", VocBox(101, 12, 170, 98))
PERSON = VocObject("person", VocBox(34, 12, 251, 375), "Left", True, False, False, (HEAD,))
IMAGE = VocImage(
    filename="2008_000002.jpg",
    objects=(PERSON,),
    folder="VOC2012",
    source=VocSource("The Example Database", "Example team", "flickr"),
    size=VocSize(500, 375, 3),
    segmented=False,
)
PART = VALID[VALID.index("\t\t<part>") : VALID.index("\t</object>")]
OBJECT = VALID[VALID.index("\t<object>") : VALID.index("</object>\n") + 10]
ACTIONS = "\t\t<actions>\n\t\t\t<other>1</other>\n\t\t\t<walking>{}</walking>\n\t\t</actions>\n"
POINT = "\t\t<point>\n\t\t\t<x>{}</x>\n\t\t\t<y>2</y>\n\t\t</point>\n"


def rules_at(text: str | bytes, year: int = 2012) -> list[tuple[int, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(remark.line, remark.rule) for remark in read_annotation(data, year=year).remarks]


def read(old: str, new: str) -> VocImage:
    image = read_annotation(VALID.replace(old, new).encode()).image
    assert image is not None
    return image


def test_a_valid_file_is_read_without_a_remark() -> None:
    reading = read_annotation(VALID.encode())
    assert reading.image == IMAGE
    assert reading.remarks == ()
    assert reading.places.find_line("size") == 9
    assert reading.places.objects == (15,)


PLANTED = [
    (VALID.replace("\t<folder>VOC2012</folder>\n", ""), (1, "required")),
    (VALID.replace("\t<filename>2008_000002.jpg</filename>\n", ""), (1, "required")),
    (VALID.replace("\t\t<annotation>Example team</annotation>\n", ""), (4, "required")),
    (VALID.replace("\t\t<database>The Example Database</database>\n", ""), (4, "required")),
    (VALID.replace("\t\t<depth>3</depth>\n", ""), (9, "required")),
    (VALID.replace("\t<segmented>0</segmented>\n", ""), (1, "required")),
    (VALID.replace("\t\t<name>person</name>\n", ""), (15, "required")),
    (VALID.replace("\t\t\t<ymax>375</ymax>\n", ""), (20, "required")),
    (VALID.replace("\t\t\t\t<ymax>98</ymax>\n", ""), (29, "required")),
    (VALID.replace(OBJECT, ""), (1, "no-object")),
    (VALID.replace("<pose>Left</pose>", "<pose></pose>"), (17, "empty")),
    (VALID.replace("<pose>Left", "<pose>left"), (17, "pose")),
    (VALID.replace("<truncated>1", "<truncated>01"), (18, "flag")),
    (VALID.replace("<occluded>0", "<occluded>true"), (19, "flag")),
    (VALID.replace("<difficult>0", "<difficult>2"), (26, "flag")),
    (VALID.replace("<segmented>0", "<segmented>no"), (14, "flag")),
    (VALID.replace("person", "a person"), (16, "white-space")),
    (VALID.replace("<xmin>34", "<xmin>x"), (21, "number")),
    (VALID.replace("<xmin>34", "<xmin>34."), (21, "integer")),
    (VALID.replace("<xmin>34", "<xmin>3,4"), (21, "integer")),
    (VALID.replace("<xmin>34", "<xmin>252"), (20, "box-order")),
    (VALID.replace("<ymin>12", "<ymin>0", 1), (20, "box-inside")),
    (VALID.replace("<xmax>251", "<xmax>501"), (20, "box-inside")),
    (VALID.replace("<xmax>170", "<xmax>501"), (29, "box-inside")),
    (VALID.replace("<name>head", "<name>tail"), (27, "part-name")),
    (VALID.replace(PART, PART + PART), (36, "part-count")),
    (VALID.replace("\t\t<pose>", "\t\t<pose>Rear</pose>\n\t\t<pose>"), (18, "repeated")),
    (VALID.replace(OBJECT, OBJECT.replace(PART, POINT.format(3)) + OBJECT), (32, "point-in-all")),
    (VALID.replace(PART, POINT.format(501)), (27, "point-inside")),
    (
        VALID.replace(OBJECT, OBJECT.replace(PART, ACTIONS.format(0)) + OBJECT),
        (32, "actions-in-all"),
    ),
    (VALID.replace(PART, ACTIONS.format(1)), (27, "actions")),
]


@pytest.mark.parametrize(("text", "planted"), PLANTED)
def test_each_violation_is_named_with_its_line_number(text: str, planted: tuple[int, str]) -> None:
    rules = rules_at(text)
    assert planted in rules
    assert len(rules) == 1 or planted[1] not in ("pose", "flag")


def test_the_kit_of_2007_needs_no_origin_of_annotation_and_image() -> None:
    text = VALID.replace(
        "\t\t<annotation>Example team</annotation>\n\t\t<image>flickr</image>\n", ""
    )
    assert rules_at(text, year=2007) == []
    assert rules_at(text, year=2008) == [(4, "required"), (4, "required")]


@pytest.mark.parametrize(
    ("written", "number"),
    [("12", 12), ("12.", 12), ("12.5", 12.5), ("1e2", 100), ("1,5", 15), (" 12 ", 12), (".5", 0.5)],
)
def test_numbers_are_read_as_the_kit_reads_them(written: str, number: float) -> None:
    assert read("<xmin>34", f"<xmin>{written}").objects[0].box.xmin == number
    data = VALID.replace("<xmin>34", f"<xmin>{written}").encode()
    assert read_record(data).objects[0].bbox[0] == number


@pytest.mark.parametrize("written", ["x", "0x10", "1 2", "1e", "--1", "nan", "inf", "1e999", ""])
def test_invalid_numbers_leave_no_record(written: str) -> None:
    assert read_annotation(VALID.replace("<xmin>34", f"<xmin>{written}").encode()).image is None


@pytest.mark.parametrize(
    ("written", "is_set"),
    [
        ("1", True),
        ("0", False),
        ("True", True),
        ("01", False),
        ("2", False),
        ("0.92", True),
        ("0.0", False),
    ],
)
def test_flags_written_by_other_programs_are_read(written: str, is_set: bool) -> None:
    assert read("<truncated>1", f"<truncated>{written}").objects[0].truncated is is_set


def test_actions_and_points_are_read() -> None:
    image = read(PART, ACTIONS.format(0) + POINT.format(7))
    assert image.objects[0].actions == (VocAction("other", True), VocAction("walking", False))
    assert image.objects[0].point == VocPoint(7, 2)


def test_the_owner_element_of_2007_is_read() -> None:
    owner = "\t<owner>\n\t\t<flickrid>who</flickrid>\n\t\t<name>?</name>\n\t</owner>\n"
    flickrid = "<image>flickr</image>\n\t\t<flickrid>325</flickrid>"
    text = VALID.replace("\t<size>", owner + "\t<size>").replace("<image>flickr</image>", flickrid)
    image = read_annotation(text.encode()).image
    assert image is not None
    assert image.owner == VocOwner("who", "?")
    assert image.source == VocSource("The Example Database", "Example team", "flickr", "325")


TOOL_WRITTEN = """\
<?xml version="1.0" ?>
<annotation verified="yes">
  <filename>a b &amp; c.png</filename>
  <path>/x/a.png</path>
  <size><width>100</width><height>80</height></size>
  <object>
    <name>traffic light</name>
    <bndbox><xmin>10.0</xmin><ymin>10</ymin><xmax>60</xmax><ymax>80</ymax></bndbox>
  </object>
</annotation>"""


def test_a_file_of_another_program_is_read_completely() -> None:
    assert read_annotation(TOOL_WRITTEN.encode()).image == VocImage(
        filename="a b & c.png",
        objects=(VocObject("traffic light", VocBox(10, 10, 60, 80)),),
        size=VocSize(100, 80),
    )


@given(st.binary())
def test_random_bytes_give_remarks_and_no_error(data: bytes) -> None:
    assert read_annotation(data).remarks


MUTATIONS = ["<", ">", "/", " ", "&", "\n", "\t", "=", "0", "a", "<!--", "-->", "<a>", "</a>"]


@settings(max_examples=min(50, settings().max_examples))
@given(images(), st.floats(0, 1), st.integers(0, 12), st.sampled_from(MUTATIONS))
@example(IMAGE, 0.5, 0, " ")
def test_a_damaged_file_gets_a_remark_or_reads_as_in_the_kit(
    image: VocImage, place: float, cut: int, inserted: str
) -> None:
    text = format_annotation(image)
    at = int(place * len(text))
    data = (text[:at] + inserted + text[at + cut :]).encode()
    reading = read_annotation(data)
    if reading.remarks and any(remark.rule != "integer" for remark in reading.remarks):
        return
    assert reading.image is not None
    assert read_record(data) == kit_view(reading.image)  # nor does the kit stop


needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(),
    reason="The samples of real VOC releases are not part of the repository, and are not here.",
)


@needs_samples
def test_real_files_are_written_back_byte_for_byte() -> None:
    styles = {"2007": STYLE_2007, "2008": STYLE_2008}
    paths = [path for year in ("voc2007", "voc2012") for path in SAMPLES.glob(f"{year}/*/*.xml")]
    assert paths
    for path in paths:
        data = path.read_bytes()
        year = 2007 if path.parts[-3] == "voc2007" else 2012
        reading = read_annotation(data, year=year)
        style = STYLE_2007 if year == 2007 else styles.get(path.name[:4], STYLE_2012)
        assert reading.image is not None
        assert format_annotation(reading.image, style).encode() == data
        assert {remark.rule for remark in reading.remarks} <= {"integer"}


@needs_samples
def test_real_files_are_read_as_the_kit_reads_them() -> None:
    for path in sorted(SAMPLES.glob("voc2012/*/*.xml")):
        image = read_annotation(path.read_bytes()).image
        assert image is not None
        assert read_record(path.read_bytes()) == kit_view(image)


@needs_samples
@pytest.mark.parametrize("tool", ["datumaro", "labelimg", "supervision", "globox", "pylabel"])
def test_files_of_other_programs_are_read_although_the_kit_rejects_them(tool: str) -> None:
    data = (SAMPLES / "foreign_writers" / f"{tool}.xml").read_bytes()
    reading = read_annotation(data)
    assert reading.image is not None
    assert reading.image.objects
    assert reading.remarks
    with pytest.raises(KitError):
        read_record(data)


@pytest.mark.parametrize("style", [STYLE_2007, STYLE_2008, STYLE_2012])
def test_the_style_of_a_file_with_non_ascii_text_is_recognised(style: VocStyle) -> None:
    image = replace(IMAGE, owner=VocOwner("12@N00", "José Ångström"))
    data = format_annotation(image, style).encode()
    assert read_annotation(data).style is style
    turned = data.replace(b"\t<segmented>0</segmented>\n", b"").replace(
        b"</annotation>", b"\t<segmented>0</segmented>\n</annotation>"
    )
    assert turned != data
    assert read_annotation(turned).style is None
