import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from PIL import Image as Picture
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Finding, Image
from qa.cli import qa
from tests.rows import load_rows
from vockit.command_line import CommandGroup
from vocparty import main

from .rows import CAR, add_image, add_person, add_revision

OUTSIDE = {**CAR, "xmax": 501}
AT_BORDER = {**CAR, "xmin": 1, "ymin": 250, "ymax": 300}


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    group = CommandGroup(commands={"qa": qa})
    result = CliRunner().invoke(group, ["qa", "--party", str(folder), *arguments])
    return result.exit_code, result.stdout, result.stderr


def add_annotated(party: Party, *images: list[dict[str, Any]]) -> None:
    person_id = add_person(party)
    for objects in images:
        add_revision(party, add_image(party), person_id, *objects)


def test_findings_are_listed_by_severity_and_an_error_exits_with_1(any_party: Party) -> None:
    add_annotated(any_party, [CAR], [AT_BORDER, OUTSIDE])
    status, output, _errors = invoke(any_party.folder)
    lines = [line.split(maxsplit=3) for line in output.splitlines()]
    assert lines[0] == ["errors"]
    assert lines[2][:3] == ["2", "2", "outside_image"]
    sentence = "The box (100, 100, 501, 200) reaches outside the image of 500 x 375 pixels."
    assert lines[2][3] == sentence
    assert ["2", "1", "border_not_truncated"] in [line[:3] for line in lines]
    assert output.splitlines()[-1] == "2 images, 3 objects: 1 error, 0 warnings, 2 hints."
    assert status == 1


def test_the_json_output_is_one_document(any_party: Party) -> None:
    add_annotated(any_party, [CAR], [OUTSIDE])
    status, output, errors = invoke(any_party.folder, "--json")
    document = json.loads(output)
    assert (status, errors) == (1, "")
    assert document["counts"] == {"error": 1, "warning": 0, "hint": 1}
    assert (document["images"], document["objects"]) == (2, 2)
    assert document["findings"][0] == {
        "image_id": 2,
        "check": "outside_image",
        "severity": "error",
        "object_number": 1,
        "object_key": "o1",
        "person_id": None,
        "message": "The box (100, 100, 501, 200) reaches outside the image of 500 x 375 pixels.",
    }


def test_without_errors_the_command_exits_with_0(party: Party) -> None:
    status, output, _errors = invoke(party.folder)
    assert (status, output) == (0, "0 images, 0 objects: 0 errors, 0 warnings, 0 hints.\n")
    status, output, _errors = invoke(party.folder, "--json")
    assert (status, json.loads(output)["findings"]) == (0, [])
    add_annotated(party, [CAR, CAR, AT_BORDER])
    status, output, _errors = invoke(party.folder)
    assert status == 0
    assert output.splitlines()[-1] == "1 image, 3 objects: 0 errors, 1 warning, 1 hint."


def switch_off(party: Party, *names: str) -> None:
    settings = party.folder / "party.toml"
    with settings.open("a", encoding="utf-8") as file:
        file.write(f"\n[qa]\nswitched_off = {json.dumps(names)}\n")


def test_a_switched_off_check_finds_nothing_and_is_listed(party: Party) -> None:
    add_annotated(party, [OUTSIDE])
    switch_off(party, "outside_image", "border_not_truncated")
    status, output, _errors = invoke(party.folder, "--json")
    document = json.loads(output)
    assert (status, document["findings"]) == (0, [])
    assert document["switched_off"] == ["outside_image", "border_not_truncated"]


def test_switching_off_an_unknown_check_exits_with_2_and_a_sentence(party: Party) -> None:
    switch_off(party, "outside_imag")
    status, output, errors = invoke(party.folder, "--json")
    assert (status, output) == (2, "")
    assert errors.startswith("Error: qa.switched_off names 'outside_imag', which is no check; the ")
    assert len(errors.splitlines()) == 1


def put_picture(party: Party, image_id: int) -> None:
    """Give the image a real file of its size."""
    buffer = BytesIO()
    Picture.new("RGB", (500, 375), (90, 120, 60)).save(buffer, "JPEG")
    sha256 = party.store.put(buffer.getvalue())
    with party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = sha256


def test_the_page_shows_pictures_of_the_worst_findings(party: Party, tmp_path: Path) -> None:
    add_annotated(party, [OUTSIDE], [CAR, CAR])
    put_picture(party, 1)
    out = tmp_path / "findings.html"
    status, _output, _errors = invoke(party.folder, "--html", str(out))
    page = out.read_text(encoding="utf-8")
    assert status == 1
    assert page.count("<figure>") == 3
    picture, same_image = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    assert same_image == picture
    with Picture.open(BytesIO(b64decode(picture))) as drawn:
        assert drawn.size == (360, 270)
        red, green, blue = drawn.convert("RGB").getpixel((72, 100))  # type: ignore[misc]
        assert red > 180, "the box's left side is drawn in yellow"
        assert green > 180
        assert blue < 120
    assert "<script" not in page
    assert "vocparty images --id IMAGE" in page
    titles = ["Outside image", "Same class overlap", "Border not truncated"]
    assert re.findall("<h2>(.*?) <span", page) == titles


def test_pictures_link_to_the_party_and_its_name_is_escaped(party: Party, tmp_path: Path) -> None:
    settings = party.folder / "party.toml"
    text = settings.read_text(encoding="utf-8").replace("Test party", "<b>Zoo</b>")
    settings.write_text(f'{text}\n[serve]\nurl = "https://zoo.example/"\n', encoding="utf-8")
    add_annotated(party, [OUTSIDE])
    _status, _output, errors = invoke(party.folder, "--html", str(tmp_path / "findings.html"))
    page = (tmp_path / "findings.html").read_text(encoding="utf-8")
    assert '<b><a href="https://zoo.example/images?id=1">Image 1</a>, object 1</b>' in page
    assert "To open an image: https://zoo.example/images?id=IMAGE." in errors
    assert "&lt;b&gt;Zoo&lt;/b&gt;" in page
    assert "<b>Zoo" not in page


def test_an_unwritable_page_is_reported_in_one_sentence(party: Party, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "findings.html"
    status, _output, errors = invoke(party.folder, "--html", str(out))
    assert status == 1
    assert f"{out} cannot be written" in errors


def test_an_export_runs_the_checks_and_refuses_errors(any_party: Party, tmp_path: Path) -> None:
    ann = add_person(any_party)
    for _ in range(2):
        add_revision(any_party, add_image(any_party, ImageState.CHECKED), ann, OUTSIDE)
    words = ["export", str(tmp_path / "out"), "--year", "2026", "--party", str(any_party.folder)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "Checks: 2 images, 2 objects: 2 errors, 1 warning" in result.stderr
    assert "findings of severity error" in result.stderr
    names = set(load_rows(any_party, select(Finding.check_name)))
    assert {"outside_image", "identical_box"} <= names
