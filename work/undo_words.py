"""What an undo set aside, or would, in sentences for the organiser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from catalog.sentences import Sentence, say, say_all, say_number
from catalog.states import ImageState

from .presence.taking_back import TakenBack as PresenceTakenBack
from .undo import Undone

STATE_WORDS = {
    ImageState.POOL: say("back to annotation"),
    ImageState.RETURNED: say("to their authors"),
    ImageState.ANNOTATED: say("to a check"),
    ImageState.DISCARDED: say("to the discarded images"),
    ImageState.CHECKED: say("to the checked images"),
    ImageState.RELEASED: say("to the released images"),
}
MOST_NAMED = 20


def describe_undo(undone: Undone, *, is_done: bool) -> list[Sentence]:
    """The sentences for the organiser on what was set aside or, unless `is_done`, would be."""
    lines = [_describe_work(undone, is_done=is_done)]
    places = Counter(way.enters for way in undone.ways)
    goes = [
        say("{count:,} {place}", count=count, place=STATE_WORDS[state])
        for state, count in sorted(places.items())
    ]
    if goes:
        lines.append(say("Images that return: {places}.", places=say_all(goes)))
    if undone.kept:
        images = name_images(undone.kept)
        lines.append(say("Unchanged, because others drew on them later: {images}.", images=images))
    if undone.frozen:
        images = name_images(undone.frozen)
        lines.append(say("Unchanged, because a release contains them: {images}.", images=images))
    if undone.answers.drawn:
        images = name_images(undone.answers.drawn)
        lines.append(
            say(
                "Unchanged, but drawn with boxes that these answers called right: {images}.",
                images=images,
            )
        )
    lines += _describe_followed(undone.followed)
    if undone.may_sign_in:
        lines.append(
            say(
                "{name} can still sign in; `vocparty people end` revokes the link.",
                name=undone.name,
            )
        )
    return lines


def _describe_followed(taken: PresenceTakenBack) -> Iterator[Sentence]:
    """What followed from answers whether images show something that count no more."""
    if taken.reopened:
        yield say("These images wait again: {images}.", images=name_images(taken.reopened))
    if taken.discarded:
        images = name_images(taken.discarded)
        yield say(
            "Discarded, because the answers of others find no class: {images}.", images=images
        )
    if taken.drawn:
        images = name_images(taken.drawn)
        yield say(
            "Unchanged, but drawn with boxes of a class that is open again: {images}.",
            images=images,
        )


def _describe_work(undone: Undone, *, is_done: bool) -> Sentence:
    """How much of each kind of work was set aside, or would be."""
    counts = (
        say_number(len(undone.revisions), "{count:,} revision", "{count:,} revisions"),
        say_number(len(undone.reviews), "{count:,} review", "{count:,} reviews"),
        say_number(
            undone.verdicts, "{count:,} verdict on a finding", "{count:,} verdicts on findings"
        ),
        say_number(undone.drawings, "{count:,} drawing of pixels", "{count:,} drawings of pixels"),
        say_number(
            undone.drawing_verdicts,
            "{count:,} verdict on a drawing",
            "{count:,} verdicts on drawings",
        ),
        say_number(
            undone.answers.answers,
            "{count:,} answer about a box",
            "{count:,} answers about boxes",
        ),
        say_number(
            undone.presence,
            "{count:,} answer on the page Presence",
            "{count:,} answers on the page Presence",
        ),
    )
    entered = [words for words in counts if words.values["count"]]
    name = undone.name
    if not entered:
        return say("{name} has no work in this time that can be undone.", name=name)
    work = say_all(entered)
    if is_done:
        return say(
            "Undone: {work} of {name}; all of it stays in the history.", work=work, name=name
        )
    return say(
        "Would undo: {work} of {name}; all of it stays in the history.", work=work, name=name
    )


def name_images(image_ids: Sequence[int]) -> Sentence:
    """The images by their numbers, the first MOST_NAMED of them."""
    shown = list(image_ids[:MOST_NAMED])
    more = len(image_ids) - len(shown)
    if more:
        return say("images {image_ids} and {count:,} more", image_ids=shown, count=more)
    return say("images {image_ids}", image_ids=shown)
