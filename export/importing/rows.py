"""Images of a tree as rows: those that the party has, photo, image, revision and verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlalchemy.orm import Session

from catalog import tables
from catalog.annotated import AnnotatedObject, replace_words
from catalog.decisions import decide_many
from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore, digest_of
from catalog.imports import import_name
from catalog.locks import lock_images
from catalog.states import (
    Beside,
    DecisionKind,
    ImageState,
    PhotoState,
    Role,
    SegmentState,
    Source,
    Verdict,
    WordKind,
)
from catalog.tables import (
    Annotation,
    BlockedOwner,
    Image,
    Photo,
    Release,
    ReleaseImage,
    Review,
    SegmentChoice,
)
from catalog.tables.people import describe_look
from catalog.transitions import move_images
from export.recipe import IMPORTED
from export.rows import load_objects
from vockit.foreign.boxes import CORNERS
from vockit.format.jpeg import JpegError, strip_jpeg
from vockit.format.rings import pack_rings

from .import_run import Import
from .tree_image import ImportTreeError, TreeImage, blind_key, object_key

WAITING = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""The states of images whose annotation has not begun."""
IS_DOWN = or_(Photo.state == PhotoState.WITHDRAWN, Image.state == ImageState.TAKEN_DOWN)


def bar_images(
    session: Session, name: str, images: Sequence[TreeImage], listed: Collection[str]
) -> tuple[dict[str | None, str], dict[str, int]]:
    """Give a reason to images that the release of that name bars; blocked owners, lost digests."""
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    public_ids = select(ReleaseImage.public_id).where(ReleaseImage.release_id == release_id)
    of_image = public_ids.join(Annotation, Annotation.id == ReleaseImage.annotation_id)
    hidden = frozenset(session.scalars(of_image.where(Annotation.is_finished.is_(False))))
    photos = select(Photo.source_id).outerjoin(Image, Image.id == Photo.image_id)
    withdrawn = frozenset(session.scalars(photos.where(Photo.source == Source.VOC, IS_DOWN)))
    # A release is never changed, so that images which come later stay outside.
    releasable = frozenset(listed if release_id is None else session.scalars(public_ids))
    for image in images:
        if image.image_id in withdrawn:
            image.reason = image.reason or "it was taken down"
        elif image.image_id in hidden and not image.is_blind:
            reason = "the release is recorded without its annotation; import the tree with another "
            image.reason = image.reason or f"{reason}--name"
        elif image.image_id not in releasable:
            image.masks = {}  # no release may hold the masks of an image that is not in it
    down = select(Image.sha256, Image.id).where(Image.state == ImageState.TAKEN_DOWN)
    return _load_blocked(session), dict(session.execute(down).tuples().all())


def find_known(session: Session, images: Sequence[TreeImage], store: ImageStore) -> None:
    """Give known images their rows, or the reason that speaks against them; new ones have none."""
    ids = [image.image_id for image in images]
    digests = [image.file.sha256 for image in images]
    photos = select(Photo.source_id, Image.id, Image.sha256, IS_DOWN.label("is_down"))
    photos = photos.outerjoin(Image, Image.id == Photo.image_id).where(Photo.source == Source.VOC)
    rows = {row.source_id: row for row in session.execute(photos.where(Photo.source_id.in_(ids)))}
    same = select(Image.sha256, Image.id, Image.state).where(Image.sha256.in_(digests))
    twins = {sha256: (image_id, state) for sha256, image_id, state in session.execute(same)}
    given = select(ReleaseImage.public_id, ReleaseImage.image_id).order_by(ReleaseImage.id)
    given = given.where(ReleaseImage.public_id.in_(ids))
    released = dict(session.execute(given).tuples().all())
    blocked = _load_blocked(session)
    again = list[tuple[TreeImage, str]]()
    for image in images:
        row = rows.get(image.image_id)
        image.row_id = 0
        image.annotation_id = 0
        image.is_new = row is None
        image.reason = None if row else blocked.get(image.origin["owner_id"])
        if row is not None and (row.is_down or row.id is None):
            image.reason = "it was taken down"
        elif row is not None:
            image.row_id = row.id
            again.append((image, row.sha256))
        elif image.file.sha256 in twins:
            image.reason = image.reason or describe_twin(*twins[image.file.sha256])
        elif image.image_id in released:
            other = released[image.image_id]
            message = f"a release of the party gave its identifier to image {other}"
            image.reason = image.reason or message
    _find_again(session, again, store)


def _find_again(
    session: Session, images: Sequence[tuple[TreeImage, str]], store: ImageStore
) -> None:
    """Find the rows of images with known identifiers; lock those that wait for annotation."""
    ids = [image.row_id for image, _ in images]
    revisions = _load_revisions(session, ids)
    keys = [blind_key(image.image_id) for image, _ in images]
    held = select(Annotation.image_id, Annotation.id).where(Annotation.save_key.in_(keys))
    blind = dict(session.execute(held).tuples().all())
    is_waiting = Image.annotation_id.is_(None), Image.state.in_(WAITING)
    lock_images(session, ids)
    still = select(Image.id).where(Image.id.in_(ids), *is_waiting)
    waiting = frozenset(session.scalars(still))
    for image, sha256 in images:
        row_id = image.row_id
        is_same = sha256 == image.file.sha256
        of_image = f"image {row_id} of the party"
        is_opened = row_id in blind and not image.is_blind
        same = (key for key, objects in revisions[row_id] if objects == image.objects)
        # pictures that an organiser padded come with their annotation as they were before
        if not is_same and not (is_opened and _has_same_pixels(store, sha256, image.file.sha256)):
            image.reason = f"its identifier belongs to {of_image}, which has another file"
            continue
        if not is_same:
            image.encoded_sha256 = image.encoded_sha256 or image.file.sha256
            image.file = image.file._replace(sha256=sha256)
        if image.is_blind and row_id in blind:
            image.annotation_id = blind[row_id]
        elif image.is_blind:
            image.reason = f"{of_image} came with the annotation that is held back here"
        elif key := next(same, None):
            image.annotation_id = key
        elif is_opened and row_id in waiting:
            image.is_new = True
        else:
            image.reason = f"{of_image} has other objects under its identifier"


def describe_twin(image_id: int, state: ImageState) -> str:
    """Why an image with the file of another one is left out."""
    return f"its file is that of image {image_id} of the party, which is {state}"


def _has_same_pixels(store: ImageStore, first: str, second: str) -> bool:
    """Whether two stored files are one JPEG, but for what does not touch the pixels."""
    try:
        return strip_jpeg(store.get(first)) == strip_jpeg(store.get(second))
    except (ImageMissingError, JpegError):
        return False


def _load_blocked(session: Session) -> dict[str | None, str]:
    """Why the images of an excluded owner are left out, by owner."""
    owners = session.scalars(select(BlockedOwner))
    return {
        owner.owner_id: f"its owner {owner.owner_id} is excluded ({owner.reason})"
        for owner in owners
    }


def _load_revisions(
    session: Session, image_ids: Sequence[int]
) -> dict[int, list[tuple[int, tuple[AnnotatedObject, ...]]]]:
    """The accepted revisions of each image and their objects, the newest first."""
    accepted = select(Annotation.id, Annotation.image_id).join(
        Review, Review.annotation_id == Annotation.id
    )
    accepted = accepted.where(Annotation.image_id.in_(image_ids), Review.verdict == Verdict.ACCEPT)
    newest_first = accepted.order_by(Annotation.id.desc()).distinct()
    image_of = dict(session.execute(newest_first).tuples().all())
    objects = load_objects(session, image_of)
    revisions: dict[int, list[tuple[int, tuple[AnnotatedObject, ...]]]] = defaultdict(list)
    for key, image_id in image_of.items():
        # the keys that an import gives, so that both can be compared
        named = tuple([replace(item, key=object_key(item.number)) for item in objects[key]])
        revisions[image_id].append((key, named))
    return revisions


def find_importer(session: Session, run: Import) -> tables.Person | None:
    """Who stands for the import, an annotator whose link was never given away and is revoked.

    None where it was never begun. Raises ImportTreeError where its name stands for something else.
    """
    name = run.name
    release = session.scalar(select(tables.Release).where(tables.Release.name == name))
    if release is not None and IMPORTED not in release.settings:
        raise ImportTreeError(
            f"The party has made a release {name} itself; give the import another name with --name."
        )
    others = {Source.VOC, Source.DATASET} - {run.source}
    of_name = select(tables.Query.id).where(tables.Query.keyword == name)
    if session.scalar(of_name.where(tables.Query.source.in_(others)).limit(1)) is not None:
        raise ImportTreeError(
            f"An import of another kind is called {name}, and would be withdrawn together with "
            "this one; give the import another name with --name."
        )
    called = import_name(name)
    looks_so = tables.Person.name_key == describe_look(called)
    person = session.scalar(select(tables.Person).where(looks_so))
    if person is not None and (person.ended_at is None or person.name != called):
        raise ImportTreeError(
            f"A person is called {person.name!r}; give the import another name with --name."
        )
    return person


def begin_import(session: Session, run: Import, token: str) -> Import:
    """The import, begun or continued; ImportTreeError where the party made such a release."""
    name = run.name
    person = find_importer(session, run)
    if person is None:
        digest = digest_of(token.encode())
        person = tables.Person(
            name=import_name(name), role=Role.ANNOTATOR, credential_sha256=digest
        )
        person.created_at = person.ended_at = run.at
        session.add(person)
    # what is imported, recorded like a query; it stands for no class in particular
    row = {"source": run.source, "class_id": "", "keyword": name}
    if (query := session.scalar(select(tables.Query).filter_by(**row))) is None:
        session.add(query := tables.Query(**row))
    if run.source is Source.DATASET:
        ids = run.party.list_ids()[WordKind.CLASS]
        searched = {ids[name] for name in run.searched}
        # the images that came before were searched for what was listed then
        before = searched if query.searched_ids is None else query.searched_ids
        query.searched_ids = sorted(searched.intersection(before))
    session.flush()
    return replace(run, person_id=person.id, query_id=query.id)


def refuse_copies(images: Sequence[TreeImage], first_of: dict[str, str]) -> None:
    """Of several new images of an import with one file only the first comes in.

    `first_of` has the first image of each file, and gets those of these images.
    """
    for image in images:
        if image.row_id or not image.is_new:
            continue
        first = first_of.get(image.file.sha256, image.image_id)
        if first != image.image_id:
            image.reason = f"its picture is the same file as that of {first}"
        elif not image.reason:
            first_of[image.file.sha256] = first


def store_images(
    session: Session,
    run: Import,
    images: Sequence[TreeImage],
    *,
    store: ImageStore,
    first_of: dict[str, str],
) -> None:
    """Give images their rows, or why they have none; IntegrityError where others import them."""
    find_known(session, images, store)
    refuse_copies(images, first_of)
    left = [image for image in images if not image.reason]
    new = [image for image in left if not image.row_id]
    for image in left:
        if image.row_id and not image.annotation_id:
            photos = update(tables.Photo).where(tables.Photo.image_id == image.row_id)
            session.execute(photos.where(tables.Photo.source == Source.VOC).values(image.origin))
    insert_images(session, run, new)
    waiting = [image for image in left if image.row_id and not image.annotation_id]
    rows = [
        {  # a hidden annotation is a stale draft without objects, which no stage takes for finished
            "image_id": image.row_id,
            "save_key": (blind_key if image.is_blind else run.save_key)(image.image_id),
            "is_finished": not image.is_blind,
            "beside": Beside.IMPORTED if image.is_blind else None,
            "person_id": run.person_id,
            "saved_at": run.at,
        }
        for image in waiting
    ]
    ids = insert_rows(session, Annotation, rows, "save_key")
    for image, annotation_id in zip(waiting, ids, strict=True):
        image.annotation_id = annotation_id
    shown = [image for image in waiting if not image.is_blind]
    insert_objects(session, run, shown)
    insert_drawings(session, run, [image for image in shown if image.outlines])
    accept(session, run, shown, f"checked before it came, by the makers of {run.name}")


def insert_rows(
    session: Session, table: Any, rows: Sequence[dict[str, Any]], unique: str = ""
) -> list[int]:
    """Insert the rows; where a unique column is named, their ids in order."""
    if not rows:
        return []
    session.execute(insert(table), rows)
    if not unique:
        return []
    # RETURNING would make SQLite take the rows one by one
    names = [row[unique] for row in rows]
    column = getattr(table, unique)
    inserted = session.execute(select(column, table.id).where(column.in_(names)))
    ids = dict(inserted.tuples().all())
    return [ids[name] for name in names]


def insert_images(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """Rows of new images, which begin as photographs do that were just fetched."""
    times = {"state": ImageState.FETCHED, "stored_at": run.at, "state_at": run.at}
    ids = insert_rows(
        session, Image, [{**image.file._asdict(), **times} for image in images], "sha256"
    )
    for image, row_id in zip(images, ids, strict=True):
        image.row_id = row_id
    shared = {"source": run.source, "state": PhotoState.FETCHED, "query_id": run.query_id}
    shared |= {"found_at": run.at, "fetched_at": run.at}
    origins = (
        {"image_id": image.row_id, "source_id": image.image_id, **image.origin} for image in images
    )
    insert_rows(session, Photo, [row | shared for row in origins])


def insert_objects(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """Rows of the objects of images with revisions, and of their parts."""
    ids_of_words = run.party.list_ids()
    items = [
        (image.annotation_id, replace_words(item, ids_of_words))
        for image in images
        for item in image.objects
    ]
    ids_of_classes = ids_of_words[WordKind.CLASS]
    same = ("number", "view", "truncated", "occluded", "difficult", "group_of")
    rows = [
        {name: getattr(item, name) for name in same}
        | {"class_id": ids_of_classes[item.class_name], "actions": list(item.actions)}
        | {"annotation_id": annotation_id, "object_key": item.key}
        | dict(zip(("point_x", "point_y"), item.point_xy or (None, None), strict=True))
        | dict(zip(CORNERS, item.box.xyxy, strict=True))
        for annotation_id, item in items
    ]
    insert_rows(session, tables.Object, rows)
    of_parts = {annotation_id for annotation_id, item in items if item.parts}
    columns = select(tables.Object.annotation_id, tables.Object.number, tables.Object.id)
    inserted = session.execute(columns.where(tables.Object.annotation_id.in_(of_parts)))
    ids = {(annotation_id, number): key for annotation_id, number, key in inserted}
    parts = [
        {"object_id": ids[annotation_id, item.number], "number": number, "word": part.word}
        | dict(zip(CORNERS, part.box.xyxy, strict=True))
        for annotation_id, item in items
        for number, part in enumerate(item.parts, start=1)
    ]
    insert_rows(session, tables.Part, parts)


def insert_drawings(session: Session, run: Import, images: Sequence[TreeImage]) -> list[int]:
    """The ids of drawings that people can edit, which the outlines become."""
    shared = {"person_id": run.person_id, "is_finished": True, "created_at": run.at}
    rows = [
        {
            "image_id": image.row_id,
            "annotation_id": image.annotation_id,
            "save_key": run.save_key(image.image_id),
            **shared,
        }
        for image in images
    ]
    keys = insert_rows(session, tables.Segmentation, rows, "save_key")
    segments = [
        {"segmentation_id": key, **outline._asdict(), "rings": pack_rings(outline.rings)}
        for key, image in zip(keys, images, strict=True)
        for outline in image.outlines
    ]
    insert_rows(session, tables.Segment, segments)
    return keys


def accept_drawings(
    session: Session, run: Import, images: Sequence[TreeImage], drawing_ids: Sequence[int]
) -> None:
    """Releases take the outlines of these images as they came, where each object has one."""
    rows = [
        {
            "image_id": image.row_id,
            "state": SegmentState.CHECKED,
            "chosen_at": run.at,
            "segmentation_id": drawing_id,
            "annotation_id": image.annotation_id,
        }
        for image, drawing_id in zip(images, drawing_ids, strict=True)
        if len(image.outlines) == len(image.objects)
    ]
    insert_rows(session, SegmentChoice, rows)


def accept(session: Session, run: Import, images: Sequence[TreeImage], comment: str) -> None:
    """The images are checked from now on; those that waited for their annotation are locked."""
    shared = {"person_id": run.person_id, "verdict": Verdict.ACCEPT, "comment": comment}
    shared |= {"reviewed_at": run.at}
    keys = ((image.annotation_id, f"accept-{run.key(image.image_id)}") for image in images)
    reviews = [
        {"annotation_id": annotation_id, "save_key": save_key, **shared}
        for annotation_id, save_key in keys
    ]
    insert_rows(session, Review, reviews)
    heads = [{"id": image.row_id, "annotation_id": image.annotation_id} for image in images]
    if heads:
        session.execute(update(tables.Image), heads)
    ids = [image.row_id for image in images]
    accepted = [
        {"image_id": image.row_id, "annotation_id": image.annotation_id, "reason": comment}
        for image in images
    ]
    person = session.get_one(tables.Person, run.person_id)
    decide_many(session, accepted, DecisionKind.IMPORTED, at=run.at, person=person)
    for leaves in WAITING:
        move_images(session, ids, leaves, ImageState.CHECKED, run.at)
