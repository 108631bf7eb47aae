"""The demo's challenge: a blind release, and three teams that send results to its server.

One runs a baseline of the kit, one sends what it copied from an earlier release, and one an archive
that is cut off, then the whole one. Each goes the way of a team: its personal link, the pages'
forms, and uploads as by `curl`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select

from catalog.party import Party
from challenge import board, organiser, teams
from challenge.folder import Challenge, open_challenge
from challenge.making import Order, make_challenge
from challenge.pages.app import create_app
from challenge.pages.serving import COMPUTING
from challenge.tables import Method, QuotaUse
from challenge.values import BoardRow, Phase, Training
from challenge.worker import do_next
from dedup.overlap.files import read_folder
from dedup.overlap.hash_file import format_hashes
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from vockit.baselines.run import BASELINE, MEAN_BOX, Run, run_baselines
from vockit.errors import UserError
from vockit.format import tree
from vockit.format.threads import ThreadPool
from vockit.kit import Release, open_release
from web.serving import serve_in_thread

from .team_client import TeamClient, pack_folder

Say = Callable[[str], None]

CHALLENGE = "challenge"
"""The folder of the challenge, in the party's."""
PART = "challenge.part"
BLIND = "-blind"
"""How the name of the release ends that the challenge is of."""
GIVEN = "comp3"
ANY = "comp4"
"""Detection from the given data alone, and from any data, in which all three teams are."""
TEST = "test"
BASELINES = "Kit baselines"
COPYIST = "Copied answers"
BROKEN = "Broken archive"
WEB_IMAGES = "web-images"
"""The folder of the images that the copying team says it learned from."""
CUT_OFF = 0.5
"""The share that arrives of the broken archive."""


@dataclass(frozen=True)
class Trees:
    """The party's release, whose labels all can read, a blind one, and that one with its labels."""

    shown: Path
    blind: Path
    opened: Path


@dataclass(frozen=True)
class Entry:
    """The results of one method, and what their team says of it."""

    team: str
    method: str
    folder: Path
    training: Training = Training.GIVEN
    training_data: str = ""
    own_images: Path | None = None


def hold_challenge(party: Party, release: tuple[int, str], say: Say) -> None:
    """Make the challenge, with three teams on its board; one that stands stays as it is."""
    folder = party.folder / CHALLENGE
    say("9. A challenge on the test set: a blind release for all, its labels on the server alone")
    if folder.is_dir():
        say(f"   It stands in {folder}.")
        return
    part = party.folder / PART
    shutil.rmtree(part, ignore_errors=True)  # of a demo that was interrupted
    now = datetime.now(UTC)
    try:
        trees = write_trees(party, release)
        results = party.folder / "results" / trees.blind.name
        entries = make_entries(trees, results, party.folder / WEB_IMAGES)
        make_challenge(part, trees.opened, make_order(now), now)
    except UserError as error:
        say(f"   Nothing to hold a challenge on: {error}")
        return
    say(f"   {trees.blind} is for all, {trees.opened} has its labels and stays private.")
    say("10. Three teams send results by their personal links")
    with open_challenge(part) as challenge:
        run_teams(challenge, entries, say)
        disqualify_copies(challenge)
        show_board(challenge, say)
    part.rename(folder)


def make_order(now: datetime) -> Order:
    """A challenge whose rolling server opened yesterday, so that scores are shown at once."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    days_ago = {
        Phase.TRAINING: 120,
        Phase.IMAGES: 90,
        Phase.SUBMISSIONS: 60,
        Phase.CLOSED: 30,
        Phase.ROLLING: 1,
    }
    dates = {phase: today - timedelta(days=days) for phase, days in days_ago.items()}
    return Order(name="Demo challenge", dates=dates, competitions=(GIVEN, ANY))


def write_trees(party: Party, release: tuple[int, str]) -> Trees:
    """A blind release of the checked images, without and with the labels of its test set."""
    year, name = release
    shown = party.folder / "releases" / name
    blind = shown.with_name(f"{name}{BLIND}")
    opened = shown.with_name(f"{name}-open")
    order = ReleaseOrder(is_blind=True, is_forced=True)
    plan = plan_release(party, year=year, name=blind.name, order=order)
    write_release(party, plan, blind, at=datetime.now(UTC))
    recorded = plan_release(party, year=year, name=blind.name, order=order)
    write_release(party, replace(recorded, is_blind=False), opened, at=datetime.now(UTC))
    return Trees(shown, blind, opened)


def make_entries(trees: Trees, out: Path, own_images: Path) -> list[Entry]:
    """Two baselines that learn from the blind release, and answers that one team has seen."""
    blind = open_release(trees.blind)
    run_baselines(Run(blind, "trainval", TEST, out, lambda _line: None, has_masks=False))
    for method in (BASELINE, MEAN_BOX):
        enter_all_classes(blind, out / method)
    shown = open_release(trees.shown)
    copy_answers(shown, out / WEB_IMAGES)
    copy_pictures(shown, own_images)
    copied = Entry(
        team=COPYIST,
        method="learned from the web",
        folder=out / WEB_IMAGES,
        training=Training.OTHER,
        training_data="photographs from the web",
        own_images=own_images,
    )
    return [
        Entry(BASELINES, BASELINE, out / BASELINE),
        copied,
        Entry(BROKEN, MEAN_BOX, out / MEAN_BOX),
    ]


def enter_all_classes(blind: Release, results: Path) -> None:
    """Let a method enter both competitions with all classes, without which it would have no mean.

    For a class that it could not learn it says the whole of each image, with confidence 0.
    """
    sizes = {image.image_id: image.size_wh for image in blind.images(TEST)}
    guesses = [f"{name} 0 1 1 {width} {height}\n" for name, (width, height) in sizes.items()]
    for name in blind.classes(TEST):
        given = results / "Main" / f"{GIVEN}_det_{TEST}_{name}.txt"
        if not given.exists():
            given.write_text("".join(guesses))
        shutil.copyfile(given, given.with_name(given.name.replace(GIVEN, ANY)))


def copy_answers(shown: Release, results: Path) -> None:
    """Write the boxes that an earlier, public release has of the test images, as if detected."""
    images = list(shown.images(TEST))
    (results / "Main").mkdir(parents=True, exist_ok=True)
    for name in shown.classes(TEST):
        rows = [
            f"{image.image_id} 0.9 {box.xmin} {box.ymin} {box.xmax} {box.ymax}\n"
            for image in images
            for box in (item.box for item in image.objects if item.name == name)
        ]
        (results / "Main" / f"{ANY}_det_{TEST}_{name}.txt").write_text("".join(rows))


def copy_pictures(shown: Release, folder: Path) -> None:
    """Copy the test images into the folder that the copying team says it learned from."""
    folder.mkdir(exist_ok=True)
    for image in shown.images(TEST):
        name = tree.jpeg_path(image.image_id)
        shutil.copyfile(shown.root / name, folder / Path(name).name)


def run_teams(challenge: Challenge, entries: Sequence[Entry], say: Say) -> None:
    """Let each team send its results, have them scored, and publish them."""
    with serve_in_thread(create_app(challenge), COMPUTING) as base_url, ExitStack() as stack:
        clients = [invite(challenge, entry, base_url) for entry in entries]
        for client in clients:
            stack.callback(client.close)
        archives = [pack_folder(entry.folder) for entry in entries]
        tell_broken(challenge, clients[-1], entries[-1], archives[-1], say)
        with ThreadPool(len(entries)) as pool:
            sent = list(pool.map(enter, clients, entries, archives))
        while do_next(challenge, lambda: datetime.now(UTC)):
            pass
        for client, number in zip(clients, sent, strict=True):
            client.publish(number)


def invite(challenge: Challenge, entry: Entry, base_url: str) -> TeamClient:
    """A new team, which signed in by its link and added its method."""
    token = teams.make_token()
    with challenge.catalogue.writing() as session:
        teams.invite(session, entry.team, "", token=token, now=datetime.now(UTC))
    client = TeamClient(base_url, token)
    client.sign_in()
    client.add_method(entry.method, entry.training.value, entry.training_data)
    return client


def tell_broken(
    challenge: Challenge, client: TeamClient, entry: Entry, archive: bytes, say: Say
) -> None:
    """Send an archive that is cut off, and say its verdict and what it cost."""
    verdict = client.upload(entry.method, archive[: int(CUT_OFF * len(archive))])
    with challenge.catalogue.reading() as session:
        taken = session.scalars(select(func.count()).select_from(QuotaUse)).one()
    say(f"   {entry.team}: “{verdict['reason']}” It took {taken} results of its quota.")


def enter(client: TeamClient, entry: Entry, archive: bytes) -> int:
    """The number of a submission that was sent, with hashes of own images, and confirmed."""
    if entry.own_images is not None:
        client.send_hashes(entry.method, "".join(format_hashes(read_folder(entry.own_images))))
    verdict = client.upload(entry.method, archive)
    number: int = verdict["id"]
    client.confirm(number)
    return number


def disqualify_copies(challenge: Challenge) -> None:
    """Disqualify the entries whose own images were found in the test set, as an organiser does."""
    now = datetime.now(UTC)
    with challenge.catalogue.writing() as session:
        for row in board.load_board(session, challenge, ANY, now).rows:
            method = session.get_one(Method, row.method_id)
            if method.overlaps:
                reason = (
                    f"{method.overlaps} of the {method.own_images} images that it learned from "
                    "look like images of the test set."
                )
                organiser.disqualify(session, row.submission_id, reason, now)


def show_board(challenge: Challenge, say: Say) -> None:
    """Say what is on the board."""
    with challenge.catalogue.reading() as session:
        rows = board.load_board(session, challenge, ANY, datetime.now(UTC)).rows
    for row in rows:
        say(f"   {row.team} ({row.method}): {describe(row)}")


def describe(row: BoardRow) -> str:
    """The mean of an entry with its interval, or why it has none."""
    if row.disqualified_for:
        return f"disqualified. {row.disqualified_for}"
    return f"{row.mean.score} % ({row.mean.low} to {row.mean.high})"
