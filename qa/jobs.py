"""The jobs of `vocparty qa`, `vocparty agreement` and `vocparty statistics`."""

from __future__ import annotations

from datetime import datetime, tzinfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import FindingVerdict
from catalog.tables import Finding as FindingRow
from catalog.tables import Measurement

from .agreement_groups import (
    measure_all,
    measure_classes,
    measure_people,
    measure_people_classes,
)
from .agreement_report import AgreementReport, summarise
from .check_list import check_names, enabled_checks
from .checks import (
    run_image_checks,
    run_person_checks,
    run_set_checks,
    sort_findings,
)
from .error_rates import measure_errors, measure_errors_by, measure_errors_by_class
from .finding_rows import keep_findings, load_check_records
from .gold import summarise_gold
from .gold_rows import load_gold_scores
from .load import load_checked_images
from .matched import match_pairs
from .report import Report
from .statistic_images import load_finished, load_released
from .statistics import Statistics, take_statistics
from .switches import apply_live_settings
from .work import load_checked_work, load_names, load_party_work, load_seen_twice

AGREEMENT = "agreement"
"""The name under which the last measurement is kept."""


def check_party(party: Party, at: datetime) -> Report:
    """What the checks find now, without what people judged wrong; the queue is brought up to it.

    Raises SettingsError where qa.switched_off names no check.
    """
    with party.catalogue.reading() as session:
        settings = apply_live_settings(session, party.settings)
        ran = [check.name for check in enabled_checks(settings)]
        images = load_checked_images(session)
        work = load_party_work(session, images)
    findings = sort_findings(
        run_image_checks(images, party.preset, settings)
        + run_set_checks(images, party.preset, settings)
        + run_person_checks(work, party.preset, settings)
    )
    with party.catalogue.writing() as session:
        kept = keep_findings(session, findings, ran=ran, at=at)
        session.expire_all()
        is_wrong = _load_wrong(session)
        records = load_check_records(session, check_names())
    return Report(
        tuple(images),
        tuple(found for found in findings if found.key not in is_wrong),
        settings.qa.switched_off,
        tuple(records),
        kept,
        sum(found.key in is_wrong for found in findings),
    )


def _load_wrong(session: Session) -> frozenset[str]:
    """The keys of findings that somebody judged wrong."""
    wrong = FindingRow.verdict == FindingVerdict.WRONG
    return frozenset(session.scalars(select(FindingRow.finding_key).where(wrong)))


def measure_party(party: Party, at: datetime, zone: tzinfo | None = None) -> AgreementReport:
    """How people agree where two annotated an image blind, and what checkers mended so far.

    The sum of it is kept, so that the next release can tell it. Days are those of the zone, of this
    machine's without one.
    """
    report = _measure(party, zone)
    with party.catalogue.writing() as session:
        session.merge(Measurement(name=AGREEMENT, value=summarise(report), measured_at=at))
    return report


def _measure(party: Party, zone: tzinfo | None) -> AgreementReport:
    with party.catalogue.reading() as session:
        settings = apply_live_settings(session, party.settings)
        pairs = load_seen_twice(session, is_blind=True)
        work = load_checked_work(session)
        names = load_names(session)
        gold = summarise_gold(load_gold_scores(session))
    matched = match_pairs(pairs, party.preset.class_names, least_overlap=settings.qa.match_overlap)
    return AgreementReport(
        names,
        measure_all(matched),
        tuple(measure_people(matched)),
        tuple(measure_classes(matched)),
        tuple(measure_people_classes(matched)),
        measure_errors(work),
        tuple(measure_errors_by(work, lambda one: names[one.author_id])),
        tuple(measure_errors_by_class(work)),
        tuple(measure_errors_by(work, lambda one: f"{one.saved_at.astimezone(zone):%Y-%m-%d}")),
        tuple(gold),
    )


def count_party(
    party: Party, *, release: str | None = None, all_objects: bool = False
) -> Statistics:
    """The statistics of a release, or of all finished work.

    Raises UnknownReleaseError where there is no such release.
    """
    with party.catalogue.reading() as session:
        images = load_finished(session) if release is None else load_released(session, release)
    of = party.settings.name if release is None else release
    return take_statistics(images, party.preset, of=of, all_objects=all_objects)
