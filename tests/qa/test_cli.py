from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from catalog.command import CommandGroup
from catalog.party import Party
from qa.cli import qa

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
    assert lines[2][3] == (
        "The box (100, 100, 501, 200) reaches outside the image of 500 x 375 pixels."
    )
    assert ["2", "1", "border_not_truncated"] in [line[:3] for line in lines]
    assert output.splitlines()[-1] == "2 images, 3 objects: 1 error, 0 warnings, 2 hints."
    assert status == 1


def test_warnings_and_hints_alone_exit_with_0(party: Party) -> None:
    add_annotated(party, [CAR, CAR, AT_BORDER])
    status, output, _errors = invoke(party.folder)
    assert status == 0
    assert output.splitlines()[-1] == "1 image, 3 objects: 0 errors, 1 warning, 1 hint."


def test_json_is_one_document_and_nothing_else(any_party: Party) -> None:
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
        "message": "The box (100, 100, 501, 200) reaches outside the image of 500 x 375 pixels.",
    }


def test_an_empty_party_has_no_findings(party: Party) -> None:
    status, output, _errors = invoke(party.folder)
    assert (status, output) == (0, "0 images, 0 objects: 0 errors, 0 warnings, 0 hints.\n")
    status, output, _errors = invoke(party.folder, "--json")
    assert (status, json.loads(output)["findings"]) == (0, [])


def switch_off(party: Party, *names: str) -> None:
    settings = party.folder / "party.toml"
    with settings.open("a", encoding="utf-8") as file:
        file.write(f"\n[qa]\nswitched_off = {json.dumps(names)}\n")


def test_a_check_that_is_switched_off_finds_nothing_and_is_named(party: Party) -> None:
    add_annotated(party, [OUTSIDE])
    switch_off(party, "outside_image", "border_not_truncated")
    status, output, _errors = invoke(party.folder, "--json")
    document = json.loads(output)
    assert (status, document["findings"]) == (0, [])
    assert document["switched_off"] == ["outside_image", "border_not_truncated"]


def test_switching_off_an_unknown_check_is_one_sentence_and_status_2(party: Party) -> None:
    switch_off(party, "outside_imag")
    status, output, errors = invoke(party.folder, "--json")
    assert (status, output) == (2, "")
    assert errors.startswith("Error: qa.switched_off names 'outside_imag', which is no check; the ")
    assert len(errors.splitlines()) == 1
