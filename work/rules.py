"""What a saved revision must keep to; pure, the judge of every rule that the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog.annotated import GROUP_OF
from catalog.box import Box
from catalog.preset import ActionSpec, ClassSpec, Preset, WordSpec
from catalog.refusals import expect_one_of, refuse
from catalog.sentences import name_term, say
from catalog.states import Taster, Verdict, View, WordKind
from catalog.words import NO_WORDS, WordsOfKinds
from vockit.format.tree import PERSON
from work.bodies import ObjectBody, PartBody, ReviewBody, RevisionBody, Xyxy

from .tasters import check_chosen


@dataclass(frozen=True)
class Frame:
    """What objects are judged against: the image's size, the party's words and limits."""

    width_px: int
    height_px: int
    preset: Preset
    min_box_px: int
    max_objects: int
    more_reasons: tuple[str, ...] = ()
    must_judge_all: bool = False
    has_groups: bool = False
    words: WordsOfKinds = field(default_factory=lambda: NO_WORDS)
    taster: Taster | None = None
    """The one task that the revision under review was made for."""

    def today(self, kind: WordKind, word_id: str) -> str:
        """The id that an id counts as today."""
        return self.words[kind].today(word_id)

    def find(self, kind: WordKind, word_id: str) -> WordSpec | None:
        """The word that an id counts as today; None where the preset has it no more."""
        return self.preset.find(kind, self.today(kind, word_id))

    def check_word(self, kind: WordKind, word_id: str, had: Iterable[str], field: str) -> None:
        """Raise InvalidError where the preset has no such word and the object did not have it."""
        kept = {self.today(kind, word) for word in had}
        if self.find(kind, word_id) is None and self.today(kind, word_id) not in kept:
            known = [spec.key for spec in self.preset.list_words(kind)]
            refuse(field, expect_one_of(known, word_id))


def check_revision(body: RevisionBody, frame: Frame, kept: Mapping[str, ObjectBody]) -> None:
    """Raise InvalidError for the first field of a save that breaks a rule.

    What an object of `kept`, the revision before, has already may stay, although the preset has no
    such word any more.
    """
    reasons = [item.key for item in frame.preset.discard_reasons] + list(frame.more_reasons)
    if body.discard_reason is not None:
        if body.discard_reason not in reasons:
            refuse("discard_reason", expect_one_of(reasons, body.discard_reason))
        if not body.finish:
            refuse("finish", say("expected true, as the image is discarded"))
    unsure = [frame.today(WordKind.CLASS, class_id) for class_id in body.unsure_classes]
    check_words(unsure, frame.preset.class_ids.values(), "unsure_classes")
    _check_objects(body.objects, frame, kept, "objects")
    if body.taster is not None:
        is_finished = body.finish and body.discard_reason is None
        _check_taster(body.objects, body.taster, frame, "objects", is_finished=is_finished)


def check_review(
    body: ReviewBody, keys: frozenset[str], frame: Frame, kept: Mapping[str, ObjectBody]
) -> None:
    """Raise InvalidError for the first field of a review of these objects that breaks a rule.

    `kept` are the objects of the revision, as for check_revision.
    """
    is_corrected = body.verdict is Verdict.FIXED
    if body.verdict is Verdict.ACCEPT and body.complete is False:
        refuse("complete", say("expected true or null, as the image is accepted"))
    if frame.must_judge_all and body.verdict is not Verdict.RETURNED:
        if body.complete is None:
            refuse("complete", say("expected an answer whether anything is missing"))
        if unseen := keys - {item.key for item in body.objects if item.judged}:
            refuse(
                "objects",
                say("expected a verdict on each object, {count} have none", count=len(unseen)),
            )
    comments = [body.comment, *(item.comment for item in body.objects)]
    if body.verdict is Verdict.RETURNED and not any(text.strip() for text in comments):
        refuse("comment", say("expected a comment that says why it goes back"))
    _check_verdicts(body, keys)
    if is_corrected and body.fixed is None:
        refuse("fixed", say("expected the fixed objects"))
    if not is_corrected and body.fixed is not None:
        refuse("fixed", say("expected null, as the verdict is {verdict}", verdict=body.verdict))
    if body.fixed is not None:
        _check_objects(body.fixed.objects, frame, kept, "fixed.objects")
        if frame.taster is not None:
            objects = body.fixed.objects
            _check_taster(objects, frame.taster, frame, "fixed.objects", is_finished=True)


def _check_taster(
    objects: Sequence[ObjectBody], taster: Taster, frame: Frame, prefix: str, *, is_finished: bool
) -> None:
    """Raise InvalidError for the first object that an image for one task cannot have."""
    spec = frame.preset.find_class(PERSON)
    person_ids = frame.words[WordKind.CLASS].members(spec.key) if spec is not None else ()
    check_chosen(objects, taster, frozenset(person_ids), prefix, is_finished=is_finished)


def check_words(words: Sequence[str], known: Iterable[str], field: str) -> None:
    """Each word is a known one, and stands there once."""
    for index, word in enumerate(words):
        if word not in known:
            refuse(f"{field}.{index}", expect_one_of(known, word))
        _check_once(words, index, field)


def _check_once(words: Sequence[str], index: int, field: str) -> None:
    """Raise InvalidError where the word at a place stands before it too."""
    if words[index] in words[:index]:
        refuse(f"{field}.{index}", say("expected {word} once", word=words[index]))


def list_retired(
    objects: Iterable[ObjectBody], frame: Frame, kept: Mapping[str, ObjectBody]
) -> list[str]:
    """The names of words that left the preset, which the objects have and those of `kept` lack."""
    names = set[str]()
    for item in objects:
        had = kept.get(item.key)
        kept_words = {(kind, frame.today(kind, word)) for kind, word in _list_words(had)}
        for kind, word in _list_words(item):
            today = frame.today(kind, word)
            if frame.find(kind, word) is None and (kind, today) not in kept_words:
                names.add(frame.words[kind].retired.get(today, today))
    return sorted(names)


def _list_words(item: ObjectBody | None) -> Iterator[tuple[WordKind, str]]:
    """The words that an object has, by kind; of no object there are none."""
    if item is None:
        return
    yield WordKind.CLASS, item.class_id
    yield WordKind.VIEW, item.view
    yield from ((WordKind.ACTION, word) for word in item.actions)
    yield from ((WordKind.PART, part.part) for part in item.parts)


def _check_verdicts(body: ReviewBody, keys: frozenset[str]) -> None:
    """Raise InvalidError for the first verdict on an object that breaks a rule."""
    seen: set[str] = set()
    for index, item in enumerate(body.objects):
        if item.key not in keys:
            refuse(f"objects.{index}.key", say("the revision has no object {key}", key=item.key))
        if item.key in seen:
            refuse(f"objects.{index}.key", say("expected one verdict an object"))
        if body.verdict is Verdict.ACCEPT and item.verdict == "reject":
            refuse(f"objects.{index}.verdict", say("expected accept, as the whole is accepted"))
        seen.add(item.key)


def _check_objects(
    objects: Sequence[ObjectBody], frame: Frame, kept: Mapping[str, ObjectBody], prefix: str
) -> None:
    if len(objects) > frame.max_objects:
        refuse(
            prefix,
            say(
                "expected at most {most} objects, got {count}",
                most=frame.max_objects,
                count=len(objects),
            ),
        )
    keys: set[str] = set()
    for index, item in enumerate(objects):
        field = f"{prefix}.{index}"
        if item.key in keys:
            refuse(f"{field}.key", say("expected a unique key, got {key} again", key=item.key))
        keys.add(item.key)
        if item != kept.get(item.key):
            _check_object(item, kept.get(item.key), frame, field)


def _check_object(item: ObjectBody, kept: ObjectBody | None, frame: Frame, field: str) -> None:
    """Raise InvalidError for the first field that breaks a rule; what was `kept` may stay."""
    frame.check_word(
        WordKind.CLASS, item.class_id, [kept.class_id] if kept else (), f"{field}.class"
    )
    spec = _find_spec(item, kept, frame)
    _check_box(item.box, frame, f"{field}.box", frame.min_box_px)
    frame.check_word(WordKind.VIEW, item.view, [kept.view] if kept else (), f"{field}.view")
    if not spec.has_views and item.view != View.UNSPECIFIED:
        refuse(
            f"{field}.view",
            say(
                "expected Unspecified, as a {class_name} has no view",
                class_name=name_term(spec.display),
            ),
        )
    _check_flags(item, kept, frame, field)
    _check_actions(item.actions, kept.actions if kept else (), spec, frame, f"{field}.actions")
    if item.point is not None:
        if not spec.has_actions:
            refuse(
                f"{field}.point",
                say(
                    "expected null, as a {class_name} has no actions",
                    class_name=name_term(spec.display),
                ),
            )
        x, y = item.point
        if not (1 <= x <= frame.width_px and 1 <= y <= frame.height_px):
            refuse(
                f"{field}.point",
                say("expected a point inside the image, got {point}", point=str(list(item.point))),
            )
    _check_parts(item.parts, kept.parts if kept else (), spec, frame, f"{field}.parts")


def _find_spec(item: ObjectBody, kept: ObjectBody | None, frame: Frame) -> ClassSpec:
    """The class of an object, with every feature that it had; one that is retired has no other."""
    class_id = frame.today(WordKind.CLASS, item.class_id)
    name = frame.words[WordKind.CLASS].retired.get(class_id, class_id)
    spec = frame.preset.find_class_of(class_id) or ClassSpec(name)
    if kept is None or frame.today(WordKind.CLASS, kept.class_id) != class_id:
        return spec
    is_posed = bool(kept.actions or kept.point)
    return replace(
        spec,
        has_views=spec.has_views or kept.view != View.UNSPECIFIED,
        has_parts=spec.has_parts or bool(kept.parts),
        has_actions=spec.has_actions or is_posed,
    )


def _check_flags(item: ObjectBody, kept: ObjectBody | None, frame: Frame, field: str) -> None:
    flags: set[str] = {flag.name for flag in frame.preset.flags if flag.set_by == "annotator"}
    if frame.has_groups:
        flags.add(GROUP_OF)
    for name in ("truncated", "occluded", GROUP_OF):
        had = kept is not None and getattr(kept, name)
        if getattr(item, name) and name not in flags and not had:
            refuse(f"{field}.{name}", say("expected false, as the party has no such flag"))


def _check_box(xyxy: Xyxy, frame: Frame, field: str, min_side_px: int) -> None:
    try:
        box = Box(*xyxy)
    except ValueError:
        edges = str(list(xyxy))
        refuse(field, say("expected 1 <= xmin <= xmax and 1 <= ymin <= ymax, got {box}", box=edges))
    if not box.is_inside(frame.width_px, frame.height_px):
        size = f"{frame.width_px} x {frame.height_px} pixels"
        refuse(
            field,
            say(
                "expected a box inside the image of {size}, got {box}",
                size=size,
                box=str(list(xyxy)),
            ),
        )
    if min(box.width_px, box.height_px) < min_side_px:
        size = f"{box.width_px} x {box.height_px}"
        refuse(
            field,
            say(
                "expected sides of at least {least} pixels, got {size}",
                least=min_side_px,
                size=size,
            ),
        )


def _check_actions(
    actions: Sequence[str], had: Sequence[str], spec: ClassSpec, frame: Frame, field: str
) -> None:
    if actions and not spec.has_actions:
        refuse(
            field,
            say(
                "expected none, as a {class_name} has no actions",
                class_name=name_term(spec.display),
            ),
        )
    for index, word in enumerate(actions):
        frame.check_word(WordKind.ACTION, word, had, f"{field}.{index}")
        _check_once(actions, index, field)
    counted = {frame.today(WordKind.ACTION, word) for word in actions}
    for word in sorted(counted):
        action = frame.preset.find(WordKind.ACTION, word)
        if isinstance(action, ActionSpec) and action.is_exclusive and len(counted) > 1:
            refuse(field, say("expected {action} alone or not at all", action=action.name))


def _check_parts(
    parts: Sequence[PartBody],
    had: Sequence[PartBody],
    spec: ClassSpec,
    frame: Frame,
    field: str,
) -> None:
    if not parts:
        return
    if not spec.has_parts:
        refuse(
            field,
            say(
                "expected none, as a {class_name} has no parts", class_name=name_term(spec.display)
            ),
        )
    most = Counter({part.key: part.max_count for part in frame.preset.parts})
    most |= Counter(frame.today(WordKind.PART, part.part) for part in had)
    seen = Counter[str]()
    for index, part in enumerate(parts):
        word = frame.today(WordKind.PART, part.part)
        seen[word] += 1
        if word not in most:
            refuse(f"{field}.{index}.part", expect_one_of(most, word))
        if seen[word] > most[word]:
            refuse(f"{field}.{index}.part", say("expected at most {most}", most=most[word]))
        _check_box(part.box, frame, f"{field}.{index}.box", min_side_px=1)
