"""The job of `vocparty suggest load`: a detector's files become a set of suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from catalog.party import Party
from catalog.states import SuggestionKind
from vockit.evaluate.coco_results import NO_IDS, CocoIds

from .files import digest_source, open_source
from .loading import add_set, refuse_repeated
from .reading import Corners, Reader
from .values import LoadReport, SetInfo, SuggestionError, Watch


@dataclass(frozen=True, kw_only=True)
class LoadOrder:
    """What is to be loaded, as the command says it."""

    path: Path
    model: str
    version: str
    licence: str | None = None
    min_confidence: float = 0.0
    words: Mapping[str, str] = field(default_factory=dict)
    class_list: Path | None = None
    ids: CocoIds = NO_IDS
    first_pixel: int | None = None


def load_files(
    party: Party,
    order: LoadOrder,
    *,
    at: datetime | None = None,
    watch: Watch = lambda *_: nullcontext(lambda _count: None),
) -> LoadReport:
    """What became of the set; SuggestionError, and then nothing was stored."""
    source = open_source(order.path, order.class_list)
    info = SetInfo(
        model=order.model.strip(),
        version=order.version.strip(),
        sha256=digest_source(source),
        kind=SuggestionKind.FILE,
        licence=order.licence,
        min_confidence=order.min_confidence,
    )
    refuse_repeated(party, info)
    corners = Corners(order.first_pixel)
    reader = Reader(source, order.ids, corners)
    with watch("Loading", source.count_bytes(), "bytes") as advance:
        return add_set(
            party,
            info,
            reader.iterate(advance),
            words=order.words,
            looked_at=[*source.list_names(), *order.ids.images.values()],
            at=at or datetime.now(UTC),
            check=lambda report: _check_corners(corners, report),
        )


def _check_corners(corners: Corners, report: LoadReport) -> None:
    """Ask whether the first pixel is 0 or 1 where most boxes at the border begin at 0.

    Who said that it is 1 is warned.
    """
    if not corners.is_doubtful or corners.first_pixel == 0:
        return
    seen = (
        f"{corners.at_zero:,} boxes begin at pixel 0 and {corners.at_one:,} at pixel 1, so the "
        "corners look as if they were counted from 0"
    )
    if corners.first_pixel is None:
        raise SuggestionError(
            f"{seen}; say --first-pixel 0 if they are, --first-pixel 1 if they are VOC's."
        )
    report.warnings.append(f"{seen}, and were taken as VOC's, from 1, as --first-pixel says.")
