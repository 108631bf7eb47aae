"""Images with what a check must find in them, or must not."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from catalog.annotated import AnnotatedObject
from catalog.preset import Preset
from catalog.settings import Settings, make_settings
from qa.findings import CheckedImage

from .making import VOC2012, part, run_checks, settings_with
from .objects import PERSON

SETTINGS = settings_with()
WITH_NEGATIVES = make_settings({"name": "Test party", "export": {"negatives": True}})
WITH_GROUPS = make_settings({"name": "Test party", "annotate": {"groups": True}})


def with_parts(*parts: tuple[str, tuple[int, int, int, int]]) -> AnnotatedObject:
    return replace(PERSON, parts=tuple(part(name, xyxy) for name, xyxy in parts))


@dataclass(frozen=True)
class Case:
    """An image with what a check must find in it (by object), or must not."""

    image: CheckedImage
    objects: tuple[int | None, ...] = ()
    preset: Preset = VOC2012
    settings: Settings = SETTINGS


HEAD = ("head", (80, 50, 120, 90))
HAND = ("hand", (50, 200, 70, 220))
FOOT = ("foot", (60, 330, 80, 350))


def list_params(cases: dict[str, list[Case]]) -> list[Any]:
    """Every case with the name of its check."""
    return [
        pytest.param(name, case, id=f"{name}-{number}")
        for name, of_check in cases.items()
        for number, case in enumerate(of_check)
    ]


def confirm(check: str, case: Case) -> None:
    """The check finds in the image what it must, with a key and a sentence."""
    findings = run_checks(case.image, case.preset, case.settings)
    of_check = [finding for finding in findings if finding.check == check]
    assert tuple(finding.object_number for finding in of_check) == case.objects
    for finding in of_check:
        assert finding.image_id == 7
        has_key = finding.object_number is not None
        assert finding.object_key == (f"object-{finding.object_number}" if has_key else None)
        assert finding.message.endswith((".", "?"))
