"""Outlines that ann drew and chris accepted, and the masks that a release makes of them."""

from pathlib import Path

from catalog.party import Party
from catalog.states import SegmentState, Verdict
from catalog.tables import Image, Segment, Segmentation, SegmentChoice
from catalog.tables import SegmentationReview as Judged
from vockit.format.masks import Labels, has_palette, read_mask
from vockit.format.rings import Ring, pack_rings

from .party_rows import HEIGHT, NOW, WIDTH

CLASS = "SegmentationClass"
OBJECT = "SegmentationObject"
SHAPE: Ring = [(5, 5), (50, 8), (40, 30), (5, 28)]
FRONT: Ring = [(20, 10), (58, 10), (58, 38), (20, 38)]


def draw(
    party: Party,
    image_id: int,
    rings: dict[str | None, Ring] | None = None,
    *,
    state: SegmentState = SegmentState.CHECKED,
    overlaps: dict[str, float] | None = None,
) -> int:
    """A drawing by ann of the image's current boxes, accepted by chris; later ones in front."""
    shapes = {"key-1": SHAPE} if rings is None else rings
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        assert image.annotation_id is not None
        made = Segmentation(image_id=image_id, annotation_id=image.annotation_id, person_id=1)
        number = session.query(Segmentation).count()
        made.save_key = f"drawing-{number}"
        made.is_finished = True
        made.created_at = NOW
        for depth, (key, ring) in enumerate(shapes.items()):
            row = Segment(object_key=key, depth=depth, rings=pack_rings([ring]))
            row.drawn_secs = 20.0 + depth
            row.inputs = 12
            made.segments.append(row)
        session.add(made)
        session.flush()
        review = Judged(segmentation_id=made.id, person_id=2, save_key=f"look-{number}")
        review.verdict = Verdict.ACCEPT
        review.created_at = NOW
        review.inputs = 2
        session.add(review)
        choice = session.get(SegmentChoice, image_id) or SegmentChoice(image_id=image_id)
        choice.state = state
        choice.chosen_at = NOW
        choice.segmentation_id = made.id
        choice.annotation_id = image.annotation_id
        choice.agreement = overlaps
        session.add(choice)
        return made.id


def read_masks(folder: Path, name: str) -> tuple[Labels, Labels]:
    (path,) = folder.rglob(f"{CLASS}/{name}.png")
    data = path.read_bytes(), (path.parents[1] / OBJECT / path.name).read_bytes()
    assert all(map(has_palette, data))
    classes, objects = (read_mask(content, (WIDTH, HEIGHT)) for content in data)
    return classes, objects
