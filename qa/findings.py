"""What the automatic checks look at, what they say, and what a check is; plain values, no SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.preset import Preset
from catalog.sentences import Sentence, name_term
from catalog.settings import Settings
from catalog.states import WordKind
from catalog.words import NO_WORDS, WordsOfKinds

_Find = TypeVar("_Find")


@dataclass(frozen=True)
class SuggestedObject:
    """What a detector is sure of, and nobody accepted, corrected or rejected."""

    suggestion_id: int
    model: str
    class_name: str
    box: Box
    confidence: float


@dataclass(frozen=True)
class CheckedImage:
    """One image with the objects of its newest revision, which `person_id` made.

    `active_secs` is over all revisions that led to it; None where it was not measured. `owner` and
    `taken_hour` are the photograph's ("2026-01-31 12"); None where the source does not say.
    `drawn_blind` is what another person drew who did not know of these objects. `suggested` is
    what detectors are sure of, where a checker let the image pass, and then `searched` are the
    classes that the image was searched for; none where people looked for all of them.
    """

    image_id: int
    width_px: int
    height_px: int
    objects: tuple[AnnotatedObject, ...]
    active_secs: float | None = None
    annotation_id: int | None = None
    person_id: int | None = None
    owner: str | None = None
    taken_hour: str | None = None
    drawn_blind: tuple[AnnotatedObject, ...] = ()
    suggested: tuple[SuggestedObject, ...] = ()
    searched: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SeenTwice:
    """One image as two people have it: `first_id` drew `first`, `second_id` drew `second`."""

    image_id: int
    first_id: int
    second_id: int
    first: tuple[AnnotatedObject, ...]
    second: tuple[AnnotatedObject, ...]


@dataclass(frozen=True)
class PartyWork:
    """All that the checks of people look at: the images, and those that two people looked at.

    `names` are the people's, by id. `drawn` are images with what their annotators drew, before any
    checker corrected it.
    """

    names: dict[int, str]
    drawn: tuple[CheckedImage, ...]
    seen_twice: tuple[SeenTwice, ...]


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
    it was. `badness` sorts the findings of one check, the worst being the largest. `other_key` is
    the other object's of a pair.
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
    other_key: str | None = None


@dataclass(frozen=True)
class Complaint:
    """A sentence about one object, or about the whole image where `about` is None.

    `detail` tells apart several complaints of one check about one subject: the other object's key,
    a part's name, a class. `badness` says how bad it is, where a check can tell. `lacking` is an
    object that the image lacks; a verdict on the complaint holds while that one stays as it is.
    `other` is the other object of a pair; a verdict holds while both stay as they are.
    """

    message: Sentence
    about: AnnotatedObject | None = None
    detail: str = ""
    badness: float = 0.0
    lacking: AnnotatedObject | None = None
    other: AnnotatedObject | None = None


@dataclass(frozen=True)
class Frame:
    """What images are judged against; `marks_actions` where some object of the party has one.

    `words` know the last names of words that left the preset.
    """

    preset: Preset
    settings: Settings
    marks_actions: bool = False
    words: WordsOfKinds = field(default_factory=lambda: NO_WORDS)

    def display(self, class_name: str) -> Sentence:
        """What people call a class; one that the preset lacks has its name only."""
        return name_term(self.preset.class_displays.get(class_name, class_name))

    def display_word(self, kind: WordKind, word_id: str) -> Sentence:
        """What people call a view, a part or an action; one that left the preset, its last name."""
        spec = self.preset.find(kind, word_id)
        return name_term(spec.display if spec else self.words[kind].retired.get(word_id, word_id))

    def list_unretired(self, kind: WordKind, word_ids: Iterable[str]) -> list[str]:
        """The words but those that left the preset, which an object keeps as they are."""
        return [word_id for word_id in word_ids if word_id not in self.words[kind].retired]


@dataclass(frozen=True)
class _Rule(Generic[_Find]):
    """A rule of checking; `settings` names the keys that it obeys."""

    name: str
    severity: Severity
    find: _Find
    settings: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """What the check finds, in a sentence: the first line of its function's docstring."""
        return (self.find.__doc__ or "").partition("\n")[0]


class ImageCheck(_Rule[Callable[[CheckedImage, Frame], Iterator[Complaint]]]):
    """A rule that looks at one image at a time."""


class SetCheck(_Rule[Callable[[Sequence[CheckedImage], Frame], Iterator[tuple[int, Complaint]]]]):
    """A rule that looks at many images together; it answers with the place of each in the list."""


class PersonCheck(_Rule[Callable[[PartyWork, Frame], Iterator[tuple[int, Complaint]]]]):
    """A rule that looks at people's work as a whole; it answers with the id of each person."""


Check = ImageCheck | SetCheck | PersonCheck
