"""The board and the wall as answers tell them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from catalog.preset import Preset
from catalog.tables import Campaign, Person
from qa.counts import ClassProgress, ClassSecs, PersonProgress
from vockit.report.intervals import Interval
from web.language import translate
from work.board import Board, WallEntry
from work.campaigns import describe_campaign
from work.live_settings import load_shares
from work.visit import Visit

from .answers import Json, format_drawn, format_person, pick, tell_each
from .queue import format_plan


def format_board(visit: Visit, board: Board) -> Json:
    """Everything on the board's first view."""
    preset, plan = visit.party.preset, format_plan(board.plan)
    discarded = sorted(board.counts.discarded.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        **pick(board, "at", "per_hour", "checks_per_hour", "jobs"),
        "images": {state.value: count for state, count in board.counts.images.items()},
        "discarded": [
            {"reason": key, "display": preset.reason_displays.get(key, key), "images": count}
            for key, count in discarded
        ],
        "holds": [
            pick(hold, "lease_id", "image_id", "person_id", "kind", "is_opened")
            | pick(hold, "since", "last_sign_at")
            for hold in board.holds
        ],
        "shares": load_shares(visit),
        **{name: plan[name] for name in ("first", "wanted_classes")},
        "progress": pick(board.progress, "bin_secs", "bins") | {"zone": str(board.zone)},
        "classes": [_format_class(preset, line) for line in board.classes],
        "people": [_format_worker(person, line) for person, line in board.people],
        "hours": [
            {"hour": f"{hour.start_at:%Y-%m-%d %H}"}
            | pick(hour, "annotated", "discarded", "checked", "returned")
            for hour in board.hours
        ],
        "class_secs": [_format_secs(preset, line) for line in board.class_secs],
        "campaigns": [_format_campaign(*pair) for pair in board.campaigns],
        "stuck": [
            pick(image, "image_id", "state") | {"reason": translate(image.reason)}
            for image in board.stuck
        ],
        "findings": {str(severity): count for severity, count in board.findings.items()},
    }


def _format_class(preset: Preset, line: ClassProgress) -> Json:
    forecast = vars(line.forecast).items()
    return {
        "name": line.class_name,
        "display": preset.class_displays[line.class_name],
        **pick(line, "images", "objects", "target"),
        "forecast": {name: value if isfinite(value) else None for name, value in forecast},
    }


def _format_worker(person: Person, line: PersonProgress) -> Json:
    return {
        **format_person(person),
        **pick(person, "role", "seen_at", "slowed_at"),
        **pick(line, "images", "checked", "active_secs", "per_hour"),
        "corrected": format_interval(line.corrected),
        "is_ended": person.ended_at is not None,
    }


def _format_secs(preset: Preset, line: ClassSecs) -> Json:
    return {
        "class": line.class_name,
        "display": preset.class_displays.get(line.class_name, line.class_name),
        **pick(line, "objects", "quarter_secs", "median_secs", "three_quarter_secs"),
    }


def _format_campaign(campaign: Campaign, stages: dict[str, int]) -> Json:
    return {
        **pick(campaign, "name", by="made_by", at="made_at"),
        "text": describe_campaign(campaign),
        "images": sum(stages.values()),
        "stages": stages,
    }


def format_interval(interval: Interval) -> Interval | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return interval if interval.count else None


def format_wall(visit: Visit, entries: Sequence[WallEntry]) -> list[Json]:
    """The latest finished revisions, without those on images that stop the page."""
    reasons = visit.party.preset.reason_displays

    def tell_entry(entry: WallEntry) -> Json:
        drawn, image = entry.annotation, entry.image
        return {
            **pick(drawn, "image_id", "saved_at", annotation_id="id"),
            **format_drawn(image, drawn),
            "author": format_person(drawn.person),
            "discarded": reasons.get(drawn.discard_reason or "", drawn.discard_reason),
            "state": image.state,
            "may_return": entry.may_return,
            "remarks": [
                {"text": remark.text, "is_seen": remark.seen_at is not None}
                for remark in entry.remarks
            ],
        }

    return tell_each(visit, entries, tell_entry, lambda entry: entry.image.id)
