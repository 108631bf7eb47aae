"""Looks through the waiting images, after twelve of them were shown with what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from catalog.errors import ImageDamagedError, ImageMissingError, ImageUnreadableError
from catalog.image_store import ImageStore
from work.suggest.values import Detection, Watch

from .looking import Look, WaitingImage, choose_shown, write_look

_UNREAD: Mapping[type[Exception], str] = {
    ImageMissingError: "the image store has no file",
    ImageDamagedError: "the file is damaged",
    ImageUnreadableError: "the file cannot be read",
    OSError: "Pillow cannot decode the file",
}
"""What one image may be passed over for; any other fault ends the look."""
Confirm = Callable[[Path, "Looked"], bool]
"""Shows a person the page of the first pictures; whether the rest is to be looked through."""


@dataclass
class Looked:
    """What was found so far, in which images, and how many could not be read, by reason."""

    rows: list[Detection] = field(default_factory=list)
    image_ids: list[int] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class LookJob:
    """One look through the waiting images of a party."""

    store: ImageStore
    look: Look
    title: str
    folder: Path
    watch: Watch
    confirm: Confirm

    def run(self, waiting: Sequence[WaitingImage]) -> Looked | None:
        """All that was found; None where the person said no to the first pictures.

        Raises ModelError, and what writing the page raises.
        """
        looked = Looked()
        shown = choose_shown(waiting)
        rows_of = self._look_through(shown, looked, "Looking at the first")
        page = write_look(self.folder, self.title, self.store, rows_of)
        if not self.confirm(page, looked):
            return None
        seen = {image.image_id for image in shown}
        rest = [image for image in waiting if image.image_id not in seen]
        if rest:
            self._look_through(rest, looked, "Looking")
        return looked

    def _look_through(
        self, waiting: Sequence[WaitingImage], looked: Looked, label: str
    ) -> dict[WaitingImage, list[Detection]]:
        rows_of = dict[WaitingImage, list[Detection]]()
        with self.watch(label, len(waiting), "images") as advance:
            for image in waiting:
                try:
                    rows_of[image] = self.look.find(self.store, image)
                except tuple(_UNREAD) as error:
                    reason = next(_UNREAD[kind] for kind in _UNREAD if isinstance(error, kind))
                    looked.unread[reason] += 1
                else:
                    looked.rows += rows_of[image]
                    looked.image_ids.append(image.image_id)
                advance(1)
        return rows_of
