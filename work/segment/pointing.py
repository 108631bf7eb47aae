"""Outlines of what a person clicks on, by the party's pair of models; no page waits for it.

The encoder looks at images as they are reserved, in a process of its own that a thread of this
one feeds; the decoder answers to clicks. Both end when nobody has asked for ten minutes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import ImageDamagedError, ImageMissingError, ImageUnreadableError
from catalog.image_store import ImageStore
from catalog.refusals import LeaseLostError, UnavailableError, refuse
from catalog.sentences import say
from catalog.tables import Image, SegmentChoice
from vockit.errors import UserError
from vockit.extras import require_module
from vockit.format.rings import Ring
from vockit.format.threads import Thread
from work.detectors.errors import ModelEndedError
from work.detectors.limits import MOST_CLICK_SECS, Limits
from work.detectors.outline_files import KeptPair, find_pair
from work.detectors.pairs import Click, Mask
from work.leases import NO_LONGER_YOURS
from work.visit import Visit

from .choices import load_boxes
from .leases import has_open, is_second_due
from .proposals import one_at_a_time
from .suggested import trace_mask

if TYPE_CHECKING:
    from work.detectors.outlining import Embedding, Outliner

IDLE_SECS = 600.0
_REST_SECS = 600.0
"""After a failure nothing is tried for so long: each trial may cost a minute of the processor."""
_MOST_RESTARTS = 3
"""So often within that time a pair of which a process ended is started again at once."""
_MOST_WAITING = 24
_MOST_KEPT_BYTES = 256 * 2**20
"""Of embeddings in memory: 64 images with SAM's, which take 4 MB each."""
_UNREADABLE = (ImageMissingError, ImageDamagedError, ImageUnreadableError, OSError)
_log = logging.getLogger(__name__)


class Readiness(StrEnum):
    """Whether a click on an image gets an outline; none where the party has no model for it."""

    NONE = "none"
    PREPARING = "preparing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class ModelState:
    """What the page of an image says of the model; `reason` is why it failed."""

    readiness: Readiness
    name: str = ""
    reason: str = ""


@dataclass(frozen=True)
class ClickedOutline:
    """The rings of what was clicked on, and the set of the model."""

    rings: list[Ring]
    set_id: int


class Desk:
    """A pair at work in this process, for all who segment images of one party."""

    def __init__(
        self, pair: KeptPair, limits: Limits, store: ImageStore, idle_secs: float = IDLE_SECS
    ) -> None:
        self.pair = pair
        self.limits = limits
        self._store = store
        self._idle_secs = idle_secs
        self._changed = threading.Condition()
        self._waiting = OrderedDict[str, None]()
        self._embeddings = OrderedDict[str, "Embedding | None"]()
        self._outliner: Outliner | None = None
        self._thread: Thread | None = None
        self._failure = ""
        self._failed_at = 0.0
        self._ended_at = list[float]()
        self._asked_at = time.monotonic()
        self._turn = threading.Lock()

    def want(self, sha256: str, *, is_next: bool = False) -> None:
        """Let the encoder look at a picture, before all others where it `is_next`."""
        with self._changed:
            if self._failure and time.monotonic() - self._failed_at < _REST_SECS:
                return
            self._failure = ""
            if not self._touch(sha256):
                self._waiting[sha256] = None
                self._waiting.move_to_end(sha256, last=not is_next)
            if len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem()
            if self._thread is None:
                self._start()
            self._changed.notify_all()

    def tell(self, sha256: str) -> ModelState:
        """How far it is with a picture."""
        with self._changed:
            if self._failure:
                return ModelState(Readiness.FAILED, self.pair.name, self._failure)
            if sha256 not in self._embeddings or self._outliner is None:
                return ModelState(Readiness.PREPARING, self.pair.name)
            if self._embeddings[sha256] is None:
                return ModelState(Readiness.FAILED, self.pair.name, say("the file cannot be read"))
            return ModelState(Readiness.READY, self.pair.name)

    def outline(self, sha256: str, clicks: Sequence[Click], box: Sequence[float]) -> Mask:
        """The pixels of what was clicked on; raises UnavailableError, and waits for no picture."""
        with self._changed:
            self._touch(sha256)
            embedding = self._embeddings.get(sha256)
            outliner = self._outliner
            thread = self._thread
        if embedding is None or outliner is None:
            self.want(sha256, is_next=True)
            raise UnavailableError(
                say("The model has not looked at this image yet; draw it by hand meanwhile.")
            )
        if not self._turn.acquire(timeout=MOST_CLICK_SECS):
            late = say("The outline could not be computed in time; try again, or draw it by hand.")
            raise UnavailableError(late)
        try:
            return outliner.outline(embedding, clicks, box)
        except ModelEndedError as error:
            if self._end(thread, error):
                again = say("The model had to be started again; click once more in a moment.")
                raise UnavailableError(again) from error
            raise _does_not_work(error) from error
        except UserError as error:
            self._fail(str(error))
            raise _does_not_work(error) from error
        finally:
            self._turn.release()

    def stop(self) -> None:
        """End the processes; nothing can be asked for any more."""
        self._fail(say("it was switched off"))

    def _touch(self, sha256: str) -> bool:
        """Note that a picture was asked for, so that it is dropped last; whether it is there."""
        self._asked_at = time.monotonic()
        if sha256 not in self._embeddings:
            return False
        self._embeddings.move_to_end(sha256)
        return True

    def _fail(self, reason: str) -> None:
        with self._changed:
            self._failure = reason
            self._failed_at = time.monotonic()
            self._waiting.clear()
            self._embeddings.clear()
            self._changed.notify_all()

    def _start(self) -> None:
        thread = Thread(target=self._work, daemon=True)
        thread.start()
        self._thread = thread

    def _end(self, thread: object, error: ModelEndedError) -> bool:
        """Whether a thread's pair, of which a process ended, is started again; not for ever."""
        with self._changed:
            if thread is None or self._thread is not thread:
                return not self._failure  # who noticed it before did what there is to do
            now = time.monotonic()
            self._ended_at = [at for at in self._ended_at if at > now - _REST_SECS]
            self._ended_at.append(now)
            self._leave_for(thread)
            name = self.pair.name
            if len(self._ended_at) <= _MOST_RESTARTS:
                _log.warning("Outlines by %s: %s It is started again.", name, error)
                self._start()
                self._changed.notify_all()
                return True
        minutes = round(_REST_SECS / 60)
        _log.error("Outlines by %s: %s There are none for %d minutes.", name, error, minutes)
        self._fail(str(error))
        return False

    def _work(self) -> None:
        """Look at pictures until nobody has asked for a while, or until it fails."""
        try:
            for module in ("onnx", "onnxruntime"):
                require_module(module, extra="suggest", purpose="A model", package="vocparty")
            from work.detectors.outlining import run_pair

            with run_pair(*self.pair.files, self.limits) as outliner:
                self._outliner = outliner
                while sha256 := self._take_next():
                    self._keep(sha256, self._look(outliner, sha256))
        except ModelEndedError as error:
            self._end(threading.current_thread(), error)
        except UserError as error:
            self._fail(str(error))
        except Exception as error:
            _log.exception("the outline model failed")
            self._fail(str(error))
        finally:
            with self._changed:
                self._leave_for(threading.current_thread())

    def _leave_for(self, thread: object) -> None:
        """The thread serves no more, unless another one has taken its place already."""
        if self._thread is thread:
            self._thread = None
            self._outliner = None

    def _take_next(self) -> str | None:
        """The next picture; None where none came for long, it failed, or another thread serves."""
        me = threading.current_thread()
        with self._changed:
            while not (self._waiting or self._failure) and self._thread is me:
                left_secs = self._asked_at + self._idle_secs - time.monotonic()
                if left_secs <= 0:
                    break
                self._changed.wait(left_secs)
            if self._failure or not self._waiting or self._thread is not me:
                self._leave_for(me)
                return None
            return self._waiting.popitem(last=False)[0]

    def _look(self, outliner: Outliner, sha256: str) -> Embedding | None:
        """What the encoder sees in a picture; None where its file cannot be read."""
        from work.detectors.trained import read_pixels

        try:
            pixels = read_pixels(self._store, sha256)
        except _UNREADABLE:
            return None
        return outliner.encode(pixels)

    def _keep(self, sha256: str, embedding: Embedding | None) -> None:
        with self._changed:
            if self._failure:
                return
            self._waiting.pop(sha256, None)  # a page asked for it meanwhile
            self._embeddings[sha256] = embedding
            while len(self._embeddings) > 1 and self._count_bytes() > _MOST_KEPT_BYTES:
                self._embeddings.popitem(last=False)

    def _count_bytes(self) -> int:
        return sum(kept.numbers.nbytes for kept in self._embeddings.values() if kept)


def _does_not_work(error: UserError) -> UnavailableError:
    return UnavailableError(say("The outline model does not work: {reason}", reason=str(error)))


_desks = dict[Path, Desk]()  # of this process, by the party's folder
_CHANGING = threading.Lock()


def prepare(visit: Visit, image_ids: Iterable[int]) -> None:
    """Let the encoder look at images that were reserved, in this order; nothing waits for it."""
    wanted = [
        visit.session.get_one(Image, image_id).sha256
        for image_id in image_ids
        if not _is_blind(visit, image_id)
    ]
    desk = _find_desk(visit) if wanted else None
    if isinstance(desk, Desk):
        for sha256 in wanted:
            desk.want(sha256)


def tell_state(visit: Visit, image_id: int) -> ModelState:
    """What the page of an image says of the model, for who holds the image.

    Who draws an image a second time has no model, as both would follow it. Raises LeaseLostError.
    """
    if not has_open(visit, image_id):
        raise LeaseLostError(NO_LONGER_YOURS)
    desk = None if _is_blind(visit, image_id) else _find_desk(visit)
    if not isinstance(desk, Desk):
        return desk or ModelState(Readiness.NONE)
    sha256 = visit.session.get_one(Image, image_id).sha256
    desk.want(sha256, is_next=True)
    return desk.tell(sha256)


def outline_clicked(
    visit: Visit, image_id: int, object_key: str, clicks: Sequence[Click]
) -> ClickedOutline:
    """The outline of the object, for who holds the image; nothing is kept of it.

    Raises UnavailableError where the model is not ready, InvalidError, LeaseLostError, or
    TooManyError while another is computed for the visitor.
    """
    if not has_open(visit, image_id):
        raise LeaseLostError(NO_LONGER_YOURS)
    image = visit.session.get_one(Image, image_id)
    box = load_boxes(visit.session, image.annotation_id or 0).get(object_key)
    if box is None:
        refuse("object_key", say("image {image_id} has no such object", image_id=image.id))
    if any(not (0 <= x <= image.width and 0 <= y <= image.height) for x, y, _ in clicks):
        refuse("clicks", say("expected points of the image"))
    desk = None if _is_blind(visit, image_id) else _find_desk(visit)
    if not isinstance(desk, Desk):
        raise UnavailableError(say("The party has no model for that here; draw it by hand."))
    xmin, ymin, xmax, ymax = box.xyxy
    with one_at_a_time((visit.party.folder, visit.person.id)):
        mask = desk.outline(image.sha256, clicks, (xmin - 1, ymin - 1, xmax, ymax))
    return ClickedOutline(trace_mask(mask), desk.pair.set_id)


def _is_blind(visit: Visit, image_id: int) -> bool:
    choice = visit.session.get(SegmentChoice, image_id)
    return choice is None or is_second_due(choice)


def _find_desk(visit: Visit) -> Desk | ModelState | None:
    """The desk of the party's pair; why there is none here, or None where it has no pair."""
    folder = visit.party.folder
    pair = find_pair(visit.session, visit.party)
    limits = pair.read_limits() if pair else None
    with _CHANGING:
        desk = _desks.get(folder)
        if desk is not None and (pair, limits) == (desk.pair, desk.limits):
            return desk
        if desk is not None:
            del _desks[folder]
            desk.stop()
        if pair is None:
            return None
        if limits is None:
            lost = say("its files are not on this machine; run `vocparty suggest outlines` here")
            return ModelState(Readiness.FAILED, pair.name, lost)
        _desks[folder] = Desk(pair, limits, visit.party.store)
        return _desks[folder]
