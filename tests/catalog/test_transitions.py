import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.sentences import Sentence, say
from catalog.states import IMAGE_STEPS, ImageState, is_step
from catalog.tables import Annotation, Image
from catalog.transitions import Move, move_head, move_image, move_images, move_many
from tests.rows import at_once, make_image, make_person

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs/manual/life-of-a-photograph.md"
PRODUCT = (
    "catalog",
    "collect",
    "dedup",
    "qa",
    "export",
    "work",
    "operate",
    "web",
    "annotate_ui",
    "simulate",
)
WRITER = ROOT / "catalog" / "transitions.py"


def add_image(party: Party, state: ImageState) -> int:
    image = make_image("a" * 64, NOW, width=5, height=4, bytes=9, state=state)
    with party.catalogue.writing() as session:
        session.add(image)
        session.flush()
        return image.id


def add_images(party: Party, *states: ImageState) -> list[int]:
    with party.catalogue.writing() as session:
        images = [
            make_image(digit * 64, NOW, state=state)
            for digit, state in zip("bcdef", states, strict=False)
        ]
        session.add_all(images)
        session.flush()
        return [image.id for image in images]


def test_a_reason_keeps_what_pages_translate_until_the_next_step(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)
    reason = say("near-duplicate of image {image_id}", image_id=7)
    pool = ImageState.POOL
    duplicate = ImageState.DUPLICATE
    with any_party.catalogue.writing() as session:
        move_image(session, image_id, pool, duplicate, at=NOW, reason=reason)
        why = session.get_one(Image, image_id).why
    assert isinstance(why, Sentence)
    assert (why, why.template) == (reason, reason.template)
    with any_party.catalogue.writing() as session:
        move_image(session, image_id, duplicate, ImageState.HASHED, at=NOW)
        image = session.get_one(Image, image_id)
        assert (image.reason, image.reason_parts) == (None, None)


def test_an_image_moves_only_from_the_state_it_is_in(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)
    pool = ImageState.POOL
    annotating = ImageState.ANNOTATING
    with any_party.catalogue.writing() as session:
        assert move_image(session, image_id, pool, annotating, at=NOW)
        assert not move_image(session, image_id, pool, annotating, at=NOW)
        assert move_images(session, [image_id, 7], annotating, pool, at=NOW) == 1
        assert move_images(session, [image_id, 7], pool, annotating, at=NOW) == 1
    with any_party.catalogue.reading() as session:
        image = session.get_one(Image, image_id)
        assert (image.state, image.state_at) == (annotating, NOW)


def test_each_of_many_images_takes_its_own_step(any_party: Party) -> None:
    pool = ImageState.POOL
    returned = ImageState.RETURNED
    annotated = ImageState.ANNOTATED
    first, second, third = add_images(any_party, pool, returned, annotated)
    moves = [
        Move(first, pool, ImageState.DISCARDED, "blurred"),
        Move(second, pool, returned),  # it is in another state
        Move(third, annotated, pool),
    ]
    with any_party.catalogue.writing() as session:
        assert move_many(session, moves, at=NOW) == 2
    with any_party.catalogue.reading() as session:
        images = [session.get_one(Image, image_id) for image_id in (first, second, third)]
        states = [image.state for image in images]
        assert states == [ImageState.DISCARDED, returned, pool]
        assert [image.reason for image in images] == ["blurred", None, None]


def test_a_revision_becomes_the_newest_only_in_place_of_the_one_it_started_from(
    any_party: Party,
) -> None:
    image_id = add_image(any_party, ImageState.ANNOTATING)
    steps = ImageState.ANNOTATING, ImageState.ANNOTATED
    with any_party.catalogue.writing() as session:
        ann = make_person("ann", NOW)
        session.add(ann)
        session.flush()
        revisions = [
            Annotation(image_id=image_id, person_id=ann.id, save_key=key, saved_at=NOW)
            for key in ("draft", "stale", "finished")
        ]
        session.add_all(revisions)
        session.flush()
        draft, stale, finished = (revision.id for revision in revisions)
        held = ImageState.ANNOTATING
        assert move_head(session, image_id, held, None, parent_id=None, head_id=draft, at=NOW)
        assert not move_head(session, image_id, *steps, parent_id=None, head_id=stale, at=NOW)
        assert move_head(session, image_id, *steps, parent_id=draft, head_id=finished, at=NOW)
        image = session.get_one(Image, image_id)
        assert (image.state, image.annotation_id) == (ImageState.ANNOTATED, finished)


def test_of_concurrent_moves_of_one_image_exactly_one_succeeds(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)

    def move() -> bool:
        with any_party.catalogue.writing() as session:
            return move_image(session, image_id, ImageState.POOL, ImageState.ANNOTATING, at=NOW)

    assert sorted(at_once(*[move] * 6)) == [False] * 5 + [True]


def test_a_step_between_unconnected_states_is_refused(party: Party) -> None:
    with party.catalogue.writing() as session, pytest.raises(ValueError, match="no step leads"):
        move_image(session, 1, ImageState.HASHED, ImageState.RELEASED, at=NOW)


def test_every_state_is_reachable_and_taken_down_is_final() -> None:
    reached = {ImageState.FETCHED, ImageState.TAKEN_DOWN}
    while more := {step for state in reached for step in IMAGE_STEPS[state]} - reached:
        reached |= more
    assert reached == set(ImageState)
    assert all(
        is_step(state, ImageState.TAKEN_DOWN) for state in ImageState if state != "taken_down"
    )
    assert not any(is_step(ImageState.TAKEN_DOWN, state) for state in ImageState)


def test_the_manual_lists_exactly_the_steps_between_states() -> None:
    steps: set[tuple[ImageState, ImageState]] = set()
    for line in MANUAL.read_text("utf-8").splitlines():
        words = line.split("|")[1] if line.startswith("|") else ""
        for step in words.split(";"):
            left, arrow, right = step.partition(" -> ")
            ends, back, _ = right.partition(" and back")
            listed = {
                (ImageState(begin.strip()), ImageState(end.strip()))
                for begin in left.split(",")
                for end in ends.split(",")
                if arrow
            }
            steps |= listed | ({(end, begin) for begin, end in listed} if back else set())
    assert steps == {(begin, end) for begin, following in IMAGE_STEPS.items() for end in following}


OTHER_STATES = ("PhotoState", "SegmentState")
"""Their columns are called `state` too."""


def name_states(value: ast.expr) -> set[str]:
    """The words of an expression that stands for a state, such as ImageState.FETCHED."""
    nodes = list(ast.walk(value))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def may_change_an_image(value: ast.expr) -> bool:
    """Whether the value may be another state than the first, of an image."""
    words = name_states(value)
    return "FETCHED" not in words and not words.intersection(OTHER_STATES)


def find_state_writes(code: str) -> Iterator[int]:
    """The lines that write an image's state, or the moment of it, in a module.

    A new image may enter its first state. What is read, as `"state": image.state` of an answer,
    comes without `state_at`.
    """
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Assign(targets=targets, value=value) if any(
                isinstance(target, ast.Attribute) and target.attr in ("state", "state_at")
                for target in targets
            ):
                if may_change_an_image(value):
                    yield node.lineno
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=name), value]):
                if name in ("state", "state_at") and may_change_an_image(value):
                    yield node.lineno
            case ast.Call(
                func=ast.Attribute(attr="values") | ast.Name(id="Image"), keywords=keywords
            ):
                written = [word.value for word in keywords if word.arg == "state"]
                if any(map(may_change_an_image, written)):
                    yield node.lineno
            case ast.Dict(keys=keys, values=values):
                columns = {
                    key.value: value
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                if columns.keys() >= {"state", "state_at"} and may_change_an_image(
                    columns["state"]
                ):
                    yield node.lineno


def test_no_other_module_writes_the_state_of_an_image() -> None:
    paths = [path for name in PRODUCT for path in sorted((ROOT / name).rglob("*.py"))]
    assert WRITER in paths
    codes = {path: path.read_text("utf-8") for path in paths if path != WRITER}
    writes = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, code in codes.items()
        if "state" in code  # to parse takes long
        for line in find_state_writes(code)
    ]
    assert writes == []
    assert list(find_state_writes(WRITER.read_text("utf-8"))) != []


@pytest.mark.parametrize(
    "line",
    [
        "image.state = ImageState.POOL",
        "image.state = way.enters",
        "image.state_at = at",
        "setattr(image, 'state', enters)",
        "update(Image).where(Image.id == 1).values(state=enters, state_at=at)",
        "update(Image).where(is_newest).values(state=ImageState.RELEASED)",
        "row = {'id': 1, 'state': enters, 'state_at': at, 'reason': None}",
        "session.add(Image(sha256=sha256, state=ImageState.CHECKED))",
    ],
)
def test_a_write_of_the_state_elsewhere_is_found(line: str) -> None:
    assert list(find_state_writes(line)) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "row = {'sha256': sha256, 'state': ImageState.FETCHED, 'state_at': at}",
        "choice.state = SegmentState.DRAWN if newest.is_finished else SegmentState.TODO",
        "update(Photo).values(state=PhotoState.BROKEN)",
        "answer = {'state': image.state}",
    ],
)
def test_first_states_other_tables_and_answers_are_no_such_write(line: str) -> None:
    assert list(find_state_writes(line)) == []
