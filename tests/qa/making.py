"""Helpers that make images and objects for the checks."""

from dataclasses import replace
from typing import Any

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.preset import Preset, load_preset
from catalog.settings import Settings, make_settings
from qa.checks import run_image_checks
from qa.findings import CheckedImage, Finding

VOC2012 = load_preset("voc2012")
VOC2007 = load_preset("voc2007")


def thing(class_name: str, xyxy: tuple[int, int, int, int], **values: Any) -> AnnotatedObject:
    """An object that is numbered when it is put into an image."""
    return AnnotatedObject(number=0, key="", class_name=class_name, box=Box(*xyxy), **values)


def part(name: str, xyxy: tuple[int, int, int, int]) -> AnnotatedPart:
    return AnnotatedPart(name, Box(*xyxy))


def image_of(*objects: AnnotatedObject, image_id: int = 7, **values: Any) -> CheckedImage:
    """An image of 500 x 375 pixels."""
    numbered = tuple(
        replace(item, number=number, key=f"object-{number}")
        for number, item in enumerate(objects, start=1)
    )
    sizes = {"width_px": 500, "height_px": 375}
    return CheckedImage(image_id=image_id, objects=numbered, **(sizes | values))


def settings_with(**qa: Any) -> Settings:
    return make_settings({"name": "Test party", "qa": qa})


def names(findings: list[Finding]) -> list[tuple[str, int | None]]:
    """(check, object) of each finding, in alphabetical order."""
    return sorted((finding.check, finding.object_number) for finding in findings)


def run_checks(image: CheckedImage, preset: Preset, settings: Settings) -> list[Finding]:
    """The findings of the single-image checks on one image."""
    return run_image_checks((image,), preset, settings)
