from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.preset import Preset
from catalog.states import View
from qa.checks import (
    MOST_OF_ONE_CHECK,
    find_revision_findings,
    run_image_checks,
)

from .making import VOC2007, VOC2012, image_of, names, part, settings_with
from .objects import CAR, PERSON

SETTINGS = settings_with()


def test_at_a_save_only_the_revision_itself_is_checked() -> None:
    walker = replace(PERSON, actions=("walking",))
    image = image_of(walker, replace(PERSON, box=Box(200, 9, 300, 90)))
    assert names(find_revision_findings(image, VOC2012, SETTINGS)) == [("actions_missing", 2)]
    assert names(find_revision_findings(image_of(PERSON), VOC2012, SETTINGS)) == []


sides = st.tuples(st.integers(1, 60), st.integers(1, 60)).map(sorted)
boxes = st.tuples(sides, sides).map(
    lambda ends: Box(ends[0][0], ends[1][0], ends[0][1], ends[1][1])
)
objects = st.builds(
    AnnotatedObject,
    number=st.just(0),
    key=st.just(""),
    class_name=st.sampled_from(["person", "car", "bottle", "zebra"]),
    box=boxes,
    view=st.sampled_from(View),
    truncated=st.booleans(),
    occluded=st.booleans(),
    actions=st.lists(st.sampled_from(["other", "walking", "sleeping"]), max_size=3).map(tuple),
    parts=st.lists(
        st.builds(part, st.sampled_from(["head", "hand", "tail"]), boxes.map(lambda box: box.xyxy)),
        max_size=4,
    ).map(tuple),
)


@given(st.lists(objects, max_size=5), st.sampled_from([VOC2007, VOC2012]))
def test_checks_accept_any_drawing(drawn: list[AnnotatedObject], preset: Preset) -> None:
    image = image_of(*drawn, width_px=50, height_px=50)
    numbers = {item.number for item in image.objects} | {None}
    for finding in find_revision_findings(image, preset, SETTINGS):
        assert finding.object_number in numbers


def test_a_check_reports_a_limited_number_of_findings_per_image() -> None:
    findings = run_image_checks([image_of(*[CAR] * 60)], VOC2012, SETTINGS)
    assert max(Counter(finding.check for finding in findings).values()) == MOST_OF_ONE_CHECK
