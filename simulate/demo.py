"""The demo: a whole party on this machine, from a Flickr query to a challenge on its release.

Every stage runs its own real code; only Flickr and the people are stand-ins, and both answer and
ask over HTTP. Run again on the same folder, it goes on where it was.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import select

from annotate_ui.app import create_app
from annotate_ui.serving import ServeOptions, serve, serving
from catalog.image_store import write_whole
from catalog.party import Party, make_party, open_party
from catalog.settings import FILE_NAME, read_settings
from catalog.states import Role
from catalog.tables import Release
from collect.job import Order, load_forecast, load_progress, run_collect
from collect.report.load import load_report
from collect.report.page import format_page as format_collected
from collect.tally import Tally, format_summary
from dedup.jobs import remove_duplicates
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from qa.jobs import check_party, measure_party
from qa.report import format_counts
from vockit.errors import ServeError, SettingsError, UserError
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.scoring import score
from vockit.evaluate.show import format_scores
from vockit.evaluate.truth import open_truth
from vockit.report.progress import progress
from vockit.verify.check import check_folder

from .demo_challenge import ANY, BLIND, CHALLENGE, hold_challenge
from .demo_people import make_link, run_simulated_party
from .detector import write_results
from .flickr.folder import read_library
from .flickr.server import StandIn
from .photographs.known import KnownPhoto, load_known_photographs
from .photographs.make import make_demo_photographs

log = logging.getLogger(__name__)

Say = Callable[[str], None]

EVALUATION = "evaluation"
DETECTORS = ("nearest", "everywhere")
STAND_IN_KEY = "stand-in"
PHOTOGRAPHS = "flickr"  # the folder, in the party's, that the stand-in serves
REAL_PEOPLE = (("Olga", Role.ORGANISER), ("Anna", Role.ANNOTATOR), ("Carl", Role.CHECKER))

_LINES = (
    ("Images", {"annotated": "annotated", "discarded": "discarded"}),
    ("Checked", {"accept": "accepted", "fixed": "fixed", "returned": "returned"}),
    ("Findings judged", {"right": "right", "wrong": "wrong"}),
    ("Objects judged", {"difficult": "difficult", "plain": "not difficult"}),
    ("Pixels", {"segmented": "drawings", "drawing accepted": "of them accepted"}),
)
_LOOK = {
    "Where it is": "progress",
    "Collected": "collected",
    "Checks": "qa",
    "People": "agreement",
    "Tables": "tables",
}


class DemoError(UserError):
    """The demo cannot finish, and that is a bug."""


@dataclass(frozen=True)
class DemoOptions:
    """What the demo shall do; `once` ends it after the challenge."""

    folder: Path
    year: int
    once: bool = False
    host: str = "127.0.0.1"
    port: int = 8080


def run_demo(options: DemoOptions, say: Say) -> None:
    """Run the whole party and then serve it; raises UserError where a stage fails."""
    began = time.monotonic()
    folder = options.folder
    say(f"1. A party in {folder}, with the classes and rules of VOC2012")
    make_party(folder, name="Demo party", preset="voc2012", values=DEMO_SETTINGS)
    if read_settings(folder / FILE_NAME).flickr.key != STAND_IN_KEY:
        raise SettingsError(f"{folder} is a party of its own; name another folder for the demo.")
    make_demo_photographs(folder / PHOTOGRAPHS)
    known = load_known_photographs(folder / PHOTOGRAPHS)
    with open_party(folder) as made, running_standin(made, say) as party:
        fill_party(party, say)
        annotate_and_check(party, known, say)
        target = release(party, options, say)
        evaluate_detectors(party, target, say)
        if released := find_newest_release(party):
            hold_challenge(party, released, say)
        tell_where(party, target, say)
        say(f"\nDone in {time.monotonic() - began:.0f} seconds.")
        if not options.once:
            serve_by_hand(party, options, say)


DEMO_SETTINGS = {
    "flickr": {
        "key": STAND_IN_KEY,
        "api_url": "http://127.0.0.1:8765/services/rest/",
        "image_hosts": ["localhost:8765"],
        "calls_per_hour": 100_000,  # the stand-in has no limit
    },
    "collect": {
        "target_images": 98,
        "first_date": "2010-01-01",
        "last_date": "2024-12-31",
        "photos_per_search": 2,
        "min_side_px": 60,
        "seed": 2007,
    },
    "qa": {"double_share": 0.8},  # so that a dozen images already say how well people agree
    "export": {"people_results": True},
}


@contextmanager
def running_standin(party: Party, say: Say) -> Iterator[Party]:
    """The party with the addresses of a stand-in Flickr that runs while the block does."""
    library = read_library(party.folder / PHOTOGRAPHS)
    port = urlsplit(party.settings.flickr.api_url).port or 0
    try:
        started = StandIn(library, port=port).start()
    except SettingsError as error:
        log.warning("%s The stand-in takes a free port; party.toml still names the other.", error)
        started = StandIn(library).start()
    with closing(started) as standin:
        say(f"2. A stand-in Flickr with {len(library)} real photographs at {standin.base_url}")
        hosts = (standin.image_host,)
        flickr = replace(party.settings.flickr, api_url=standin.api_url, image_hosts=hosts)
        yield replace(party, settings=replace(party.settings, flickr=flickr))


def fill_party(party: Party, say: Say) -> None:
    """Collect photographs up to the target and remove near-duplicates."""
    say("3. Collecting: a random class, query, date window, page and photo for each image")
    order = Order()
    tally = Tally()
    fetched = load_progress(party)
    target = party.settings.collect.target_images
    if fetched >= target:  # near-duplicates of an earlier run are not made up for
        say(f"   Planned: nothing. Have {fetched} of {target} images.")
    else:
        plan = load_forecast(party, order)
        say(
            f"   Planned: {plan.missing} of {plan.target} images are missing, about {plan.calls} "
            f"calls, {plan.hours * 60:.1f} minutes, {plan.bytes / 1e6:.0f} MB."
        )
        with progress("Collecting", target, "images") as advance:
            advance(fetched)
            run_collect(party, order, tally=tally, on_fetched=advance)
    say(f"   {format_summary(tally)}")
    page = party.folder / "collected.html"
    write_whole(page, format_collected([load_report(party, datetime.now(UTC))]).encode())
    say(f"   With plots: {page}")
    say("4. Removing near-duplicates by perceptual hashes")
    done = remove_duplicates(party, watch=progress)
    say(f"   {done.duplicates} near-duplicates removed, {done.pool} images ready to annotate.")
    say(f"   With pictures: {report_near_duplicates(party)}")
    say("   The page “Near-duplicates”, next to the board, asks an organiser about them.")


def report_near_duplicates(party: Party) -> Path:
    """The page that shows them with pictures, in the party's folder."""
    from dedup.report.figures import load_dedup_report  # imports matplotlib, which takes long
    from dedup.report.page import format_page

    with party.catalogue.reading() as session:
        report = load_dedup_report(session, party.settings.name, datetime.now(UTC))
    page = party.folder / "near-duplicates.html"
    write_whole(page, format_page(report, party.store, party.settings.serve).encode())
    return page


def annotate_and_check(party: Party, known: Mapping[str, KnownPhoto], say: Say) -> None:
    """Let simulated people annotate and check a part of the pool; the rest is for real people."""
    if find_newest_release(party):
        say("5. The simulated people are done; what is left is for you")
        return
    say("5. Simulated people annotate and check over HTTP, and leave some for you")
    with serving(create_app(party)) as base_url:
        done = run_simulated_party(party, base_url, known)
    for label, words in _LINES:
        counts = ", ".join(f"{done[key]} {word}" for key, word in words.items())
        say(f"   {label}: {counts}.")
    report = measure_party(party, datetime.now(UTC))
    everybody = report.everybody
    fixed = report.errors
    passed = sum(person.passed for person in report.gold)
    answers = sum(person.images for person in report.gold)
    say(
        f"   Agreement: {everybody.images} images annotated twice (blind); "
        f"{everybody.both.value:.0%} of the objects found by both; {sum(fixed.counts.values())} "
        f"slips fixed in {fixed.objects} objects; {passed} of {answers} gold answers passed."
    )


def release(party: Party, options: DemoOptions, say: Say) -> Path:
    """The folder of a verified release: a new one where images passed checking since the last."""
    say("6. Releasing what passed checking as a PASCAL VOC dataset")
    say(f"   Checks: {format_counts(check_party(party, datetime.now(UTC)))}")
    year, name = find_newest_release(party) or (options.year, f"VOC{options.year}")
    plan = plan_release(party, year=year, name=name, order=ReleaseOrder(is_forced=True))
    if plan.newer_images:
        order = ReleaseOrder(extends=name, is_forced=True)
        year = options.year
        name = find_free_name(party, f"VOC{options.year}")
        plan = plan_release(party, year=year, name=name, order=order)
    for open_point in plan.notes.forced:
        say(f"   Made although {open_point}, as `vocparty export --force` does.")
    target = party.folder / "releases" / name
    with progress("Writing", len(plan.images), "images") as advance:
        write_release(party, plan, target, at=datetime.now(UTC), advance=advance)
    say("7. Verifying the release against every rule of the format")
    reports = check_folder(target)
    violations = [str(violation) for report in reports for violation in report.errors]
    if violations:
        raise DemoError(f"The release breaks {len(violations)} rules, first: {violations[0]}")
    held = sum(report.images for report in reports), sum(report.objects for report in reports)
    say(f"   {held[0]} images with {held[1]} objects, every rule of the format holds.")
    return target


def evaluate_detectors(party: Party, target: Path, say: Say) -> None:
    """Score two simple detectors on the release's test set, and write the report."""
    from vockit.evaluate.report import ReportOptions, write_report  # imports matplotlib

    say("8. Evaluating two simple detectors on the release's test set, as VOC evaluated methods")
    truth = open_truth(target, "test")
    results = {name: party.folder / "results" / target.name / name for name in DETECTORS}
    for name, folder in results.items():
        write_results(truth.root, folder, "test", by_look=name == DETECTORS[0])
    try:
        scored = {name: score(truth, folder) for name, folder in results.items()}
    except EvaluateError as error:
        say(f"   Nothing to evaluate: {error}")
        return
    for line in format_scores(truth, scored[DETECTORS[0]]):
        say(f"   {line}".rstrip())
    report = party.folder / EVALUATION / target.name
    write_report(truth, scored, ReportOptions(report))
    say(f"   With curves, tables and pictures: {report / 'index.html'}")


def find_newest_release(party: Party) -> tuple[int, str] | None:
    """Year and name of the party's release that was made last, or None; not the challenge's."""
    with party.catalogue.reading() as session:
        of_party = select(Release).where(Release.name.not_like(f"%{BLIND}"))
        newest = session.scalar(of_party.order_by(Release.id.desc()).limit(1))
        return (newest.year, newest.name) if newest else None


def find_free_name(party: Party, name: str) -> str:
    """The name, with a number where a release has it already."""
    with party.catalogue.reading() as session:
        taken = set(session.scalars(select(Release.name)))
    names = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 2)))
    return next(free for free in names if free not in taken)


def tell_where(party: Party, target: Path, say: Say) -> None:
    """Say where everything lies."""
    say(
        f"\nThe party     {party.folder}/party.toml, catalogue.db, images/"
        f"\nThe release   {target}/VOCdevkit (release.json says who, when and whence)"
        f"\nLook at it    vocparty browse {target}"
        f"\nEvaluation    {party.folder / EVALUATION / target.name / 'index.html'}"
        f"\nFlickr        {party.folder / PHOTOGRAPHS} (what the stand-in serves)"
    )
    for label, command in _LOOK.items():
        say(f"{label:<13} vocparty {command} --party {party.folder}")
    if (party.folder / CHALLENGE).is_dir():
        say(
            f"The board     vocparty challenge serve --challenge {party.folder / CHALLENGE}, then "
            f"http://127.0.0.1:8090/board/{ANY}"
        )


def serve_by_hand(party: Party, options: DemoOptions, say: Say) -> None:
    """Serve the party with a personal link for each role until Ctrl-C."""
    links = {f"{role} {name}": make_link(party, name, role) for name, role in REAL_PEOPLE}

    def announce(base_url: str) -> None:
        say(f"\nThe party is served at {base_url}; Ctrl-C stops it. Your personal links:\n")
        for who, path in links.items():
            say(f"  {who:<15} {base_url}{path}")

    try:
        serve(party, ServeOptions(options.host, options.port), announce)
    except ServeError:  # the port is taken
        serve(party, ServeOptions(options.host, 0), announce)
    say("Stopped; everything that was saved is in the catalogue.")
