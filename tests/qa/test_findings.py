"""What a finding is known by."""

from dataclasses import replace

from catalog.box import Box

from .making import VOC2012, image_of, run_checks, settings_with
from .objects import CAR

SETTINGS = settings_with()


def test_a_finding_keeps_its_key_when_only_numbers_change() -> None:
    [first] = run_checks(image_of(CAR, CAR), VOC2012, SETTINGS)
    nearly = replace(CAR, box=Box(101, 100, 301, 200))
    [second] = run_checks(image_of(CAR, nearly), VOC2012, SETTINGS)
    assert first.message != second.message
    assert first.key == second.key
    assert first.subject_sha256 != second.subject_sha256
    [elsewhere] = run_checks(image_of(CAR, CAR, image_id=8), VOC2012, SETTINGS)
    assert elsewhere.key != first.key
