"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.image_store import ImageStore, digest_of
from catalog.states import ImageState, PhotoState, Role, Source, Verdict, is_step
from catalog.tables import Annotation, Image, Object, Part, Person, Photo, Query, Release, Review
from export.recipe import IMPORTED

from .known import WAITING, describe_twin, load_known
from .tree_image import Import, Opened, ReleaseTakenError, Stored, TreeImage, blind_key


def begin_import(session: Session, name: str, token: str, at: datetime) -> Import:
    """The import of that release, begun or continued.

    Raises ReleaseTakenError where the party made a release of that name itself.
    """
    release = session.scalar(select(Release).where(Release.name == name))
    if release is not None and IMPORTED not in release.settings:
        raise ReleaseTakenError(
            f"The party has made a release {name} itself; give the import another name with --name."
        )
    person = _get_person(session, name, token, at)
    return Import(name, person.id, _get_query(session, name).id, at)


def store_images(
    session: Session, run: Import, items: Sequence[TreeImage], *, store: ImageStore
) -> list[Stored | str]:
    """For each image its rows, new or as an earlier import made them; or why it cannot be taken.

    Raises IntegrityError where another process imports one of them at this moment.
    """
    known = load_known(session, items)
    outcomes = {it.image_id: known.find(it, store) for it in items}
    firsts: dict[str, TreeImage] = {}
    opened: list[tuple[int, TreeImage]] = []
    for item in items:
        outcome = outcomes[item.image_id]
        if outcome is None:
            firsts.setdefault(item.file.sha256, item)  # of two with one file the first
        elif isinstance(outcome, Opened):
            opened.append((outcome.image_id, item))
    new = _insert_images(session, run, list(firsts.values()))
    keys = _insert_annotations(session, run, [*new, *opened])
    _check_opened(session, run, opened)
    for (image_id, item), key in zip([*new, *opened], keys, strict=True):
        before = outcomes[item.image_id]
        own = before.sha256 if isinstance(before, Opened) else None
        outcomes[item.image_id] = Stored(image_id, key, is_new=True, sha256=own)
    ids = {item.file.sha256: image_id for image_id, item in new}
    return [
        outcome
        if isinstance(outcome := outcomes[it.image_id], Stored | str)
        else describe_twin(ids[it.file.sha256], ImageState.CHECKED)
        for it in items
    ]


def _get_person(session: Session, name: str, token: str, at: datetime) -> Person:
    """An annotator whose link was never given away and is revoked."""
    called = f"import {name}"[:100]
    person = session.scalar(select(Person).where(Person.name == called))
    if person is None:
        digest = digest_of(token.encode())
        person = Person(name=called, role=Role.ANNOTATOR, credential_sha256=digest)
        person.created_at = person.ended_at = at
        session.add(person)
        session.flush()
    if person.ended_at is None:
        raise ReleaseTakenError(
            f"A person is called {called!r}; give the import another name with --name."
        )
    return person


def _get_query(session: Session, name: str) -> Query:
    """The tree, recorded like a query; it stands for no class in particular."""
    row = {"source": Source.VOC, "class_name": "", "keyword": name}
    query = session.scalar(select(Query).filter_by(**row))
    if query is None:
        query = Query(**row)
        session.add(query)
        session.flush()
    return query


Row = dict[str, Any]
Items = Sequence[tuple[int, TreeImage]]
"""Images of a tree, each with the number of a row."""


def _insert_images(session: Session, run: Import, new: Sequence[TreeImage]) -> Items:
    """The images with their new numbers; without an annotation they begin as others do."""
    times = {"stored_at": run.at, "state_at": run.at}
    states = {True: ImageState.FETCHED, False: ImageState.CHECKED}
    rows = [{**it.file._asdict(), "state": states[it.form.is_blind], **times} for it in new]
    items = list(zip(_insert(session, Image, rows), new, strict=True))
    _insert(session, Photo, [_photo_row(run, *it) for it in items])
    return items


def _insert_annotations(session: Session, run: Import, items: Items) -> list[int]:
    """The numbers of the images' revisions; those that are shown are accepted at once."""
    keys = _insert(session, Annotation, [_annotation_row(run, *it) for it in items])
    _insert_objects(session, list(zip(keys, (item for _, item in items), strict=True)))
    shown = [
        (image_id, key, item)
        for (image_id, item), key in zip(items, keys, strict=True)
        if not item.form.is_blind
    ]
    _insert(session, Review, [_review_row(run, key, item) for _, key, item in shown])
    if shown:
        pointed = [{"id": image_id, "annotation_id": key} for image_id, key, _ in shown]
        session.execute(update(Image), pointed)
    return keys


def _insert(session: Session, table: Any, rows: Sequence[Row]) -> list[int]:
    """The ids of the new rows, in their order."""
    if not rows:
        return []
    statement = insert(table).returning(table.id, sort_by_parameter_order=True)
    return list(session.scalars(statement, rows))


def _photo_row(run: Import, image_id: int, item: TreeImage) -> Row:
    return {
        "image_id": image_id,
        "source": Source.VOC,
        "source_id": item.image_id,
        **item.origin._asdict(),
        "state": PhotoState.FETCHED,
        "query_id": run.query_id,
        "found_at": run.at,
        "fetched_at": run.at,
    }


def _annotation_row(run: Import, image_id: int, item: TreeImage) -> Row:
    """A hidden annotation is a stale draft without objects, which no stage takes for finished."""
    is_blind = item.form.is_blind
    return {
        "image_id": image_id,
        "save_key": blind_key(item.image_id) if is_blind else f"import-{run.key(item.image_id)}",
        "is_finished": not is_blind,
        "is_stale": is_blind,
        "person_id": run.person_id,
        "saved_at": run.at,
    }


def _review_row(run: Import, annotation_id: int, item: TreeImage) -> Row:
    return {
        "annotation_id": annotation_id,
        "save_key": f"accept-{run.key(item.image_id)}",
        "person_id": run.person_id,
        "verdict": Verdict.ACCEPT,
        "comment": f"checked before it came, by the makers of {run.name}",
        "reviewed_at": run.at,
    }


def _insert_objects(session: Session, given: Items) -> None:
    """Objects with parts are asked for their numbers, which takes longer."""
    pairs = [(annotation_id, it) for annotation_id, image in given for it in image.objects]
    whole = [pair for pair in pairs if pair[1].parts]
    object_ids = _insert(session, Object, [_object_row(*pair) for pair in whole])
    if plain := [_object_row(*pair) for pair in pairs if not pair[1].parts]:
        session.execute(insert(Object), plain)
    parts = [
        {"object_id": object_id, "number": number, "name": part.name, **_box_row(part.box)}
        for object_id, (_, item) in zip(object_ids, whole, strict=True)
        for number, part in enumerate(item.parts, start=1)
    ]
    if parts:
        session.execute(insert(Part), parts)


def _object_row(annotation_id: int, item: AnnotatedObject) -> Row:
    x, y = item.point_xy or (None, None)
    same = ("number", "class_name", "view", "truncated", "occluded", "difficult")
    return {
        "annotation_id": annotation_id,
        "object_key": item.key,
        **{name: getattr(item, name) for name in same},
        **_box_row(item.box),
        "actions": list(item.actions),
        "point_x": x,
        "point_y": y,
    }


def _box_row(box: Box) -> Mapping[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), box.xyxy, strict=True))


def _check_opened(session: Session, run: Import, opened: Items) -> None:
    """Images whose annotation came later are checked from now on; their rows are locked."""
    assert all(is_step(leaves, ImageState.CHECKED) for leaves in WAITING)
    checked = update(Image).where(
        Image.id.in_([image_id for image_id, _ in opened]), Image.state.in_(WAITING)
    )
    values = {"state": ImageState.CHECKED, "state_at": run.at, "reason": None}
    session.execute(checked.values(values).execution_options(synchronize_session=False))
    for image_id, item in opened:
        of_image = update(Photo).where(Photo.image_id == image_id, Photo.source == Source.VOC)
        session.execute(of_image.values(item.origin._asdict()))
