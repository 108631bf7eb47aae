"""Pairs of boxes that lie on one another, decided with one key."""

from __future__ import annotations

from typing import Annotated

from flask import request
from pydantic import Field

from catalog.states import Role
from catalog.tables import Object
from qa.check_list import check_names
from qa.pairs import PairRecord, load_pair_records
from work.bodies import Body
from work.pairs import Keep, Pair, count_pairs, list_pairs, lock_pair, settle_pair, take_pair_back
from work.visit import Visit

from .answers import Share, answer_each, format_share
from .findings import format_place, parse_place
from .names import Term
from .schemas import Answer, Now, Reply, Routes, Shown, Version, parse_choice

blueprint = Routes("pairs", __name__, url_prefix="/pairs")
MOST = 24
LONGEST_MS = 3_600_000


class PairBody(Body):
    """What stays; null takes the decision back. `version` is that of the pair as it was shown."""

    keep: Annotated[Keep, Field(strict=False)] | None
    version: Version
    took_ms: Annotated[int, Field(ge=0, le=LONGEST_MS)] = 0


class PairBox(Answer):
    """One box of a pair, with the crop of both on which it alone is framed."""

    class_id: str
    display: Term
    crop_url: str
    width: int
    height: int


class PairDecided(Answer):
    """What stays of a pair, null where that is open."""

    kept: Keep | None
    version: str


class PairAnswer(PairDecided):
    """A pair that waits; `larger` is the larger box of two of one class."""

    id: int
    check: str
    image_id: int
    first: PairBox
    second: PairBox
    larger: Keep | None


class RecordOfClasses(Answer):
    """Two classes, or one twice, and what became of pairs of their boxes."""

    first: Term
    second: Term
    waiting: int
    removed: int
    both: int
    confused: int
    wrong: Share


class RecordsOfClasses(Answer):
    """The classes that are taken for one another, the most often wrong first."""

    records: list[RecordOfClasses]


class PairsPage(Answer):
    """At most 24 pairs; `?past=` with `next` goes on behind them.

    `waiting` are all that the visitor may decide about, `elsewhere` those in images that are not
    checked yet or that they drew; of the check that was asked for.
    """

    pairs: list[PairAnswer]
    next: str | None
    waiting: int
    elsewhere: int


@blueprint.on_get("", Role.CHECKER, answers=PairsPage)
def show_pairs(visit: Visit) -> Reply:
    """Pairs of boxes in checked images, of one check with `?check=`."""
    check = parse_choice(request.args, "check", check_names())
    pairs = list_pairs(visit, check=check, past=parse_place(), limit=MOST + 1)
    shown = pairs[:MOST]
    visit.shown.update(pair.image.id for pair in shown)
    waiting, elsewhere = count_pairs(visit, check)
    is_whole = [pair for pair in shown if pair.first is not None and pair.second is not None]
    return PairsPage(
        pairs=answer_each(
            visit,
            is_whole,
            lambda pair: _make_pair(visit, pair),
            lambda pair: pair.image.id,
        ),
        next=format_place(shown[-1].finding) if len(pairs) > MOST else None,
        waiting=waiting,
        elsewhere=elsewhere,
    )


@blueprint.on_get("/classes", Role.CHECKER, answers=RecordsOfClasses)
def show_classes(visit: Visit) -> Reply:
    """Which classes are taken for one another; in a large party a minute old."""

    def count(visit: Visit) -> list[PairRecord]:
        return load_pair_records(visit.session, visit.settings.qa.match_overlap)

    records = visit.share(("pairs", visit.party.classes_number), count)
    displays = visit.party.preset.class_displays
    return RecordsOfClasses(
        records=[
            RecordOfClasses(
                first=displays.get(record.first, record.first),
                second=displays.get(record.second, record.second),
                waiting=record.waiting,
                removed=record.removed,
                both=record.both,
                confused=record.confused,
                wrong=format_share(record.wrong),
            )
            for record in records
        ]
    )


def _load_now(visit: Visit, finding_id: int) -> Now:
    pair = lock_pair(visit, finding_id)
    return Now(pair.version, _make_decided(pair))


@blueprint.on_post(
    "/<int:finding_id>", Role.CHECKER, shows=Shown("version", _load_now), answers=PairDecided
)
def post_pair(visit: Visit, finding_id: int, body: PairBody) -> Reply:
    """The pair after the decision, or after it was taken back."""
    if body.keep is None:
        return _make_decided(take_pair_back(visit, finding_id))
    return _make_decided(settle_pair(visit, finding_id, body.keep, body.took_ms / 1000))


def _make_decided(pair: Pair) -> PairDecided:
    return PairDecided(kept=pair.kept, version=pair.version)


def _make_pair(visit: Visit, pair: Pair) -> PairAnswer:
    first = pair.first
    second = pair.second
    assert first is not None
    assert second is not None
    larger = Keep.FIRST if first.box.area_px >= second.box.area_px else Keep.SECOND
    return PairAnswer(
        kept=pair.kept,
        version=pair.version,
        id=pair.finding.id,
        check=pair.finding.check_name,
        image_id=pair.image.id,
        first=_make_box(visit, pair, first, Keep.FIRST),
        second=_make_box(visit, pair, second, Keep.SECOND),
        larger=larger if first.class_today == second.class_today else None,
    )


def _make_box(visit: Visit, pair: Pair, item: Object, which: Keep) -> PairBox:
    return PairBox(
        class_id=item.class_today,
        display=visit.party.preset.class_displays.get(item.class_name, item.class_name),
        crop_url=f"/crops/pairs/{pair.finding.id}/{pair.version}/{which}.jpg",
        width=item.box.width_px,
        height=item.box.height_px,
    )
