"""The words that rows hold, and the steps between states; one stage, named there, takes each.

docs/manual/life-of-a-photograph.md draws them.
"""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """Where a photo was found."""

    FLICKR = "flickr"
    COMMONS = "commons"
    TABLE = "table"
    FOLDER = "folder"
    URLS = "urls"
    VOC = "voc"
    DATASET = "dataset"


SEARCHED = (
    Source.FLICKR,
    Source.COMMONS,
    Source.TABLE,
)  # at random dates; photos of others are imported


class Taster(StrEnum):
    """The one task that people annotate an image for: they draw the people they choose for it."""

    LAYOUT = "layout"
    ACTION = "action"


class WordKind(StrEnum):
    """What a word of the preset names."""

    CLASS = "class"
    GROUP = "group"
    VIEW = "view"
    PART = "part"
    ACTION = "action"


class PhotoState(StrEnum):
    """The state of a photo, the source's record, on its way to a stored image."""

    FOUND = "found"
    FETCHED = "fetched"
    GONE = "gone"
    BROKEN = "broken"
    WITHDRAWN = "withdrawn"


class ImageState(StrEnum):
    """The state of an image, our stored file, on its way to a release."""

    FETCHED = "fetched"
    HASHED = "hashed"
    BROKEN = "broken"
    DUPLICATE = "duplicate"
    POOL = "pool"
    ANNOTATING = "annotating"
    ANNOTATED = "annotated"
    DISCARDED = "discarded"
    CHECKING = "checking"
    RETURNED = "returned"
    CHECKED = "checked"
    RELEASED = "released"
    TAKEN_DOWN = "taken_down"

    @property
    def words(self) -> str:
        """What people call the state."""
        return _STATE_WORDS.get(self.value, self.value.replace("_", " "))


_STATE_WORDS = {
    "fetched": "waiting for its hashes",
    "hashed": "waiting for its comparison",
    "pool": "waiting for annotation",
    "annotating": "being annotated",
    "annotated": "waiting for a check",
    "checking": "being checked",
    "duplicate": "a near-duplicate",
}


class Role(StrEnum):
    """What a person may do; an organiser may do all that the others may."""

    ORGANISER = "organiser"
    ANNOTATOR = "annotator"
    CHECKER = "checker"


class LeaseKind(StrEnum):
    """What a person holds an image for."""

    ANNOTATE = "annotate"
    CHECK = "check"
    SEGMENT = "segment"
    CHECK_SEGMENT = "check-segment"
    BLIND = "blind"

    @property
    def track(self) -> LeaseTrack:
        """What of the image is worked on."""
        if self in (LeaseKind.ANNOTATE, LeaseKind.CHECK):
            return LeaseTrack.BOXES
        return LeaseTrack.BLIND if self is LeaseKind.BLIND else LeaseTrack.SEGMENTS


class LeaseTrack(StrEnum):
    """What of an image one person at a time works on; others may hold the other tracks.

    Blind work displaces nothing, so several people may have an image blind at once.
    """

    BOXES = "boxes"
    SEGMENTS = "segments"
    BLIND = "blind"


HELD_STATES = {LeaseKind.ANNOTATE: ImageState.ANNOTATING, LeaseKind.CHECK: ImageState.CHECKING}
"""The state of an image while its boxes are held."""


class View(StrEnum):
    """VOC's words for the side of the object that is seen, the XML's `pose`.

    A preset may have others; the first one is in every preset.
    """

    UNSPECIFIED = "Unspecified"
    FRONTAL = "Frontal"
    REAR = "Rear"
    LEFT = "Left"
    RIGHT = "Right"


class Verdict(StrEnum):
    """What a checker decided about a revision."""

    ACCEPT = "accept"
    FIXED = "fixed"
    RETURNED = "returned"


class DecisionKind(StrEnum):
    """What was decided about an image.

    The first ones put it into a state; the others only say who did what, and why.
    """

    DRAWN = "drawn"
    DISCARDED = "discarded"
    IMPORTED = "imported"
    ACCEPTED = "accepted"
    FIXED = "fixed"
    RETURNED = "returned"
    RELEASED = "released"
    REOPENED = "reopened"
    ASKED_AGAIN = "asked_again"
    TAKEN_DOWN = "taken_down"
    CAMPAIGN_ENDED = "campaign_ended"
    UNDONE = "undone"
    TAKEN_BACK = "taken_back"
    SETTLED = "settled"


class FindingVerdict(StrEnum):
    """What became of an automatic check's finding: it was right, wrong, or has been fixed."""

    RIGHT = "right"
    WRONG = "wrong"
    FIXED = "fixed"


class NodeKind(StrEnum):
    """What a question of the hierarchy is about: a class, a group, any object of the classes."""

    ROOT = "root"
    GROUP = "group"
    CLASS = "class"


class Shows(StrEnum):
    """What a person saw on a thumbnail: the class that was asked for, another one, or none."""

    ASKED = "asked"
    OTHER = "other"
    NONE = "none"


class Beside(StrEnum):
    """Why a revision, or a drawing of pixels, never became the image's newest.

    Another save came first, or the image was not its author's any more; its author drew blind; its
    image was imported without the annotation, which the tree held back.
    """

    CONFLICT = "conflict"
    BLIND = "blind"
    IMPORTED = "imported"


class BlindKind(StrEnum):
    """Why a person annotates an image without seeing what is known of it."""

    DOUBLE = "double"
    GOLD = "gold"
    TRAINING = "training"


class SuggestionKind(StrEnum):
    """Where a set of suggestions comes from.

    A file of results, a model that the command ran, a detector that learnt from the party, or a
    pair of models that outlines what people click on, whose set has no boxes. Boxes that people
    drew class by class, for others to verify, are a set, too.
    """

    FILE = "file"
    MODEL = "model"
    PARTY = "party"
    OUTLINE = "outline"
    DRAWN = "drawn"


class Suggested(StrEnum):
    """What a person did with a suggestion that became an object."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"


class QuestionKind(StrEnum):
    """What a person is asked of a class: about one box, whether there is another, to draw one."""

    BOX = "box"
    MORE = "more"
    DRAW = "draw"


class Said(StrEnum):
    """What a person answers: of a box, whether it is one object; else whether there is one more."""

    RIGHT = "right"
    PART = "part"
    LARGE = "large"
    SEVERAL = "several"
    WRONG = "wrong"
    YES = "yes"
    NO = "no"


class SegmentState(StrEnum):
    """Where an image stands whose objects are segmented; `checked` ones have masks in a release."""

    TODO = "todo"
    DRAWN = "drawn"
    RETURNED = "returned"
    CHECKED = "checked"


_S = ImageState

IMAGE_STEPS: dict[ImageState, tuple[ImageState, ...]] = {
    # dedup; export: an annotation came in later, or with the image
    _S.FETCHED: (_S.HASHED, _S.BROKEN, _S.CHECKED, _S.ANNOTATED),
    # dedup; broken where its file is gone; export: as above
    _S.HASHED: (_S.POOL, _S.DUPLICATE, _S.BROKEN, _S.CHECKED),
    _S.DUPLICATE: (_S.HASHED,),  # dedup: undone, or the kept image was taken down
    # work; dedup: a larger copy came; export: as above
    _S.POOL: (_S.ANNOTATING, _S.DUPLICATE, _S.CHECKED),
    _S.ANNOTATING: (_S.ANNOTATED, _S.DISCARDED, _S.POOL, _S.RETURNED, _S.RELEASED),  # work
    _S.ANNOTATED: (_S.CHECKING, _S.ANNOTATING),  # work
    _S.DISCARDED: (_S.ANNOTATING, _S.CHECKING),  # work: reopened, or judged too
    # work
    _S.CHECKING: (_S.CHECKED, _S.RETURNED, _S.ANNOTATED, _S.DISCARDED, _S.RELEASED),
    _S.RETURNED: (_S.ANNOTATING,),  # work
    _S.CHECKED: (_S.RELEASED, _S.CHECKING),  # export; work
    _S.RELEASED: (_S.ANNOTATING, _S.CHECKING),  # work: opened to be corrected
    _S.BROKEN: (),
    _S.TAKEN_DOWN: (),
}
"""The steps of an image's life; TAKEN_DOWN may follow every state (collect)."""

AT_REST = (_S.POOL, _S.RETURNED, _S.ANNOTATED, _S.DISCARDED, _S.CHECKED, _S.RELEASED)
"""No person holds the image. An undo or an organiser's word (work) may put it from one of
these into any other."""


def is_step(leaves: ImageState, enters: ImageState) -> bool:
    """Whether an image may go from the one state to the other."""
    if enters is ImageState.TAKEN_DOWN:
        return leaves is not ImageState.TAKEN_DOWN
    is_put_back = leaves in AT_REST and enters in AT_REST and leaves is not enters
    return is_put_back or enters in IMAGE_STEPS[leaves]
