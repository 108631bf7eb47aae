"""The jobs of `vocparty qa` and `vocparty agreement`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from catalog.party import Party
from catalog.states import FindingVerdict
from catalog.tables import Finding as FindingRow
from catalog.tables import Measurement

from . import agreement, corrections
from .agreement_report import AgreementReport, summarise
from .blind_rows import keep_score, list_unscored
from .check_list import apply_live_settings, check_names, enabled_checks
from .checks import run_image_checks, run_person_checks, run_set_checks, sort_findings
from .finding_rows import keep_findings, load_check_records
from .gold import load_gold_scores, summarise_gold
from .load import load_checked_images
from .matching import match_pairs
from .repeats import load_checkers_work
from .report import Report
from .suggestion_rows import load_suggestion_effect
from .work import load_blind_pairs, load_checked_work, load_discards, load_names, load_party_work


def check_party(party: Party, at: datetime) -> Report:
    """What the checks find now, without what people judged wrong; the queue follows.

    Scores of blind answers that a killed server left are kept as well.
    """
    with party.catalogue.reading() as session:
        settings = apply_live_settings(session, party.settings)
        ran = [check.name for check in enabled_checks(settings)]
        images = load_checked_images(session)
        work = load_party_work(session, images)
        unscored = list_unscored(session)
    findings = sort_findings(
        run_image_checks(images, party.preset, settings, party.words)
        + run_set_checks(images, party.preset, settings)
        + run_person_checks(work, party.preset, settings)
    )
    with party.catalogue.writing() as session:
        for annotation_id, score in unscored:
            keep_score(session, annotation_id, score, settings.qa)
        kept = keep_findings(session, findings, ran=ran, at=at)
        session.expire_all()
        wrong = FindingRow.verdict == FindingVerdict.WRONG
        is_wrong = set(session.scalars(select(FindingRow.finding_key).where(wrong)))
        records = load_check_records(session, check_names())
    return Report(
        tuple(images),
        tuple(finding for finding in findings if finding.key not in is_wrong),
        settings.qa.switched_off,
        tuple(records),
        kept,
        sum(finding.key in is_wrong for finding in findings),
    )


def measure_party(party: Party, at: datetime) -> AgreementReport:
    """How people agree and what checkers corrected so far; its sum is kept for the next release."""
    with party.catalogue.reading() as session:
        settings = apply_live_settings(session, party.settings)
        pairs = load_blind_pairs(session)
        overlap = settings.qa.match_overlap
        names = load_names(session)
        work = load_checked_work(session)
        checkers = load_checkers_work(session, settings.qa)
        gold = summarise_gold(load_gold_scores(session))
        discards = load_discards(session)
        suggestions = load_suggestion_effect(session, overlap)
    matched = match_pairs(pairs, party.preset.class_names, least_overlap=overlap)
    report = AgreementReport(
        names,
        everybody=agreement.measure_all(matched),
        pairs=agreement.measure_people(matched),
        classes=agreement.measure_classes(matched),
        pairs_by_class=agreement.measure_classes(matched, by_people=True),
        boxes=agreement.measure_boxes(matched),
        errors=corrections.measure_errors(work),
        errors_of_people=corrections.measure_errors_of_people(work),
        errors_by_person=corrections.measure_errors_by(
            work, lambda checked: names[checked.author_id]
        ),
        errors_by_class=corrections.measure_errors_by_class(work),
        errors_by_day=corrections.measure_errors_by(
            work, lambda checked: f"{checked.saved_at.astimezone():%Y-%m-%d}"
        ),
        errors_of_checkers=corrections.measure_errors(checkers),
        errors_by_checker=corrections.measure_errors_by(
            checkers, lambda checked: names[checked.author_id]
        ),
        gold=gold,
        discards=discards,
        suggestions=suggestions,
    )
    with party.catalogue.writing() as session:
        session.merge(Measurement(name="agreement", value=summarise(report), measured_at=at))
    return report
