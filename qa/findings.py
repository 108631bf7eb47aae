"""What an automatic check has to say, and what a check is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from catalog.preset import Preset
from catalog.settings import Settings

from .subjects import CheckedImage, CheckedObject, PartyWork


class Severity(StrEnum):
    """How surely something is wrong: it is, it probably is, it is worth a look."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True)
class Finding:
    """What one check says of one image, of one object of it, or of a person.

    `message` is one sentence. `key` is the same whenever the check says the same of the same
    subject, whatever the numbers in the message; `subject_sha256` is the digest of the subject as
    it was. `badness` sorts the findings of one check, the worst being the largest.
    """

    image_id: int | None
    check: str
    severity: Severity
    object_number: int | None
    object_key: str | None
    message: str
    annotation_id: int | None = None
    person_id: int | None = None
    key: str = ""
    subject_sha256: str = ""
    badness: float = 0.0


@dataclass(frozen=True)
class Complaint:
    """A sentence about one object, or about the whole image where `about` is None.

    `beside` tells apart several complaints of one check about one subject: the other object's key,
    a part's name, a class. `badness` says how bad it is, where a check can tell.
    """

    message: str
    about: CheckedObject | None = None
    beside: str = ""
    badness: float = 0.0


@dataclass(frozen=True)
class Frame:
    """What images are judged against: the party's words and limits.

    `marks_actions` says that some object has an action, if only one of an image that is not here.
    """

    preset: Preset
    settings: Settings
    marks_actions: bool = False

    def display(self, class_name: str) -> str:
        """What people call a class; one that the preset lacks has its name only."""
        spec = self.preset.find_class(class_name)
        return class_name if spec is None else spec.display


@dataclass(frozen=True)
class ImageCheck:
    """A rule that looks at one image at a time; `settings` names the keys that it obeys."""

    name: str
    severity: Severity
    explanation: str
    find: Callable[[CheckedImage, Frame], Iterator[Complaint]]
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetCheck:
    """A rule that looks at many images together; it answers with the place of each in the list."""

    name: str
    severity: Severity
    explanation: str
    find: Callable[[Sequence[CheckedImage], Frame], Iterator[tuple[int, Complaint]]]
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class PersonCheck:
    """A rule that looks at people's work as a whole; it answers with the id of each person."""

    name: str
    severity: Severity
    explanation: str
    find: Callable[[PartyWork, Frame], Iterator[tuple[int, Complaint]]]
    settings: tuple[str, ...] = ()


Check = ImageCheck | SetCheck | PersonCheck
